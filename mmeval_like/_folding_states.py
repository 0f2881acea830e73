"""The states that fold: their memory does not grow with the number of samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like import arrays, packing
from mmeval_like._state_base import AdditiveState, NumericState, State, expect_array
from mmeval_like.accelerator import DeviceArray
from mmeval_like.exact import ExactSum
from mmeval_like.packing import Buffer
from mmeval_like.rows import Ragged, Rows

__all__ = ["Count", "Extremum", "FloatSum", "GrowingCount", "IntSum"]


class IntSum(AdditiveState):
    on_accelerator = True
    joins = False  # joining takes longer than a second sum

    # Folded values are never changed in place.

    def __init__(self, dtype: type, shape: tuple[int, ...]) -> None:
        super().__init__(dtype, shape)
        self.dense_size = math.prod(self.shape)

    def empty(self) -> np.ndarray:
        return np.zeros(self.shape, np.int64)

    def fold(self, folded: np.ndarray, rows: np.ndarray) -> np.ndarray:
        if rows.dtype == np.bool_ and folded.size == 1:  # many times faster than a sum
            return folded + np.count_nonzero(rows)
        total: np.ndarray = folded + rows.sum(axis=0, dtype=np.int64)
        return total

    def merge(self, folded: np.ndarray, other: np.ndarray) -> np.ndarray:
        merged: np.ndarray = folded + other
        return merged

    def value(self, folded: np.ndarray) -> Any:
        return folded.copy() if self.shape else int(folded)

    def copy(self, folded: np.ndarray) -> np.ndarray:
        return folded

    def pack(self, folded: np.ndarray) -> list[Buffer]:
        return [self.to_dense(folded).tobytes()]

    def unpack(self, data: memoryview, offset: int) -> tuple[np.ndarray, int]:
        vector = np.frombuffer(data, "<i8", self.dense_size, offset)
        return self.from_dense(vector.astype(np.int64)), offset + 8 * self.dense_size

    def to_dense(self, folded: np.ndarray) -> np.ndarray:
        return folded.reshape(-1)

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


def _check_codes(name: str, rows: Rows, bins: int) -> Rows:
    codes: Any = rows.values if isinstance(rows, Ragged) else rows
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
    # bincount casts most integers itself, in half the time. It refuses uint64, and the float64
    # that comes of joining uint64 with signed integers.
    if codes.dtype.char in "LQd":
        codes = codes.astype(np.intp)
    flat: np.ndarray = codes if codes.ndim == 1 else codes.reshape(-1)
    return flat


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
        expect_array(array, np.int64, (array.size,))
        return array.copy()


class FloatSum(AdditiveState):
    block = 128 * 1024  # an exact sum of 16,384 floats costs a tenth a row of one of 512

    def __init__(self, dtype: type, shape: tuple[int, ...]) -> None:
        super().__init__(dtype, shape)
        self.dense_size = ExactSum.dense_size(self.shape)

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

    def to_dense(self, folded: ExactSum) -> np.ndarray:
        return folded.to_dense()

    def from_dense(self, vector: np.ndarray) -> ExactSum:
        return ExactSum.from_dense(vector, self.shape)


class Extremum(NumericState):
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
        merged: np.ndarray = self.function(folded, other)
        return merged

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
        expect_array(array, dtype, (1 if len(array) else 0, *self.shape))
        return np.array(array[0]) if len(array) else None
