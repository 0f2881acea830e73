"""Floats split into slices of integers, which are added without rounding.

The exponents show between which bits all floats lie. An offset of 1.5 * 2^52 units
makes a float64 addition round each float x to whole units: as integers, the bit patterns of
x + offset are the offset's plus this many units, and integers add without rounding. What is left,
x - ((x + offset) - offset), is exact, and has fewer bits. float32 of usual data are one slice,
float64 two.

Sources: J. Demmel and H. D. Nguyen, "Parallel reproducible summation" (IEEE Trans. Computers 64,
2015), for slices at offsets that all floats share; S. M. Rump, T. Ogita and S. Oishi, "Accurate
floating-point summation part I" (SIAM J. Sci. Comput. 31, 2008), for why nothing is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mmeval_like._exact.scratch import Scratch

__all__ = ["Distilled", "distil", "distil_at"]

_Floats = npt.NDArray[np.float64]

# By the size of a float in bytes: integers of this size, the number of stored bits of the mantissa,
# and the place of the last bit of the smallest number.
_LAYOUTS: dict[int, tuple[Any, Any, int, int]] = {
    4: (np.int32, np.uint32, 23, 925),
    8: (np.int64, np.uint64, 52, 0),
}
_LAST, _INFINITE = 2045, 1 << 12  # the highest bit that can be a unit; higher offsets overflow
_ROOM = 51  # the largest number of bits of a slice
_SMALL = 1 << 12  # for up to so many floats, fresh memory costs less than looking for kept memory
_PASSES = 4  # after this many passes it is cheaper to add the remaining floats one by one


class Offset(NamedTuple):
    """An offset that makes an addition round to units of a bit; bit 0 is that of 2^-1074.

    Attributes:
        value: The offset, 1.5 * 2^52 units.
        pattern: Its bits, as an integer.
    """

    value: float
    pattern: int


class Distilled(NamedTuple):
    """The result of distilling floats.

    Attributes:
        sums: Pairs of the bit that is the unit of a slice, and the integer sum of the slice.
        left: The remaining floats; None: none.
    """

    sums: list[tuple[int, Any]]
    left: _Floats | None


def distil(floats: npt.NDArray[Any]) -> Distilled:
    """Distil the sum of floats `(n,)`, or the sums of the columns of `(n, width)`.

    Args:
        floats: float64 or float32, not empty; they are not changed.
    """
    count = len(floats)

    def total(raised: _Floats, offset: Offset) -> Any:
        sums = np.add.reduce(raised.view(np.int64), axis=0)
        if floats.ndim > 1:
            return sums - _wrapped(count * offset.pattern)
        return _wrapped(int(sums) - count * offset.pattern)

    return _distil(floats, 62 - (count - 1).bit_length(), total)


def distil_at(floats: _Floats, places: npt.NDArray[Any], width: int) -> Distilled:
    """Distil the sums of the floats `(n,)` at each place in [0, width)."""

    def total(raised: _Floats, offset: Offset) -> Any:
        sums = np.bincount(places, raised - offset.value, width)
        return (sums + offset.value).view(np.int64) - offset.pattern

    return _distil(floats, 51 - (len(floats) - 1).bit_length(), total)


def _distil(
    floats: npt.NDArray[Any], room: int, total: Callable[[_Floats, Offset], Any]
) -> Distilled:
    """Return sums of slices of at most this many bits; `total` sums floats raised by an offset."""
    first, stop = _span(floats)
    if not stop:
        return Distilled([], None)
    room = min(room, _ROOM)
    unit = max(0, stop - room)
    if unit > _LAST:
        with np.errstate(invalid="ignore"):  # signalling nans
            return Distilled([], floats.astype(np.float64))
    if floats.size <= _SMALL:
        blocks = [np.empty_like(floats, np.float64), np.empty_like(floats, np.float64)]
        return _sliced(floats, first, unit, room, total, blocks)
    ordered = floats.flags.c_contiguous
    shape = floats.shape if ordered else floats.shape[::-1]
    with Scratch(shape, shape) as memory:
        blocks = memory if ordered else [block.T for block in memory]
        return _sliced(floats, first, unit, room, total, blocks)


def _sliced(
    floats: npt.NDArray[Any], first: int, unit: int, room: int, total: Any, blocks: list[_Floats]
) -> Distilled:
    """Return sums of slices, the first in units of this bit, down to the bit `first`."""
    sums: list[tuple[int, Any]] = []
    left, free = floats, blocks
    if narrow := floats.dtype != np.float64:
        left, *free = blocks
        left[...] = floats
    own: bool = narrow
    while True:
        offset = Offset(math.ldexp(1.5, unit - 1022), (unit + 1 << 52) | (1 << 51))
        # The last slice needs no copy of what is left.
        slice_ = left if own and unit <= first else free.pop()
        np.add(left, offset.value, out=slice_)
        sums.append((unit, total(slice_, offset)))
        if unit <= first:
            return Distilled(sums, None)
        slice_ -= offset.value
        if own:
            free.append(left)
        left = np.subtract(left, slice_, out=slice_)
        if not (left.item(0) or left.any()):
            return Distilled(sums, None)
        if len(sums) == _PASSES:
            return Distilled(sums, left.copy())
        own, unit = True, max(0, unit - 1 - room)


def _wrapped(number: int) -> int:
    """Return an integer reduced to 64 bits, as int64 arithmetic does."""
    return (number + (1 << 63) & (1 << 64) - 1) - (1 << 63)


def _span(floats: npt.NDArray[Any]) -> tuple[int, int]:
    """Return the bits between which the floats lie; 0, 0 if all are 0, a high end for inf and nan.

    As integers, floats of the same sign are ordered by magnitude, so the smallest and largest
    integers of both signs give the smallest and the largest magnitude.
    """
    integer, unsigned, stored, place = _LAYOUTS[floats.itemsize]
    bits = (floats if floats.flags.c_contiguous else floats.T).view(integer)
    least, most = bits.item(bits.argmin()), bits.item(bits.argmax())  # faster than min and max
    sign = 1 << 8 * floats.itemsize - 1
    both = least < 0 <= most
    least, most = least & sign - 1, most & sign - 1
    if both:
        bits = bits.view(unsigned)
        least = min(least, bits.item(bits.argmin()))
        most = max(most, bits.item(bits.argmax()) & sign - 1)
    if not least and most:  # zeros among others: 0 is replaced by the largest integer
        least = int(((bits.view(unsigned) << unsigned(1)) - unsigned(1)).min()) + 1 >> 1
    if not most:
        return 0, 0
    if most >> stored == (sign - 1) >> stored:
        return 0, _INFINITE
    first, last = max(least >> stored, 1) - 1 + place, max(most >> stored, 1) - 1 + place
    if least == most:
        mantissa = least | 1 << stored
        first += (mantissa & -mantissa).bit_length() - 1
    return first, last + stored + 1
