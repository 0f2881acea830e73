"""What a kind of state is: how rows are checked, folded, merged, packed and saved."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like.accelerator import DeviceArray, fetch
from mmeval_like.packing import Buffer
from mmeval_like.rows import Rows, concatenate, pack_rows, unpack_rows

__all__ = ["FEW", "AdditiveState", "NumericState", "State", "expect_array"]

FEW = 8  # batches: folding these one by one, at every compute anew, costs next to nothing


class State:
    """One declared state of a metric.

    Attributes:
        ordered: Every row is kept, in order, instead of being folded.
        on_accelerator: Rows fold where they are; else they are fetched in large blocks first.
        joins: Few batches are joined before they fold; else each is folded by itself.
        block: So many bytes of rows are worth folding (or joining) at once. Until then they
            wait, and `compute` has to fold them.
    """

    ordered = False
    on_accelerator = False
    joins = True
    block = 64 * 1024

    def check(self, name: str, rows: Any) -> Rows:
        """Return the rows in this state's form.

        Raises:
            TypeError: Not an array (of the declared kind of dtype).
            ValueError: Rows of another shape, or codes out of range.
        """
        raise NotImplementedError

    def empty(self) -> Any:
        """Return the folded value of no rows."""
        raise NotImplementedError

    def fold(self, folded: Any, rows: Any) -> Any:
        """Return the folded value with these rows added; may reuse `folded`."""
        raise NotImplementedError

    def fold_pieces(self, folded: Any, pieces: Sequence[Rows]) -> Any:
        """Return the folded value with the rows of these batches added; may reuse `folded`."""
        if self.joins or len(pieces) > FEW:
            pieces = [concatenate(pieces)]
        for rows in pieces:
            folded = self.fold(folded, rows if self.on_accelerator else fetch(rows))
        return folded

    def merge(self, folded: Any, other: Any) -> Any:
        """Return the folded value of both; may reuse `folded`."""
        raise NotImplementedError

    def copy(self, folded: Any) -> Any:
        """Return a folded value that may be changed without changing this one."""
        return copy.copy(folded)

    def value(self, folded: Any) -> Any:
        """Return what `compute_metric` sees."""
        return folded

    def pack(self, folded: Any) -> list[Buffer]:
        """Return the pieces of a self-delimiting form; for ordered states, of their rows."""
        return pack_rows(folded)

    def unpack(self, data: memoryview, offset: int) -> tuple[Any, int]:
        """Return what was packed at `offset`, and the offset behind it."""
        return unpack_rows(data, offset)

    def to_array(self, folded: Any) -> np.ndarray:
        """Return the folded value as one array, for a file."""
        raise NotImplementedError

    def from_array(self, array: np.ndarray) -> Any:
        """Return the folded value of such an array.

        Raises:
            ValueError: An array that this state cannot have written.
        """
        raise NotImplementedError


class NumericState(State):
    """A state whose rows are arrays of shape (n, *shape)."""

    def __init__(self, dtype: type, shape: tuple[int, ...]) -> None:
        if dtype not in (int, float):
            raise TypeError(f"dtype must be int or float, got {dtype!r}")
        self.dtype, self.shape = dtype, tuple(shape)
        self.ndim = len(self.shape) + 1  # of the rows
        # Batches may differ in dtype: any of these turn into one that holds all their values.
        self.mixable = "?bBhHiIlq" if dtype is int else "?bBhHiIefd"

    def __repr__(self) -> str:
        return f"{type(self).__name__.lower()}({self.dtype.__name__}, {self.shape})"

    def check(self, name: str, rows: Any) -> Rows:
        if not isinstance(rows, np.ndarray) or rows.dtype.char not in self.mixable:
            rows = self._convert(name, rows)
        array: np.ndarray = rows
        if rows.ndim != self.ndim or (self.shape and rows.shape[1:] != self.shape):
            raise ValueError(
                f"the rows of state {name!r} must have shape (n, *{self.shape}), got {rows.shape}"
            )
        return array

    def _convert(self, name: str, rows: Any) -> np.ndarray:
        if type(rows) is DeviceArray and rows.dtype.char in self.mixable:
            return rows  # type: ignore[return-value]
        kinds = "iu" if self.dtype is int else "iuf"
        if not isinstance(rows, np.ndarray) or rows.dtype.kind not in kinds:
            raise TypeError(
                f"the rows of state {name!r} must be an array of {self.dtype.__name__}, "
                f"got {arrays.describe(rows)}"
            )
        convert = arrays.as_integers if self.dtype is int else arrays.as_floats
        return convert(rows, f"the rows of state {name!r}")


class AdditiveState(NumericState):
    """A state whose folded value is a fixed number of int64 that add up over ranks.

    Attributes:
        dense_size: How many.
    """

    dense_size: int

    def to_dense(self, folded: Any) -> np.ndarray:
        """Return the folded value as that vector of int64."""
        raise NotImplementedError

    def from_dense(self, vector: np.ndarray) -> Any:
        """Return the folded value of a sum of such vectors."""
        raise NotImplementedError

    def to_array(self, folded: Any) -> np.ndarray:
        return self.to_dense(folded)

    def from_array(self, array: np.ndarray) -> Any:
        expect_array(array, np.int64, (self.dense_size,))
        return self.from_dense(array)


def expect_array(array: np.ndarray, dtype: type, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(
            f"expected an array of {np.dtype(dtype)} and shape {shape}, "
            f"got {arrays.describe(array)}"
        )
