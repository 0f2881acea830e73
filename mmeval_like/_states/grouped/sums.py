"""Tables of sums and of extrema: an array with a row for each key."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exact.gram import one_by_one
from mmeval_like._states.grouped.key_table import Table, add_up, roomy
from mmeval_like._states.kinds.abstract import the_array

__all__ = ["ExactTable", "ExtremumTable", "IntTable"]

_LOW = 0xFFFFFFFF
_MOST_ROWS = 1 << 30  # sums of this many low halves are far below the maximum of int64


class IntTable(Table):
    """Sums of integers, as their low 32 bits and the bits above these."""

    def __init__(self, inner: Any, keys: int = 0) -> None:
        super().__init__(inner, keys)
        self._width = math.prod(inner.shape)
        self._low = np.zeros((keys, self._width), np.int64)
        self._high = np.zeros((keys, self._width), np.int64)
        self._rows = 0  # added since the low halves were last carried

    def fold(self, codes: np.ndarray, rows: Any, keys: int) -> None:
        self.keys = keys
        self._low, self._high = roomy(self._low, keys), roomy(self._high, keys)
        index, values = _flat(codes, self._width), rows.reshape(-1)
        low, high = self._low.reshape(-1), self._high.reshape(-1)
        if values.dtype == np.bool_ and keys * self._width <= 4 * len(values):
            counts = np.bincount(index[values], minlength=keys * self._width)
            low[: len(counts)] += counts
        elif values.dtype.itemsize < 8:
            np.add.at(low, index, values.astype(np.int64))
        else:
            np.add.at(low, index, (values & _LOW).astype(np.int64))
            np.add.at(high, index, (values >> 32).astype(np.int64))
        self._carry(len(codes))

    def regrouped(self, chosen: np.ndarray, places: np.ndarray, keys: int) -> IntTable:
        low, high = self._halves()
        found = IntTable(self.inner, keys)
        found._low = add_up(low[chosen], places, keys)
        found._high = add_up(high[chosen], places, keys)
        found._carry(_MOST_ROWS)
        return found

    def plus(self, other: IntTable) -> IntTable:
        return self._combined(other, np.add)

    def minus(self, other: IntTable) -> IntTable:
        return self._combined(other, np.subtract)

    def _combined(self, other: IntTable, ufunc: np.ufunc) -> IntTable:
        pairs = zip(self._halves(), other._halves(), strict=True)
        found = IntTable(self.inner, self.keys)
        found._low, found._high = (ufunc(mine, others) for mine, others in pairs)
        found._carry(_MOST_ROWS)
        return found

    def one(self, key: int) -> Any:
        low, high = (half[key].reshape(self.inner.shape).copy() for half in self._halves())
        return low, high

    def copy(self) -> IntTable:
        found = IntTable(self.inner)
        found.keys, found._rows = self.keys, self._rows
        found._low, found._high = self._low.copy(), self._high.copy()
        return found

    def contents(self) -> list[bytes]:
        return [row.tobytes() for row in np.concatenate(self._halves(), axis=1)]

    def to_arrays(self) -> dict[str, np.ndarray]:
        low, high = self._halves()
        return {"low": low, "high": high}

    def set_arrays(self, found: Mapping[str, np.ndarray]) -> None:
        shape = (self.keys, self._width)
        self._low = the_array(found, "low", np.int64, shape).copy()
        self._high = the_array(found, "high", np.int64, shape).copy()
        self._carry(_MOST_ROWS)

    def set_each(self, found: Mapping[str, np.ndarray]) -> None:
        shape = (self.keys, self._width)
        self.set_arrays({name: array.reshape(shape) for name, array in found.items()})

    def numbers(self) -> list[int]:
        """Return the sum of each key, for rows of a single number."""
        low, high = (half[:, 0].tolist() for half in self._halves())
        return [(h << 32) + n for n, h in zip(low, high, strict=True)]

    def _halves(self) -> tuple[np.ndarray, np.ndarray]:
        self._carry(_MOST_ROWS if self._rows else 0)
        return self._low[: self.keys], self._high[: self.keys]

    def _carry(self, rows: int) -> None:
        """Carry once the low halves are close to overflow."""
        self._rows += rows
        if self._rows >= _MOST_ROWS:
            self._high += self._low >> 32
            self._low &= _LOW
            self._rows = 0


class ExactTable(Table):
    """Exact sums of floats, for any state whose `pieces` match its `fold`."""

    def __init__(self, inner: Any, keys: int = 0) -> None:
        super().__init__(inner, keys)
        self._width = math.prod(inner.shape)
        self._sums = ExactSum((keys * self._width,))

    def fold(self, codes: np.ndarray, rows: Any, keys: int) -> None:
        self._grow(keys)
        starts = codes if self._width == 1 else codes * self._width
        pieces = chain.from_iterable(map(one_by_one, self.inner.pieces(rows)))
        for place, values in pieces:
            self._sums.add_at(starts if self._width == 1 else starts + place, values)

    def _grow(self, keys: int) -> None:
        [size] = self._sums.shape
        if keys * self._width > size:
            every = np.arange(size)
            room = max(keys * self._width, 2 * size)
            self._sums = self._sums.regrouped(every, every, (room,))
        self.keys = keys

    def regrouped(self, chosen: np.ndarray, places: np.ndarray, keys: int) -> ExactTable:
        found = type(self)(self.inner, 0)
        found.keys = keys
        found._sums = self._sums.regrouped(
            _flat(chosen, self._width), _flat(places, self._width), (keys * self._width,)
        )
        return found

    def plus(self, other: ExactTable) -> ExactTable:
        found = type(self)(self.inner)
        found.keys, found._sums = self.keys, self._exactly()
        found._sums.merge(other._exactly())
        return found

    def minus(self, other: ExactTable) -> ExactTable:
        found = type(self)(self.inner)
        found.keys, found._sums = self.keys, self._exactly().minus(other._exactly())
        return found

    def copy(self) -> ExactTable:
        found = type(self)(self.inner)
        found.keys, found._sums = self.keys, self._sums.copy()
        return found

    def _exactly(self) -> ExactSum:
        """Return the sums without spare capacity."""
        every = np.arange(self.keys * self._width)
        return self._sums.regrouped(every, every, (len(every),))

    def one(self, key: int) -> Any:
        here = np.arange(self._width)
        return self._sums.regrouped(key * self._width + here, here, self.inner.shape)

    def contents(self) -> list[bytes]:
        dense = self._dense().reshape(-1, self.keys, self._width)
        return [row.tobytes() for row in dense.transpose(1, 0, 2)]

    def to_arrays(self) -> dict[str, np.ndarray]:
        dense = self._dense()
        filled = np.flatnonzero(dense.any(axis=1))
        first, stop = (int(filled[0]), int(filled[-1]) + 1) if len(filled) else (0, 0)
        return {"limbs": dense[first:stop], "first": np.array([first, len(dense)])}

    def set_arrays(self, found: Mapping[str, np.ndarray]) -> None:
        size = self.keys * self._width
        limbs = the_array(found, "limbs", np.int64, (None, size))
        first, number = the_array(found, "first", np.int64, (2,)).tolist()
        if number != len(self._dense()) or not 0 <= first <= first + len(limbs) <= number:
            raise ValueError("the limbs of sums do not fit")
        dense = np.zeros((number, size), np.int64)
        dense[first : first + len(limbs)] = limbs
        self._sums = ExactSum.from_dense(dense.reshape(-1), (size,))

    def set_each(self, found: Mapping[str, np.ndarray]) -> None:
        size = self.keys * self._width
        dense = found["limbs"].reshape(self.keys, -1, self._width).transpose(1, 0, 2)
        self._sums = ExactSum.from_dense(dense.reshape(-1), (size,))

    def _dense(self) -> np.ndarray:
        """Return the limbs: one row for each limb, one column for each number of each key."""
        size = self.keys * self._width
        return self._exactly().to_dense().reshape(ExactSum.dense_size(()), size)


class ExtremumTable(Table):
    """The largest or the smallest row of each key."""

    def __init__(self, inner: Any, keys: int = 0) -> None:
        super().__init__(inner, keys)
        least = -np.inf if inner.dtype is float else np.iinfo(np.int64).min
        most = np.inf if inner.dtype is float else np.iinfo(np.int64).max
        self._worst = least if inner.function is np.maximum else most
        self._values = np.full((keys, *inner.shape), self._worst, inner.wide)
        self._seen = np.zeros(keys, bool)

    def fold(self, codes: np.ndarray, rows: Any, keys: int) -> None:
        self.keys = keys
        self._values = roomy(self._values, keys, self._worst)
        self._seen = roomy(self._seen, keys)
        self.inner.function.at(self._values, codes, rows.astype(self.inner.wide) + 0)  # no -0.0
        self._seen[codes] = True

    def regrouped(self, chosen: np.ndarray, places: np.ndarray, keys: int) -> ExtremumTable:
        found = ExtremumTable(self.inner, keys)
        function = self.inner.function
        found._values = add_up(self._values[chosen], places, keys, function, self._worst)
        found._seen = add_up(self._seen[chosen], places, keys, np.logical_or, False)
        return found

    def plus(self, other: ExtremumTable) -> ExtremumTable:
        found = ExtremumTable(self.inner, self.keys)
        here = slice(0, self.keys)
        found._values = self.inner.function(self._values[here], other._values[here])
        found._seen = self._seen[here] | other._seen[here]
        return found

    def minus(self, other: ExtremumTable) -> ExtremumTable:
        found: ExtremumTable = self.inner.subtract(self, other)  # raises TypeError
        return found

    def one(self, key: int) -> Any:
        return np.array(self._values[key]) if self._seen[key] else None

    def copy(self) -> ExtremumTable:
        found = ExtremumTable(self.inner)
        found.keys = self.keys
        found._values, found._seen = self._values.copy(), self._seen.copy()
        return found

    def contents(self) -> list[bytes]:
        pairs = zip(self._seen[: self.keys], self._values, strict=False)
        return [seen.tobytes() + values.tobytes() for seen, values in pairs]

    def to_arrays(self) -> dict[str, np.ndarray]:
        return {"extremum": self._values[: self.keys], "seen": self._seen[: self.keys]}

    def set_arrays(self, found: Mapping[str, np.ndarray]) -> None:
        shape = (self.keys, *self.inner.shape)
        self._values = the_array(found, "extremum", self.inner.wide, shape).copy()
        self._seen = the_array(found, "seen", np.bool_, (self.keys,)).copy()

    def set_each(self, found: Mapping[str, np.ndarray]) -> None:
        extrema = found["extremum"]  # one entry for each key, or none
        if extrema.shape[1]:
            seen = np.ones(self.keys, bool)
            self.set_arrays({"extremum": extrema[:, 0], "seen": seen})


def _flat(codes: np.ndarray, width: int) -> np.ndarray:
    """Return the flat places of all numbers in the rows of these keys."""
    if width == 1:
        return codes
    index: np.ndarray = (codes[:, None] * width + np.arange(width)).reshape(-1)
    return index
