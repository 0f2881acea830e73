"""Sums of products without rounding: floats in slices so short that products and sums fit float64.

Floats are split into integers of b bits. A product of two such slices, and any sum of 2^(53 - 2 b)
products, is then an integer of 53 bits: matrix multiplication computes all sums at once, and does
not round, whatever the order of its additions. The sums of parts of this length are added as int64.
b is 23 at most, so that parts have 128 products or more, and 20 for many columns, whose parts have
8,192.

Source: K. Ozaki, T. Ogita, S. Oishi and S. M. Rump, "Error-free transformations of matrix
multiplication by using fast routines of matrix multiplication and its applications" (Numer.
Algorithms 59, 2012).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement
from operator import sub
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mmeval_like._exact.limbs import ONE
from mmeval_like._exact.scratch import Scratch
from mmeval_like._exact.two_product import two_product

__all__ = ["Piece", "gram", "one_by_one"]

Piece: TypeAlias = "tuple[Any, npt.NDArray[np.float64]]"
"""Floats (n,), and the flat place of the sum that they belong to, or one for each of them (n,).

Or columns (k, n), which add themselves and the products of each two of them, and the
places of all these sums, (k (k + 3) / 2,), the products in the order of `np.triu_indices`.
"""

_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]

# Between 2^-480 and 2^480 every bit of a product, and of a sum of products, is within float64.
_LEAST, _MOST = ONE - 480, ONE + 480
_ALONE = 1 << 18  # multiplications of a matrix product; for more, BLAS wakes threads
_SLICES = 8  # more would be slower than products one by one
_ROOM, _WIDE_ROOM = 23, 20  # the largest number of bits of a slice; that of many columns
_WIDE = 8


def gram(columns: npt.NDArray[np.float64]) -> tuple[_Integers, _Integers, _Integers] | None:
    """Return integers that add up to the sums of columns `(k, n)` and of their pairwise products.

    Args:
        columns: The columns, with n from 1 to 2^16. They are not changed.

    Returns:
        The integers, of up to 62 bits, their units, and the places of their sums: 0 to k - 1 are
        the columns, followed by the products, in the order of `np.triu_indices`. None: the range of
        the columns is too wide, or they are not finite.
    """
    width, count = columns.shape
    with Scratch(columns.shape) as [memory]:
        first, stop = _spans(columns, memory)
    wide = width >= _WIDE
    span = 1 + max(map(sub, stop, first))
    # As few slices as possible, then as short ones as possible.
    number = -(-span // ((_WIDE_ROOM if wide else _ROOM) + 1))
    room = -(-span // number) - 1
    if min(first) < _LEAST or max(stop) > _MOST or number > _SLICES:
        return None
    units = np.array(stop) - (room + (room + 1) * np.arange(number)[:, None])
    with Scratch((number * width + 2, count), columns.shape) as [slices, memory]:
        _cut(columns, np.ldexp(1.5, units - 1022), slices, memory)
        of_rows = np.full(1 + number * width, ONE)
        of_rows[1:] = units.reshape(-1)
        units = of_rows[:, None] + of_rows[1:]
        scale, sums = np.ldexp(1.0, 2 * ONE - units), np.zeros(units.shape, np.int64)
        for products in _products(slices, len(of_rows), 1 << 53 - 2 * room, wide):
            sums += (products * scale).astype(np.int64).sum(axis=0)
    rows, others, places = _layout(width, number)
    return sums[rows, others], units[rows, others] - ONE, places


def _products(slices: _Floats, rows: int, length: int, wide: bool) -> Iterator[_Floats]:
    """Yield the sums of products of the rows with all but the first, for all parts of a length.

    Args:
        slices: The rows, and a row of memory.
        rows: The number of rows.
        length: The length.
        wide: Whether there are many rows. If not, parts are so short that BLAS takes one thread for
            each: if other programs delay its threads, they take up to a thousand times as long.
    """
    few = slices[:rows]
    if not wide:
        if rows % 4 == 3:  # BLAS takes longer for three rows than for four
            slices[rows], few = 0.0, slices
        length = min(length, _ALONE // (len(few) * rows))
    whole = few.shape[1] // length * length
    for part in (few[:, :whole], few[:, whole:]):
        if part.size:
            left = part.reshape(len(part), -1, min(length, part.shape[1])).transpose(1, 0, 2)
            # BLAS computes half of a symmetric product, which is worth it for large matrices.
            right = left if wide else left[:, 1:rows]
            products = np.matmul(left, right.transpose(0, 2, 1))
            yield products[:, :, 1:] if wide else products[:, :rows]


def _cut(columns: _Floats, offsets: _Floats, slices: _Floats, memory: _Floats) -> None:
    """Write a row of ones, then the first slices of all columns, then their second ones, etc."""
    slices[0] = 1.0  # its products with the others are their sums
    left, width = columns, len(columns)
    for done, offset in enumerate(offsets[:, :, None]):
        slice_ = slices[1 + done * width : 1 + (done + 1) * width]
        if done + 1 == len(offsets):  # the rest fits into one slice
            slice_[...] = left
            break
        np.add(left, offset, out=slice_)
        slice_ -= offset
        left = np.subtract(left, slice_, out=memory)


def one_by_one(piece: Piece) -> Iterator[Piece]:
    """Yield pieces with single places, equivalent to a piece that may consist of columns."""
    places, columns = piece
    if columns.ndim == 1:
        yield piece
        return
    yield from zip(places, columns, strict=False)
    pairs = combinations_with_replacement(columns, 2)
    for place, pair in zip(places[len(columns) :], pairs, strict=True):
        for part in two_product(*pair):
            yield place, part


@cache
def _layout(width: int, number: int) -> tuple[_Integers, _Integers, _Integers]:
    """Return rows and columns in the matrix of slice products, and the place of their sums."""
    left, right = np.triu_indices(width)
    steps = width * np.arange(number)
    rows = 1 + steps[:, None, None] + left
    others = steps[:, None] + right
    shape = (number, number, len(left))
    places = [np.tile(np.arange(width), number), np.tile(width + np.arange(len(left)), number**2)]
    return (
        np.append(np.zeros(number * width, np.int64), np.broadcast_to(rows, shape)),
        np.append(np.arange(number * width), np.broadcast_to(others, shape)),
        np.concatenate(places),
    )


def _spans(columns: _Floats, memory: _Floats) -> tuple[list[int], list[int]]:
    """Return the bits between which the floats of every column lie; `memory` is overwritten.

    Zeros at the end of all mantissas do not count: float32 have 29 of these.
    """
    bits = np.abs(columns, out=memory).view(np.int64)  # ordered by magnitude
    most, least = bits.max(axis=1), bits.min(axis=1)
    if not least.all():  # 0 is replaced by the largest integer
        least = ((bits.view(np.uint64) - np.uint64(1)).min(axis=1) + np.uint64(1)).view(np.int64)
    used = np.bitwise_or.reduce(bits, axis=1) | 1 << 52
    zeros = [(each & -each).bit_length() - 1 for each in used.tolist()]
    ends = [*zip(least.tolist(), most.tolist(), zeros, strict=True)]
    first = [max(low >> 52, 1) - 1 + short if high else ONE for low, high, short in ends]
    stop = [max(high >> 52, 1) + 52 if high else ONE for _, high, _ in ends]
    return first, stop
