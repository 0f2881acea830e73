"""The states that fold: their memory does not grow with the number of samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exact.gram import Piece
from mmeval_like._states.kinds.abstract import NumericState, State, plain, the_array
from mmeval_like._states.rows import Ragged, Rows
from mmeval_like.arrays.accelerator import DeviceArray, fetch

__all__ = [
    "Count",
    "Extremum",
    "FloatSum",
    "GrowingCount",
    "Hits",
    "IntSum",
    "check_codes",
    "flat_codes",
]

_LOW = 0xFFFFFFFF
# A folded sum of integers: its low 32 bits, and the bits above them; never changed in place.
_Halves = tuple[Any, Any]


class _Sum(NumericState):
    """The base class of sums of integers and of floats."""

    additive = True

    def __init__(self, dtype: type, shape: tuple[int, ...]) -> None:
        super().__init__(dtype, shape)
        if type(self).fold in (IntSum.fold, FloatSum.fold):  # the rows themselves are summed
            self.width = math.prod(self.shape)

    def terms(self, rows: Any) -> np.ndarray:
        flat: np.ndarray = fetch(rows).reshape(len(rows), self.width)
        return flat.astype(np.float64)

    def possible(self, folded: Any, count: int) -> bool:
        return bool(count or not np.any(self.value(folded)))


class IntSum(_Sum):
    on_accelerator = True

    def empty(self) -> _Halves:
        return np.zeros(self.shape, np.int64), np.zeros(self.shape, np.int64)

    def fold(self, folded: _Halves, rows: np.ndarray) -> _Halves:
        low, high = folded
        # Sums of int64 can overflow, sums of their 32-bit halves cannot.
        if rows.dtype.itemsize == 8:
            return _carried(low + (rows & _LOW).sum(axis=0), high + (rows >> 32).sum(axis=0))
        if rows.dtype == np.bool_ and low.size == 1:  # counting is many times faster than a sum
            return _carried(low + np.count_nonzero(rows), high)
        return _carried(low + rows.sum(axis=0, dtype=np.int64), high)

    def merge(self, folded: _Halves, other: _Halves) -> _Halves:
        return _carried(folded[0] + other[0], folded[1] + other[1])

    def subtract(self, folded: _Halves, other: _Halves) -> _Halves:
        return _carried(folded[0] - other[0], folded[1] - other[1])

    def copy(self, folded: _Halves) -> _Halves:
        return folded

    def value(self, folded: _Halves) -> Any:
        low, high = folded
        if not self.shape:
            return (int(high) << 32) + int(low)
        if ((high >= 1 << 31) | (high < -1 << 31)).any():
            raise OverflowError(f"a sum of integers of shape {self.shape} lies beyond int64")
        value: np.ndarray = (high << 32) + low
        return value

    def to_arrays(self, folded: _Halves) -> dict[str, np.ndarray]:
        return {"low": np.asarray(folded[0]), "high": np.asarray(folded[1])}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> _Halves:
        low = the_array(found, "low", np.int64, self.shape)
        return _carried(low, the_array(found, "high", np.int64, self.shape))


class Hits(IntSum):
    """The number of hits among the samples; rows are True and False."""

    counts_hits = True

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__(int, shape)
        self.mixable = "?"

    def __repr__(self) -> str:
        return f"sum(bool, {self.shape})"

    def blank(self, count: int) -> Rows:
        return np.zeros((count, *self.shape), np.bool_)

    def _convert(self, name: str, rows: Any) -> np.ndarray:
        if type(rows) is DeviceArray and rows.dtype.char == "?":
            return rows  # type: ignore[return-value]
        if not isinstance(rows, np.ndarray) or rows.dtype.char != "?":
            raise TypeError(
                f"the rows of state {name!r} must be an array of bool, got {arrays.describe(rows)}"
            )
        return plain(name, rows)

    def possible(self, folded: _Halves, count: int) -> bool:
        hits = np.asarray(self.value(folded))
        return bool(((hits >= 0) & (hits <= count)).all())


def _carried(low: Any, high: Any) -> _Halves:
    return low & _LOW, high + (low >> 32)


class Count(State):
    additive = True
    on_accelerator = True

    def __init__(self, bins: int, codes: int = 1) -> None:
        self.bins, self.codes = bins, codes

    def __repr__(self) -> str:
        return f"count({self.bins})"

    def check(self, name: str, rows: Any) -> Rows:
        return check_codes(name, rows, self.bins)

    def blank(self, count: int) -> Rows:
        return np.zeros(count, np.int64)

    def empty(self) -> np.ndarray:
        return np.zeros(self.bins, np.int64)

    def fold(self, folded: np.ndarray, rows: Rows) -> np.ndarray:
        return self.merge(folded, np.bincount(flat_codes(rows), minlength=self.bins))

    def merge(self, folded: np.ndarray, other: np.ndarray) -> np.ndarray:
        merged: np.ndarray = folded + other
        return merged

    def subtract(self, folded: np.ndarray, other: np.ndarray) -> np.ndarray:
        return _not_negative(folded - other)

    def copy(self, folded: np.ndarray) -> np.ndarray:
        return folded  # never changed in place

    def value(self, folded: np.ndarray) -> np.ndarray:
        return folded.copy()

    def to_arrays(self, folded: np.ndarray) -> dict[str, np.ndarray]:
        return {"counts": folded}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> np.ndarray:
        return the_array(found, "counts", np.int64, (self.bins,))


def check_codes(name: str, rows: Rows, bins: int | None) -> Rows:
    """Return checked rows of codes; with `bins` None, of any integers that int64 holds."""
    codes: Any = rows.values if isinstance(rows, Ragged) else rows
    if type(codes) is DeviceArray and codes.dtype.kind != "f":
        return rows  # in range: the metric has checked the input that it computed them from
    if not isinstance(codes, np.ndarray) or codes.dtype.kind not in "?biu":
        raise TypeError(
            f"the rows of state {name!r} must be an array of integer codes, "
            f"got {arrays.describe(rows)}"
        )
    codes = plain(name, codes)
    if codes.ndim == 0 or (isinstance(rows, Ragged) and codes.ndim != 1):
        raise ValueError(f"the rows of state {name!r} need one axis of samples")
    if bins is not None or codes.dtype == np.uint64:
        arrays.check_range(f"the codes of state {name!r}", codes, 1 << 63 if bins is None else bins)
    return rows


def flat_codes(rows: Rows) -> np.ndarray:
    """Return all codes of rows as a 1-D array, in a dtype that `np.bincount` accepts."""
    codes: Any = rows.values if isinstance(rows, Ragged) else rows
    # `np.bincount` casts most integers itself, in half the time. It rejects uint64, and float64,
    # which is numpy's result of joining uint64 with signed integers.
    if codes.dtype.char in "LQd":
        codes = codes.astype(np.intp)
    flat: np.ndarray = codes if codes.ndim == 1 else codes.reshape(-1)
    return flat


def _not_negative(counts: np.ndarray) -> np.ndarray:
    if (counts < 0).any():
        raise ValueError("only rows that were added before can be subtracted")
    return counts


class GrowingCount(State):
    """A histogram over as many bins as the codes need."""

    def __init__(self, codes: int = 1) -> None:
        self.codes = codes

    def __repr__(self) -> str:
        return "count(None)"

    def empty(self) -> np.ndarray:
        return np.zeros(0, np.int64)

    def check(self, name: str, rows: Any) -> Rows:
        return check_codes(name, rows, np.iinfo(np.int32).max)

    def blank(self, count: int) -> Rows:
        return np.zeros(count, np.int64)

    def fold(self, folded: np.ndarray, rows: Rows) -> np.ndarray:
        return self.merge(folded, np.bincount(flat_codes(rows)))

    def merge(self, folded: np.ndarray, other: np.ndarray) -> np.ndarray:
        longer, shorter = (folded, other) if len(folded) > len(other) else (other, folded)
        merged = longer.copy()
        merged[: len(shorter)] += shorter
        return merged

    def subtract(self, folded: np.ndarray, other: np.ndarray) -> np.ndarray:
        left = _not_negative(self.merge(folded, -other))
        used = np.flatnonzero(left)
        return left[: used[-1] + 1] if len(used) else self.empty()

    def to_arrays(self, folded: np.ndarray) -> dict[str, np.ndarray]:
        return {"counts": folded}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> np.ndarray:
        return the_array(found, "counts", np.int64, (None,))


class FloatSum(_Sum):
    """An exact sum of floats: the class of `state.sum(float)`.

    A subclass may override `fold` to add values computed from the rows to an `ExactSum`.

    Example:
        >>> total = FloatSum(float, ())
        >>> total.value(total.fold(total.empty(), np.array([1e16, 1.0, -1e16])))
        1.0
    """

    block = 128 * 1024  # per row, an exact sum of 16,384 floats costs a tenth of one of 512

    def amounts(self, rows: Any) -> np.ndarray | None:
        """Return the sum of the numbers of each row."""
        return None if self.width is None else self.terms(rows).sum(axis=1)

    def empty(self) -> ExactSum:
        return ExactSum(self.shape)

    def fold(self, folded: ExactSum, rows: np.ndarray) -> ExactSum:
        folded.add(rows)
        return folded

    def fold_pieces(self, folded: ExactSum, pieces: Sequence[Rows]) -> ExactSum:
        if type(self).fold is FloatSum.fold:  # otherwise the rows themselves are not summed
            pieces = folded.add_ones(pieces)
        return super().fold_pieces(folded, pieces) if pieces else folded

    def pieces(self, rows: np.ndarray) -> Iterator[Piece]:
        """Yield places in the sum and floats (n,) or (k, n) for them, one or k for each row.

        They add up, without rounding, to what `fold` adds. A class that overrides `fold`
        overrides `pieces` too; if it does not, the rows of every slice are folded separately.
        """
        yield from enumerate(rows.reshape(len(rows), -1).T)

    def merge(self, folded: ExactSum, other: ExactSum) -> ExactSum:
        folded.merge(other)
        return folded

    def subtract(self, folded: ExactSum, other: ExactSum) -> ExactSum:
        return folded.minus(other)

    def copy(self, folded: ExactSum) -> ExactSum:
        return folded.copy()

    def value(self, folded: ExactSum) -> Any:
        return folded.value()

    def to_arrays(self, folded: ExactSum) -> dict[str, np.ndarray]:
        return {"limbs": folded.to_dense()}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> ExactSum:
        return ExactSum.from_dense(found["limbs"], self.shape)


class Extremum(NumericState):
    """The largest or the smallest row, with 0.0 for -0.0, since the two compare equal."""

    def __init__(self, function: np.ufunc, dtype: type, shape: tuple[int, ...]) -> None:
        super().__init__(dtype, shape)
        self.function = function
        self.wide = np.dtype(np.int64 if dtype is int else np.float64)

    def __repr__(self) -> str:
        return f"{self.function.__name__}({self.dtype.__name__}, {self.shape})"

    def empty(self) -> None:
        return None

    def fold(self, folded: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
        if len(rows) == 0:
            return folded
        extremum = self.function.reduce(rows.astype(self.wide, copy=False), axis=0)
        return self.merge(folded, extremum + 0)

    def merge(self, folded: np.ndarray | None, other: np.ndarray | None) -> np.ndarray | None:
        if folded is None or other is None:
            return other if folded is None else folded
        merged: np.ndarray = self.function(folded, other)
        return merged

    def value(self, folded: np.ndarray | None) -> Any:
        if folded is None:
            return None
        return folded.copy() if self.shape else folded.item()

    def to_arrays(self, folded: np.ndarray | None) -> dict[str, np.ndarray]:
        none = np.empty((0, *self.shape), self.wide)
        return {"extremum": none if folded is None else np.asarray(folded)[None]}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> np.ndarray | None:
        array = the_array(found, "extremum", self.wide, (None, *self.shape))
        if len(array) > 1:
            raise ValueError(f"{len(array)} extrema instead of one")
        return np.array(array[0]) if len(array) else None
