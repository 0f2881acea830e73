"""Exact sums of floats: the same bits for any order, batching and number of ranks."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ExactSum"]

# Limb k counts units of 2**(32 k - 1074); 2**-1074 is the smallest float, 2**1038 the top limb's
# unit: far above the largest float, so the top limb never overflows.
_LIMBS = 67
_UNITS = 1 << 1074
# Below the limbs: how many nan, +inf and -inf were added.
_CELLS = _LIMBS + 3
# No limb exceeds 2**31 + load * 2**32 in magnitude; two sums of this load still add in an int64.
_MAX_LOAD = 1 << 29

_BLOCK = 1 << 14  # numbers: small enough for the second-level cache
_BLOCK_ROWS = 64  # but at least so many rows, or there is nothing to distil
_FEW_ROWS, _FEW = 4, 512  # up to so many rows or numbers are scattered at once
_PASSES = 4  # beyond that, scattering what is left is cheaper
_HUGE = 2.0**1000  # times 4 n: still finite

_HEAD = struct.Struct("<4B")  # first limb, end limb, bytes per limb, whether the counts follow


class ExactSum:
    """The exact sum of floats, element-wise over an array shape.

    The state is a superaccumulator: a fixed-point number with one digit (limb) for every 32 bits
    that a float64 can reach, each in an int64, so that sums add limb by limb, associatively, and
    carries can wait. Rows come in by two exact roads. A few floats are cut into limbs by their
    bits. Many are distilled first: float64 additions that cannot round make few floats of them.

    Sources: R. M. Neal, "Fast exact summation using small and large superaccumulators"
    (arXiv:1505.05571) for the limbs; S. M. Rump, T. Ogita and S. Oishi, "Accurate floating-point
    summation part I" (SIAM J. Sci. Comput. 31, 2008) for the distillation. Subnormal numbers
    count unless the processor is told to flush them to zero (`torch.set_flush_denormal`).

    Args:
        shape: The shape of one row; 560 bytes are kept for each of its elements.

    Raises:
        TypeError: `shape` is not a tuple of integers.
        ValueError: `shape` has a negative entry.

    Example:
        >>> total = ExactSum()
        >>> total.add(np.array([1e100, 1.0, -1e100, 2.0**-1074]))
        >>> total.value(), total.fraction() - 1 == Fraction(1, 2**1074)
        (1.0, True)
    """

    __slots__ = ("_cells", "_load", "shape")

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        self.shape = _checked(shape)
        self._cells = np.zeros((_CELLS, math.prod(self.shape)), np.int64)
        self._load = 0

    def add(self, rows: npt.NDArray[Any]) -> None:
        """Add rows to the sum, in place: about 5 ns a number from 16,384 numbers on.

        Args:
            rows: `(n, *shape)`, n may be 0; bool, integers or floats, each of up to 64 bits.
                nan and infinities are counted, and decide the value.

        Raises:
            TypeError: The rows are of another dtype.
            ValueError: The rows are not of the shape `(n, *shape)`.
        """
        rows = np.asarray(rows)
        kind, itemsize = rows.dtype.kind, rows.dtype.itemsize
        if kind not in "biuf" or itemsize > 8:
            wanted = "bool, integers or floats of at most 64 bits"
            raise TypeError(f"rows must be {wanted}, got {rows.dtype}; convert them first")
        if rows.ndim == 0 or rows.shape[1:] != self.shape:
            wanted = ", ".join(["n", *map(str, self.shape)])
            raise ValueError(f"rows must have the shape ({wanted}), got {rows.shape}")
        width = self._cells.shape[1]
        table = rows.reshape(len(rows), width)
        height = max(_BLOCK_ROWS, _BLOCK // max(1, width))
        for start in range(0, len(table), height):
            block = table[start : start + height]
            if kind != "f" and itemsize == 8:  # does not fit a float64, but its halves do
                block = np.concatenate([(block >> 32) * 2.0**32, block & 0xFFFFFFFF])
            # The longer axis contiguous: numpy's inner loops run along it.
            work = block.astype(np.float64, order="F" if len(block) >= width else "C")
            few = len(work) <= _FEW_ROWS or work.size <= _FEW
            self._scatter(work if few else _distilled(work))

    def merge(self, other: ExactSum) -> None:
        """Add another sum to this one, in place; the other stays as it is.

        Raises:
            TypeError: `other` is not an ExactSum.
            ValueError: `other` has another shape.
        """
        if not isinstance(other, ExactSum):
            raise TypeError(f"other must be an ExactSum, got {type(other).__name__}")
        if other.shape != self.shape:
            raise ValueError(f"cannot merge a sum of shape {other.shape} into one of {self.shape}")
        self._cells += other._cells
        self._add_load(other._load + 1)

    def copy(self) -> ExactSum:
        """Return an independent copy."""
        twin = ExactSum(self.shape)
        twin._cells[:] = self._cells
        twin._load = self._load
        return twin

    def value(self) -> Any:
        """Return the sum, rounded once to the nearest float64 (ties to even).

        Returns:
            A float for shape `()`, else a float64 array of this shape. nan if a nan or both
            infinities were added, an infinity if one was added or the sum is beyond the largest
            float64; a sum of zero is +0.0.
        """
        values = np.array([_rounded(units) for units in self._units()], np.float64)
        counts = self._cells[_LIMBS:]
        if counts.any():
            nan, above, below = counts > 0
            values[above] = np.inf
            values[below] = -np.inf
            values[nan | (above & below)] = np.nan
        return values.reshape(self.shape) if self.shape else float(values[0])

    def fraction(self) -> Any:
        """Return the exact sum: a Fraction for shape `()`, else an object array of Fractions.

        Raises:
            ValueError: A nan was added.
            OverflowError: An infinity was added.
        """
        nan, above, below = self._cells[_LIMBS:].sum(axis=1).tolist()
        if nan or above or below:
            error = ValueError if nan else OverflowError
            raise error(f"the sum is no fraction: {nan} nan, {above} inf, {below} -inf were added")
        fractions = np.empty(self._cells.shape[1], object)
        fractions[:] = [Fraction(units, _UNITS) for units in self._units()]
        return fractions.reshape(self.shape) if self.shape else fractions[0]

    @staticmethod
    def dense_size(shape: tuple[int, ...]) -> int:
        """Return the length of `to_dense()` for a shape: 70 for each element."""
        return _CELLS * math.prod(_checked(shape))

    def to_dense(self) -> npt.NDArray[np.int64]:
        """Return the whole state as one int64 vector; up to 2**30 of these add without overflow.

        Example:
            >>> ranks = [ExactSum(), ExactSum()]
            >>> ranks[0].add(np.array([0.1, 0.2]))
            >>> ranks[1].add(np.array([0.3]))
            >>> ExactSum.from_dense(ranks[0].to_dense() + ranks[1].to_dense(), ()).value()
            0.6
        """
        self._normalise()
        return self._cells.flatten()

    @classmethod
    def from_dense(cls, vector: npt.NDArray[np.int64], shape: tuple[int, ...]) -> ExactSum:
        """Return the sum whose state is `vector`: one dense vector, or the int64 sum of many.

        Raises:
            TypeError: `vector` is not int64.
            ValueError: `vector` does not have `dense_size(shape)` numbers.
        """
        total = cls(shape)
        vector = np.asarray(vector)
        if vector.dtype != np.int64:
            raise TypeError(f"vector must be int64, got {vector.dtype}")
        if vector.shape != (total._cells.size,):
            wanted = f"({total._cells.size},) for sums of shape {total.shape}"
            raise ValueError(f"vector must have the shape {wanted}, got {vector.shape}")
        total._cells[:] = vector.reshape(total._cells.shape)
        total._load = _MAX_LOAD
        total._normalise()
        return total

    def pack(self) -> bytes:
        """Return the state as bytes without its zero limbs: about 20 bytes for a scalar."""
        self._normalise()
        limbs, counts = self._cells[:_LIMBS], self._cells[_LIMBS:]
        first, stop = _window(limbs)
        window = limbs[first:stop]
        digits = window.astype("<i4")
        if not np.array_equal(digits, window):  # the top limb, far beyond the largest float
            digits = window.astype("<i8")
        has_counts = bool(counts.any())
        head = _HEAD.pack(first, stop, digits.itemsize, has_counts)
        return head + digits.tobytes() + (counts.astype("<i8").tobytes() if has_counts else b"")

    @classmethod
    def unpack(
        cls, data: bytes | memoryview, offset: int, shape: tuple[int, ...]
    ) -> tuple[ExactSum, int]:
        """Return the sum that `pack` wrote at `offset`, and the offset behind it.

        Raises:
            ValueError: The bytes end too early, or `pack` does not write such bytes.

        Example:
            >>> total = ExactSum()
            >>> total.add(np.array([0.1, 0.2]))
            >>> ExactSum.unpack(total.pack(), 0, ()) == (total, len(total.pack()))
            True
        """
        total = cls(shape)
        view = memoryview(data).cast("B")
        head = _take(view, offset, _HEAD.size)
        first, stop, itemsize, has_counts = _HEAD.unpack(head)
        if not (first <= stop <= _LIMBS and itemsize in (4, 8) and has_counts <= 1):
            raise ValueError(f"no exact sum starts at offset {offset}, but {bytes(head)!r}")
        offset += _HEAD.size
        parts = [(total._cells[first:stop], f"<i{itemsize}")]
        if has_counts:
            parts.append((total._cells[_LIMBS:], "<i8"))
        for cells, dtype in parts:
            piece = _take(view, offset, cells.size * int(dtype[-1]))
            cells[:] = np.frombuffer(piece, dtype).reshape(cells.shape)
            offset += len(piece)
        total._load = 1 if itemsize == 4 else _MAX_LOAD
        total._add_load(itemsize)
        return total, offset

    def __eq__(self, other: object) -> bool:
        """Whether both are the same exact number, with as many nan, inf and -inf."""
        if not isinstance(other, ExactSum):
            return NotImplemented
        self._normalise()
        other._normalise()
        return self.shape == other.shape and np.array_equal(self._cells, other._cells)

    def __repr__(self) -> str:
        return f"ExactSum(shape={self.shape}, value={self.value()})"

    def _scatter(self, values: npt.NDArray[np.float64]) -> None:
        """Cut floats `(n, width)` into limbs by their bits, and add these."""
        bits = values.view(np.int64)
        chosen = np.nonzero(bits)  # what was distilled is mostly zero
        bits, column = bits[chosen], chosen[1]
        exponent = bits >> 52 & 0x7FF
        special = exponent == 0x7FF
        if special.any():
            kind = np.where(bits & 0xFFFFFFFFFFFFF, 0, 1 - (bits >> 63))  # nan, +inf, -inf
            np.add.at(self._cells, (_LIMBS + kind[special], column[special]), 1)
            bits, column, exponent = bits[~special], column[~special], exponent[~special]
        normal = np.minimum(exponent, 1)
        mantissa = (bits & 0xFFFFFFFFFFFFF | normal << 52) * (1 | bits >> 63)
        position = exponent - normal  # of the mantissa's last bit, in units of 2**-1074
        limb, shift = position >> 5, position & 31
        # 53 bits, moved by up to 31, lie in three limbs. The shifts floor: the highest is signed.
        low = mantissa << shift & 0xFFFFFFFF
        middle = mantissa >> (32 - shift) & 0xFFFFFFFF
        high = mantissa >> 32 >> (32 - shift)
        width = self._cells.shape[1]
        index = limb * width + column
        index = np.concatenate([index, index + width, index + 2 * width])
        np.add.at(self._cells.reshape(-1), index, np.concatenate([low, middle, high]))
        self._add_load(len(values))

    def _add_load(self, load: int) -> None:
        self._load += load
        if self._load > _MAX_LOAD:
            self._normalise()

    def _normalise(self) -> None:
        """Carry until every limb but the top one is in [-2**31, 2**31): then it is unique."""
        limbs = self._cells[:_LIMBS]
        while self._load:
            carry = (limbs[:-1] >> 32) + (limbs[:-1] >> 31 & 1)  # to nearest; cannot overflow
            limbs[:-1] -= carry << 32
            limbs[1:] += carry
            self._load = int(carry.any())

    def _units(self) -> list[int]:
        """The finite part of the sum, per element, as an integer number of 2**-1074."""
        limbs = self._cells[:_LIMBS]
        first, stop = _window(limbs)
        units = [0] * limbs.shape[1]
        for column, digits in enumerate(limbs[first:stop].T.tolist()):
            number = 0
            for digit in reversed(digits):
                number = (number << 32) + digit
            units[column] = number << 32 * first
        return units


def _distilled(work: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Floats `(m, width)` with the same exact sums as `work`, which is overwritten.

    With sigma = 4 n max|x|, taken = fl(fl(x + sigma) - sigma) is a multiple of ulp(sigma) / 2 and
    x - taken is exact; the sum of n such multiples stays below 2**53 of them, so that float64
    additions give it in any order without rounding. Each pass takes some 36 bits.
    """
    sums: list[npt.NDArray[np.float64]] = []
    taken = np.empty_like(work)
    for _ in range(_PASSES):
        top = np.abs(work, out=taken).max(axis=0)
        if not top.any():
            work = work[:0]
        if not (top < _HUGE).all() or not len(work):
            break
        ...
    return np.concatenate([*(row[np.newaxis] for row in sums), work])


def _rounded(units: int) -> float:
    try:
        return units / _UNITS  # integers divide with one rounding, half to even
    except OverflowError:
        return math.copysign(math.inf, units)
