"""Powers: the exact sums of rows, and of their products, cubes and fourth powers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exact.gram import Piece
from mmeval_like._exact.two_product import cubes, fourths, short_cubes, times
from mmeval_like._states.kinds.pieces import PieceSum
from mmeval_like._states.rows import Rows

__all__ = ["Powers", "Spread", "Tails"]

_WHOLE, _WHOLE_ROWS = 1 << 10, 1 << 13  # fourth powers of so many numbers sum to at most 2^53
_LARGE = 2.0**250  # larger numbers are clipped to this one, so that fourth powers are finite

Places = tuple[int, ...]  # of the numbers of a product, in order


class Powers(PieceSum):
    """The sums needed for means, covariances, skewness and kurtosis of rows (n, width).

    A row holds the numbers themselves; products are computed when rows fold. Products are
    exact, cubes and fourth powers have more than 100 bits.

    Args:
        numbers: How many numbers a row has, the width.
        joint: Places of numbers whose combinations, such as differences, have a known skewness and
            kurtosis, too: the sums of all products of three and of four of them are kept.
    """

    def __init__(self, numbers: int, joint: Iterable[Places] = ()) -> None:
        self.numbers, self.joint = numbers, tuple(joint)
        self.pairs = [*combinations_with_replacement(range(numbers), 2)]
        self.mixed = [*dict.fromkeys(one for places in self.joint for one in _mixed(places))]
        first, third, fourth = ([(i,) * power for i in range(numbers)] for power in (1, 3, 4))
        self.products: list[Places] = [*first, *self.pairs, *third, *fourth, *self.mixed]
        super().__init__(float, (len(self.products),))

    def __repr__(self) -> str:
        return f"powers({self.numbers}{''.join(f', {places}' for places in self.joint)})"

    def blank(self, count: int) -> Rows:
        return np.zeros((count, self.numbers))

    def fold(self, folded: ExactSum, rows: np.ndarray) -> ExactSum:
        """Add the powers of all rows; for small whole numbers, plain float sums are exact.

        Numbers that are 1 in all rows, as equal weights are, are left out of the products.
        """
        if not _whole(rows):
            ones = (rows == 1).all(axis=0)
            if ones.any() and (abs(rows) <= _LARGE).all():
                return self._fold_without(ones, folded, rows)
            return super().fold(folded, rows)
        for start in range(0, len(rows), _WHOLE_ROWS):
            columns = np.ascontiguousarray(rows[start : start + _WHOLE_ROWS].T, np.float64)
            products = (columns @ columns.T)[np.triu_indices(self.numbers)]
            third = np.einsum("ij,ij,ij->i", columns, columns, columns)
            squares = columns * columns
            fourth = np.einsum("ij,ij->i", squares, squares)
            mixed = [columns[[*places]].prod(axis=0).sum() for places in self.mixed]
            folded.add(np.concatenate([columns.sum(axis=1), products, third, fourth, mixed])[None])
        return folded

    def _fold_without(self, ones: np.ndarray, folded: ExactSum, rows: np.ndarray) -> ExactSum:
        """Add the powers of rows, some of whose numbers are all 1."""
        others, chosen, places, blank = _without(self.numbers, self.joint, tuple(ones.tolist()))
        sums = others.fold(others.empty(), rows[:, ~ones])
        folded.merge(sums.regrouped(chosen, places, folded.shape))
        folded.add_at(blank, np.full(len(blank), float(len(rows))))
        return folded

    def pieces(self, rows: np.ndarray) -> Iterator[Piece]:
        columns = np.array(rows.T, np.float64, order="C")
        size = self.numbers
        yield range(size + len(self.pairs)), columns
        for place, column in enumerate(columns, size + len(self.pairs)):
            if column.any():
                for piece in (short_cubes if _short(column) else cubes)(column):
                    yield place, piece
                for piece in fourths(np.clip(column, -_LARGE, _LARGE)):
                    yield place + size, piece
        yield from self._mixed_pieces(columns)

    def _mixed_pieces(self, columns: np.ndarray) -> Iterator[Piece]:
        """Yield the products of different numbers."""
        zeros = {place for place, column in enumerate(columns) if not column.any()}
        clipped = np.clip(columns, -_LARGE, _LARGE)
        found: dict[Places, list[np.ndarray]] = {}

        def product(places: Places) -> list[np.ndarray]:
            if places not in found:
                *rest, last = places
                one = clipped[last]
                found[places] = times(product(tuple(rest)), one) if rest else [one]
            return found[places]

        for place, places in enumerate(self.mixed, 3 * self.numbers + len(self.pairs)):
            if zeros.isdisjoint(places):
                yield from ((place, piece) for piece in product(places))

    def spread(self, sums: Any, count: int) -> Spread:
        """Return the moments of `count` rows from their unrounded sums."""
        size = self.numbers
        mean = [Fraction(total) / count for total in sums[:size]]
        covariance = [[Fraction(0)] * size for _ in range(size)]
        for (i, j), total in zip(self.pairs, sums[size:], strict=False):
            covariance[i][j] = covariance[j][i] = Fraction(total) / count - mean[i] * mean[j]
        first = size + len(self.pairs)
        products = {
            places: Fraction(total) / count
            for places, total in zip(self.products[first:], sums[first:], strict=True)
        }
        return Spread(mean, covariance, products)


@lru_cache(256)  # called for every block of rows
def _without(
    numbers: int, joint: tuple[Places, ...], ones: tuple[bool, ...]
) -> tuple[Powers, np.ndarray, np.ndarray, np.ndarray]:
    """Return the powers of the numbers that are not 1, and where their sums are among all.

    Returns:
        The powers; the places of their sums, and the places of these among those of all numbers;
        the places of products of ones alone.
    """
    kept = {place: n for n, place in enumerate(p for p in range(numbers) if not ones[p])}
    shorter = (tuple(kept[place] for place in places if place in kept) for places in joint)
    others = Powers(len(kept), shorter)
    known = {places: n for n, places in enumerate(others.products)}
    chosen, places_of, blank = [], [], []
    for at, places in enumerate(Powers(numbers, joint).products):
        rest = tuple(kept[place] for place in places if place in kept)
        if rest:
            chosen.append(known[rest])
            places_of.append(at)
        else:
            blank.append(at)
    return others, np.array(chosen), np.array(places_of), np.array(blank)


def _mixed(places: Places) -> Iterator[Places]:
    """Yield the products of three and of four of these numbers that are no powers of one."""
    for power in (3, 4):
        several = combinations_with_replacement(sorted(places), power)
        yield from (one for one in several if len({*one}) > 1)


@dataclass(frozen=True)
class Tails:
    """The central moments of a number, or of a sum of numbers times factors.

    Attributes:
        variance: The second.
        third: The third.
        fourth: The fourth.
        size: The sum of the mean squares of what is added: its rounding is relative to it.
    """

    variance: Fraction
    third: Fraction
    fourth: Fraction
    size: Fraction

    @property
    def third_is_known(self) -> bool:
        """Whether the rounding of cubes changes the skewness by less than 0.1."""
        return self.size**3 < self.variance**3 * (1 << 209)

    @property
    def fourth_is_known(self) -> bool:
        """Whether the rounding of fourth powers changes the kurtosis by less than about 4."""
        return self.size**2 < self.variance**2 * (1 << 108)

    @property
    def kurtosis(self) -> float:
        """The kurtosis; 0 without variance."""
        return float(self.fourth / self.variance**2) if self.variance else 0.0


@dataclass(frozen=True)
class Spread:
    """The moments of rows.

    Attributes:
        mean: The mean of every number.
        covariance: The covariances of all pairs, with n in the denominator.
        products: The means of products of three and of four numbers, by their places: of the powers
            of every number, and of those that are joint.
    """

    mean: list[Fraction]
    covariance: list[list[Fraction]]
    products: Mapping[Places, Fraction]

    def tails(self, factors: Mapping[int, Fraction | int]) -> Tails | None:
        """Return the moments of a sum of numbers times factors; None if they are not joint.

        Args:
            factors: The factor of a number, by its place.
        """
        places = sorted(factors)
        mean = sum((factors[i] * self.mean[i] for i in places), Fraction(0))
        variance = self.shared(factors, factors)
        raw = []
        for power in (3, 4):
            total = Fraction(0)
            for one in combinations_with_replacement(places, power):
                if one not in self.products:
                    return None
                times = _orders(one) * math.prod(factors[i] for i in one)
                total += times * self.products[one]
            raw.append(total)
        third = raw[0] - 3 * mean * variance - mean**3
        fourth = raw[1] - 4 * mean * third - 6 * mean**2 * variance - mean**4
        size = sum((factors[i] ** 2 * self.square(i) for i in places), Fraction(0))
        return Tails(variance, third, fourth, size)

    def shared(self, one: Mapping[int, Fraction | int], other: Mapping[int, Any]) -> Fraction:
        """Return the covariance of two sums of numbers times factors."""
        cells = (a * b * self.covariance[i][j] for i, a in one.items() for j, b in other.items())
        return sum(cells, Fraction(0))

    def beyond(self, place: int) -> str | None:
        """Return "small" or "large" if float64 lacks a number's fourth powers; None: neither."""
        square = self.square(place)
        if square > _LARGE**2:
            return "large"
        return "small" if square < _LARGE**-2 and (square or self.mean[place]) else None

    def square(self, place: int) -> Fraction:
        """Return the mean square of a number."""
        return self.mean[place] ** 2 + self.covariance[place][place]

    def raw_fourth(self, place: int) -> Fraction:
        """Return the mean fourth power of a number."""
        return self.products[(place,) * 4]

    def alike(self, count: int, places: slice = slice(None)) -> Fraction:
        """Return the effective size of `count` samples, the largest over these numbers of a row.

        It is (sum x)^2 / sum x^2, the effective sample size of L. Kish, Survey Sampling (1965). If
        every sample adds 1 to a sum, as without weights, it is `count`.
        """
        known = range(len(self.mean))[places]
        found = [self.kish(place, count) for place in known if self.mean[place]]
        return max(found, default=Fraction(count))

    def kish(self, place: int, count: int) -> Fraction:
        """Return the effective size of `count` samples by one number; 0 if its mean is 0."""
        square = self.mean[place] ** 2
        return count * square / (square + self.covariance[place][place]) if square else Fraction(0)


def _orders(places: Sequence[int]) -> int:
    """Return in how many orders these places can be written."""
    repeated = math.prod(math.factorial(times) for times in Counter(places).values())
    return math.factorial(len(places)) // repeated


def _whole(rows: np.ndarray) -> bool:
    """Return whether all are whole numbers, and a block's fourth powers sum to less than 2^53."""
    first = rows[:1]
    if not (np.rint(first) == first).all():
        return False
    return bool((abs(rows) <= _WHOLE).all() and (np.rint(rows) == rows).all())


def _short(column: np.ndarray) -> bool:
    """Return whether all numbers are finite, and float32 represents them exactly."""
    with np.errstate(over="ignore", invalid="ignore"):
        short = (column[:8].astype(np.float32) == column[:8]).all()
        short = short and (column.astype(np.float32) == column).all()
    return bool(short and np.isfinite(column).all())
