"""Exact sums of floats: the same bits for any order, batching and number of ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from mmeval_like._exact import limbs
from mmeval_like._exact.distillation import Distilled, distil, distil_at
from mmeval_like._exact.gram import Piece, gram, one_by_one
from mmeval_like._exact.limbs import CELLS, LIMBS, ONE, UNITS
from mmeval_like._exact.ones import are_ones, without_ones

__all__ = ["ExactSum"]

# No limb exceeds 2**31 + load * 2**32 in magnitude; two sums of this load still add in an int64.
_MAX_LOAD = 1 << 29

# The number of elements of a block for which memory is kept; and the least rows of a block.
_BLOCK, _BLOCK_ROWS = 1 << 17, 64
_LONG = 1024  # columns of this many rows are summed one by one
_FEW = 512  # up to this many numbers, adding them one by one is cheaper than summing by place


class ExactSum:
    """The exact sum of floats, element-wise over an array shape.

    The state is a superaccumulator: a fixed-point number with one digit (limb) for every 32 bits
    that a float64 can reach, each in an int64, so sums are added limb by limb, associatively, and
    carries are deferred. Rows are added in one of two exact ways. Usually they are cut into a few
    slices of integers, which are summed first; numbers of a very large magnitude or range are cut
    into limbs one by one. Subnormal numbers count unless the processor flushes them to zero
    (`torch.set_flush_denormal`).

    Sources: see the modules `limbs` and `distillation`.

    Args:
        shape: The shape of one row; 560 bytes are kept for each of its elements.

    Raises:
        ValueError: `shape` is not a tuple of integers >= 0.

    Example:
        >>> total = ExactSum()
        >>> total.add(np.array([1e100, 1.0, -1e100, 2.0**-1074]))
        >>> total.value(), total.fraction() - 1 == Fraction(1, 2**1074)
        (1.0, True)
    """

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        self.shape = _checked(shape)
        self._cells = np.zeros((CELLS, math.prod(self.shape)), np.int64)
        self._load = 0

    def add(self, rows: npt.NDArray[Any]) -> None:
        """Add rows to the sum, in place: 1 to 2 ns per number from 16,384 numbers on.

        Args:
            rows: `(n, *shape)`, n may be 0; bool, integers or floats, each of up to 64 bits.
                nan and infinities are counted, and decide the value.

        Raises:
            TypeError, ValueError: The rows have the wrong dtype or shape.
        """
        rows = np.asarray(rows)
        if rows.dtype.kind not in "biuf" or rows.dtype.itemsize > 8:
            raise TypeError(f"rows must be bool, int or float of <= 64 bits, got {rows.dtype}")
        if rows.ndim == 0 or rows.shape[1:] != self.shape:
            raise ValueError(f"rows must have the shape (n, *{self.shape}), got {rows.shape}")
        width = self._cells.shape[1]
        table = rows.reshape(len(rows), width)
        height = max(_BLOCK_ROWS, _BLOCK // max(1, width))
        for start in range(0, len(table) if width else 0, height):
            block = table[start : start + height]
            # float64 cannot represent such integers, but it can represent their 32-bit halves.
            if rows.dtype.kind in "iu" and rows.dtype.itemsize == 8:
                block = np.concatenate([(block >> 32) * 2.0**32, block & 0xFFFFFFFF])
            # The longer axis is made contiguous, because numpy's inner loops run along it.
            order: Any = "F" if len(block) >= width else "C"
            if block.dtype != np.float32 and block.dtype != np.float64:
                with np.errstate(invalid="ignore"):  # signalling nans
                    block = block.astype(np.float64, order, copy=False)
            if len(block) < _LONG and width > 1:
                self._add_block(np.asarray(block, order=order), slice(None))
                continue
            for place in range(width):
                self._add_block(np.ascontiguousarray(block[:, place]), place)

    def add_ones(self, pieces: Sequence[Any], place: int = 0) -> list[Any]:
        """Add the pieces that are `ones` to the element at a flat index; return the others."""
        count, others = without_ones(pieces)
        if count:
            limbs.add_integers(self._cells, ONE, count, place)
            self._add_load(1)
        return others

    def add_pieces(self, pieces: Iterable[Piece]) -> None:
        """Add the floats of pieces to the elements that the pieces specify, in place."""
        few: list[tuple[Any, npt.NDArray[np.float64]]] = []
        for place, values in pieces:
            if values.ndim > 1:
                if (found := gram(values)) is None:
                    self.add_pieces(one_by_one((place, values)))
                    continue
                numbers, units, which = found
                limbs.add_shifted(self._cells, numbers, units, np.asarray(place)[which])
                self._add_load(len(numbers))
            elif are_ones(values) and np.ndim(place) == 0:
                self.add_ones([values], place)
            elif len(values) < _LONG:
                few.append((place, values))
            elif np.ndim(place) == 0:
                for start in range(0, len(values), _BLOCK):
                    self._add_block(np.ascontiguousarray(values[start : start + _BLOCK]), place)
            else:
                self.add_at(place, values)
        if few:
            index = [np.broadcast_to(place, len(values)) for place, values in few]
            self.add_at(np.concatenate(index), np.concatenate([values for _, values in few]))

    def add_at(self, index: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> None:
        """Add each of the values `(n,)` to the element at its flat index, in place."""
        width = self._cells.shape[1]
        for start in range(0, len(values), _BLOCK):
            places = index[start : start + _BLOCK]
            floats = np.asarray(values[start : start + _BLOCK], np.float64)
            if len(floats) > max(_FEW, width):
                self._put(distil_at(floats, places, width), slice(None), places)
            else:
                self._add_load(limbs.add_floats(self._cells, floats, places))

    def _add_block(self, floats: npt.NDArray[Any], column: Any) -> None:
        """Add floats `(n,)` to a column, or `(n, width)` to all."""
        self._put(distil(floats), column, column)

    def _put(self, distilled: Distilled, column: Any, places: Any) -> None:
        """Add sums of slices to a column or to all, and the remaining floats at their places."""
        for unit, numbers in distilled.sums:
            limbs.add_integers(self._cells, unit, numbers, column)
        self._add_load(len(distilled.sums))
        if distilled.left is not None:
            self._add_load(limbs.add_floats(self._cells, distilled.left, places))

    def merge(self, other: ExactSum) -> None:
        """Add another sum of the same shape to this one, in place; raise ValueError otherwise."""
        if not isinstance(other, ExactSum):
            raise TypeError(f"other must be an ExactSum, got {type(other).__name__}")
        if other.shape != self.shape:
            raise ValueError(f"cannot merge a sum of shape {other.shape} into one of {self.shape}")
        self._cells += other._cells
        self._add_load(other._load + 1)

    def minus(self, other: ExactSum) -> ExactSum:
        """Return this sum minus `other`, which has the same shape.

        Raises:
            ValueError: `other` contains more nan or infinities.
        """
        left = self.copy()
        left._cells -= other._cells
        left._add_load(other._load + 1)
        if (left._cells[LIMBS:] < 0).any():
            raise ValueError("only rows that were added before can be subtracted")
        return left

    def regrouped(
        self, chosen: npt.NDArray[np.int64], places: npt.NDArray[np.int64], shape: tuple[int, ...]
    ) -> ExactSum:
        """Return a sum of another shape: each chosen element is added at its place.

        Args:
            chosen: Flat indices of elements of this sum, (m,).
            places: The flat index at which each element is added, (m,).
            shape: The shape; elements without a place are 0.
        """
        self._normalise()
        found = ExactSum(shape)
        order = np.argsort(places, kind="stable")
        ascending = places[order]
        new = np.ones(len(places), bool)
        new[1:] = ascending[1:] != ascending[:-1]
        starts = np.flatnonzero(new)
        if len(starts):
            # One column for each element: no limb overflows, for there are at most 2**30 columns.
            cells = self._cells[:, chosen[order]]
            if len(starts) < len(places):
                cells = np.add.reduceat(cells, starts, axis=1)
                found._load = len(places)
            found._cells[:, ascending[starts]] = cells
        return found

    def copy(self) -> ExactSum:
        """Return an independent copy."""
        twin = object.__new__(ExactSum)
        twin.shape, twin._cells, twin._load = self.shape, self._cells.copy(), self._load
        return twin

    __copy__ = copy

    def value(self) -> Any:
        """Return the sum, rounded once to the nearest float64 (ties to even).

        It is a float for shape `()`, otherwise a float64 array of this shape. It is nan if a nan or
        both infinities were added; an infinity if one was added, or if the sum exceeds the largest
        float64; and +0.0 if it is zero.
        """
        values = np.array([*map(limbs.rounded, limbs.in_units(self._cells))], np.float64)
        counts = self._cells[LIMBS:]
        if np.count_nonzero(counts):
            nan, above, below = counts > 0
            values[above], values[below] = np.inf, -np.inf
            values[nan | (above & below)] = np.nan
        return values.reshape(self.shape) if self.shape else float(values[0])

    def fraction(self) -> Any:
        """Return the exact sum: a Fraction for shape `()`, otherwise an object array of Fractions.

        Raises:
            ValueError: A nan was added.
            OverflowError: An infinity was added.
        """
        nan, above, below = self._cells[LIMBS:].sum(axis=1).tolist()
        if nan or above or below:
            error = ValueError if nan else OverflowError
            raise error(f"the sum is not finite: {nan} nan, {above} inf, {below} -inf were added")
        fractions = np.array(
            [Fraction(units, UNITS) for units in limbs.in_units(self._cells)], object
        )
        return fractions.reshape(self.shape) if self.shape else fractions[0]

    @staticmethod
    def dense_size(shape: tuple[int, ...]) -> int:
        """Return the length of `to_dense()` for a shape: 70 for each element."""
        return CELLS * math.prod(_checked(shape))

    def to_dense(self) -> npt.NDArray[np.int64]:
        """Return the whole state as one int64 vector; up to 2**30 of these add without overflow.

        Example:
            >>> total = ExactSum()
            >>> total.add(np.array([0.1]))
            >>> ExactSum.from_dense(6 * total.to_dense(), ()).value()
            0.6000000000000001
        """
        self._normalise()
        return self._cells.flatten()

    @classmethod
    def from_dense(cls, vector: npt.NDArray[np.int64], shape: tuple[int, ...]) -> ExactSum:
        """Return the sum whose state is `vector`: one dense vector, or the int64 sum of many.

        Raises:
            ValueError: `vector` is not int64 or does not have `dense_size(shape)` numbers.
        """
        size = CELLS * math.prod(_checked(shape))
        if vector.dtype != np.int64 or vector.shape != (size,):
            wanted = f"int64 of length {size} for shape {shape}"
            raise ValueError(f"vector must be {wanted}, got {vector.dtype} of {vector.shape}")
        total = object.__new__(cls)
        total.shape, total._cells = shape, vector.reshape(CELLS, size // CELLS).copy()
        total._load = _MAX_LOAD  # that of 2**30 sums, since the number of sums is unknown
        return total

    def __eq__(self, other: object) -> bool:
        """Return whether both exact sums and their counts of nan, inf and -inf are equal."""
        if not isinstance(other, ExactSum):
            return NotImplemented
        self._normalise()
        other._normalise()
        return self.shape == other.shape and np.array_equal(self._cells, other._cells)

    def __repr__(self) -> str:
        return f"ExactSum(shape={self.shape}, value={self.value()})"

    def _add_load(self, load: int) -> None:
        self._load += load
        if self._load > _MAX_LOAD:
            self._normalise()

    def _normalise(self) -> None:
        """Carry until every limb but the top one is in [-2**31, 2**31), which makes it unique."""
        while self._load:
            self._load = int(limbs.carry(self._cells[:LIMBS]))


def _checked(shape: tuple[int, ...]) -> tuple[int, ...]:
    known = isinstance(shape, tuple)
    for size in shape if known else ():
        known = known and isinstance(size, int) and size >= 0
    if not known:
        raise ValueError(f"shape must be a tuple of integers >= 0, got {shape!r}")
    return shape
