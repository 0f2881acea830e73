"""The kinds of state: how rows fold into a value, and how the values of ranks merge.

`sum`, `count`, `max` and `min` fold: their memory does not grow with the number of samples.
`cat` and `objects` keep every row, in order.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from mmeval_like import arrays, packing
from mmeval_like.accelerator import DeviceArray
from mmeval_like.exact import ExactSum
from mmeval_like.packing import Buffer
from mmeval_like.rows import Ragged, Rows, concatenate, pack_rows, unpack_rows

__all__ = ["State", "cat", "count", "max", "min", "objects", "sum"]


class State:
    """One declared state of a metric.

    Attributes:
        ordered: Every row is kept, in order, instead of being folded.
        on_accelerator: Rows fold where they are; else they are fetched in large blocks first.
    """

    ordered = False
    on_accelerator = False

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


class _NumericState(State):
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
        if rows.ndim != self.ndim or rows.shape[1:] != self.shape:
            raise ValueError(
                f"the rows of state {name!r} must have shape (n, *{self.shape}), got {rows.shape}"
            )
        return rows

    def _convert(self, name: str, rows: Any) -> np.ndarray:
        if type(rows) is DeviceArray and rows.dtype.char in self.mixable:
            return rows
        kinds = "iu" if self.dtype is int else "iuf"
        if not isinstance(rows, np.ndarray) or rows.dtype.kind not in kinds:
            raise TypeError(
                f"the rows of state {name!r} must be an array of {self.dtype.__name__}, "
                f"got {arrays.describe(rows)}"
            )
        convert = arrays.as_integers if self.dtype is int else arrays.as_floats
        return convert(rows, f"the rows of state {name!r}")


class AdditiveState(_NumericState):
    """A state whose folded value is a fixed number of int64 that add up over ranks."""

    def dense_size(self) -> int:
        """Return how many."""
        raise NotImplementedError

    def to_dense(self, folded: Any) -> np.ndarray:
        """Return the folded value as that vector of int64."""
        raise NotImplementedError

    def from_dense(self, vector: np.ndarray) -> Any:
        """Return the folded value of a sum of such vectors."""
        raise NotImplementedError

    def to_array(self, folded: Any) -> np.ndarray:
        return self.to_dense(folded)

    def from_array(self, array: np.ndarray) -> Any:
        _expect_array(array, np.int64, (self.dense_size(),))
        return self.from_dense(array)


class IntSum(AdditiveState):
    on_accelerator = True

    # Folded values are never changed in place.

    def __init__(self, dtype: type, shape: tuple[int, ...]) -> None:
        super().__init__(dtype, shape)
        self.size = math.prod(self.shape)

    def empty(self) -> np.ndarray:
        return np.zeros(self.shape, np.int64)

    def fold(self, folded: np.ndarray, rows: np.ndarray) -> np.ndarray:
        if rows.dtype == np.bool_ and folded.size == 1:  # many times faster than a sum
            return folded + np.count_nonzero(rows)
        return folded + rows.sum(axis=0, dtype=np.int64)

    def merge(self, folded: np.ndarray, other: np.ndarray) -> np.ndarray:
        return folded + other

    def value(self, folded: np.ndarray) -> Any:
        return folded.copy() if self.shape else int(folded)

    def copy(self, folded: np.ndarray) -> np.ndarray:
        return folded

    def pack(self, folded: np.ndarray) -> list[Buffer]:
        return [self.to_dense(folded).tobytes()]

    def unpack(self, data: memoryview, offset: int) -> tuple[np.ndarray, int]:
        vector = np.frombuffer(data, "<i8", self.size, offset)
        return self.from_dense(vector.astype(np.int64)), offset + 8 * self.size

    def dense_size(self) -> int:
        return self.size

    def to_dense(self, folded: np.ndarray) -> np.ndarray:
        return np.asarray(folded).reshape(-1)

    def from_dense(self, vector: np.ndarray) -> np.ndarray:
        return vector.reshape(self.shape)


class Count(IntSum):
    def __init__(self, bins: int) -> None:
        super().__init__(int, (bins,))
        self.bins = bins

    def __repr__(self) -> str:
        return f"count({self.bins})"

    def check(self, name: str, rows: Any) -> Rows:
        return _check_codes(name, rows, self.bins)

    def fold(self, folded: np.ndarray, rows: Rows) -> np.ndarray:
        return folded + np.bincount(_codes(rows), minlength=self.bins)


def _check_codes(name: str, rows: Any, bins: int) -> Rows:
    codes = rows.values if isinstance(rows, Ragged) else rows
    if type(codes) is DeviceArray and codes.dtype.kind != "f":
        return rows  # in range: the metric has checked what it made them of
    if not isinstance(codes, np.ndarray) or codes.dtype.kind not in "?biu":
        raise TypeError(
            f"the rows of state {name!r} must be an array of integer codes, "
            f"got {arrays.describe(rows)}"
        )
    if codes.ndim == 0 or (isinstance(rows, Ragged) and codes.ndim != 1):
        raise ValueError(f"the rows of state {name!r} need one axis of samples")
    arrays.check_range(f"the codes of state {name!r}", codes, bins)
    return rows


def _codes(rows: Rows) -> np.ndarray:
    codes: Any = rows.values if isinstance(rows, Ragged) else rows
    return codes.reshape(-1).astype(np.intp, copy=False)


class GrowingCount(State):
    """A histogram over as many bins as the codes need."""

    def __repr__(self) -> str:
        return "count(None)"

    def empty(self) -> np.ndarray:
        return np.zeros(0, np.int64)

    def check(self, name: str, rows: Any) -> Rows:
        return _check_codes(name, rows, np.iinfo(np.int32).max)

    def fold(self, folded: np.ndarray, rows: Rows) -> np.ndarray:
        return self.merge(folded, np.bincount(_codes(rows)))

    def merge(self, folded: np.ndarray, other: np.ndarray) -> np.ndarray:
        longer, shorter = (folded, other) if len(folded) > len(other) else (other, folded)
        merged = longer.copy()
        merged[: len(shorter)] += shorter
        return merged

    def to_array(self, folded: np.ndarray) -> np.ndarray:
        return folded

    def from_array(self, array: np.ndarray) -> np.ndarray:
        _expect_array(array, np.int64, (array.size,))
        return array.copy()


class FloatSum(AdditiveState):
    def empty(self) -> ExactSum:
        return ExactSum(self.shape)

    def fold(self, folded: ExactSum, rows: np.ndarray) -> ExactSum:
        folded.add(rows)
        return folded

    def merge(self, folded: ExactSum, other: ExactSum) -> ExactSum:
        folded.merge(other)
        return folded

    def copy(self, folded: ExactSum) -> ExactSum:
        return folded.copy()

    def value(self, folded: ExactSum) -> Any:
        return folded.value()

    def pack(self, folded: ExactSum) -> list[Buffer]:
        return [folded.pack()]

    def unpack(self, data: memoryview, offset: int) -> tuple[ExactSum, int]:
        return ExactSum.unpack(data, offset, self.shape)

    def dense_size(self) -> int:
        return ExactSum.dense_size(self.shape)

    def to_dense(self, folded: ExactSum) -> np.ndarray:
        return folded.to_dense()

    def from_dense(self, vector: np.ndarray) -> ExactSum:
        return ExactSum.from_dense(vector, self.shape)


class Extremum(_NumericState):
    def __init__(self, function: np.ufunc, dtype: type, shape: tuple[int, ...]) -> None:
        super().__init__(dtype, shape)
        self.function = function

    def __repr__(self) -> str:
        return f"{self.function.__name__}({self.dtype.__name__}, {self.shape})"

    def empty(self) -> None:
        return None

    def fold(self, folded: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
        if len(rows) == 0:
            return folded
        wide = rows.astype(np.int64 if self.dtype is int else np.float64)
        return self.merge(folded, self.function.reduce(wide, axis=0))

    def merge(self, folded: np.ndarray | None, other: np.ndarray | None) -> np.ndarray | None:
        if folded is None or other is None:
            return other if folded is None else folded
        return self.function(folded, other)

    def value(self, folded: np.ndarray | None) -> Any:
        if folded is None:
            return None
        return folded.copy() if self.shape else folded.item()

    def pack(self, folded: np.ndarray | None) -> list[Buffer]:
        present = folded is not None
        return [bytes([present]), *(packing.pack_array(np.asarray(folded)) if present else [])]

    def unpack(self, data: memoryview, offset: int) -> tuple[np.ndarray | None, int]:
        if not data[offset]:
            return None, offset + 1
        return packing.unpack_array(data, offset + 1)

    def to_array(self, folded: np.ndarray | None) -> np.ndarray:
        dtype = np.int64 if self.dtype is int else np.float64
        return np.empty((0, *self.shape), dtype) if folded is None else np.asarray(folded)[None]

    def from_array(self, array: np.ndarray) -> np.ndarray | None:
        dtype = np.int64 if self.dtype is int else np.float64
        _expect_array(array, dtype, (1 if len(array) else 0, *self.shape))
        return np.array(array[0]) if len(array) else None


def _expect_array(array: np.ndarray, dtype: type, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(
            f"expected an array of {np.dtype(dtype)} and shape {shape}, "
            f"got {arrays.describe(array)}"
        )


class Cat(State):
    ordered = True

    def __init__(self, dtype: Any, shape: tuple[int, ...]) -> None:
        self.dtype, self.shape = np.dtype(dtype), tuple(shape)

    def __repr__(self) -> str:
        return f"cat({self.dtype}, {self.shape})"

    def empty(self) -> np.ndarray:
        return np.empty((0, *self.shape), self.dtype)

    def check(self, name: str, rows: Any) -> Rows:
        values = rows.values if isinstance(rows, Ragged) else rows
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "?biufc":
            raise TypeError(
                f"the rows of state {name!r} must be an array, got {arrays.describe(rows)}"
            )
        if values.shape[1:] != self.shape or values.ndim == 0:
            raise ValueError(
                f"the rows of state {name!r} must have shape (n, *{self.shape}), got {values.shape}"
            )
        values = values.astype(self.dtype, copy=False)
        return Ragged(values, rows.lengths) if isinstance(rows, Ragged) else values


class Objects(State):
    ordered = True

    def __repr__(self) -> str:
        return "objects()"

    def empty(self) -> list[Any]:
        return []

    def check(self, name: str, rows: Any) -> Rows:
        if not isinstance(rows, list | tuple):
            raise TypeError(f"the rows of state {name!r} must be a list, got {type(rows).__name__}")
        return list(rows)


def sum(dtype: type = float, shape: tuple[int, ...] = ()) -> State:
    """A sum over samples: of int, in int64; of float, exactly.

    Rows are arrays of shape (n, *shape); any width of integer or float is accepted.
    `compute_metric` sees an int or an int64 array, a float or a float64 array (the correctly
    rounded true sum); `results.exact(name)` is the unrounded sum of a float state.

    Example:
        >>> import numpy as np
        >>> state = sum()
        >>> state.value(state.fold(state.empty(), np.array([1e16, 1.0, -1e16])))
        1.0
    """
    return IntSum(dtype, shape) if dtype is int else FloatSum(dtype, shape)


def count(bins: int | None) -> State:
    """A histogram of integer codes in [0, bins); of any codes when `bins` is None.

    Rows are an array of codes (n,), several codes per sample (n, ...), or a `Ragged` of codes.
    `compute_metric` sees an int64 array of shape (bins,), or up to the largest code.

    Example:
        >>> import numpy as np
        >>> state = count(3)
        >>> state.value(state.fold(state.empty(), np.array([0, 2, 2]))).tolist()
        [1, 0, 2]
    """
    return GrowingCount() if bins is None else Count(bins)


def max(dtype: type = float, shape: tuple[int, ...] = ()) -> State:
    """The largest row, element by element; None when there are no rows. nan wins."""
    return Extremum(np.maximum, dtype, shape)


def min(dtype: type = float, shape: tuple[int, ...] = ()) -> State:
    """The smallest row, element by element; None when there are no rows. nan wins."""
    return Extremum(np.minimum, dtype, shape)


def cat(dtype: Any = np.float64, shape: tuple[int, ...] = ()) -> State:
    """All rows in global order, as an array (n, *shape) or a `Ragged` of that dtype."""
    return Cat(dtype, shape)


def objects() -> State:
    """All rows in global order, as a list of picklable objects."""
    return Objects()


def join(state: State, parts: list[Rows]) -> Rows:
    """Return the rows of an ordered state in one piece, also when there are none."""
    filled = [part for part in parts if len(part)]
    return concatenate(filled) if filled else state.empty()
