"""Powers: the exact sums of rows, and of their products, cubes and fourth powers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._exact.gram import Piece
from mmeval_like._exact.two_product import cubes, fourths, short_cubes
from mmeval_like._states.kinds.pieces import PieceSum
from mmeval_like._states.rows import Rows

__all__ = ["Powers", "Spread"]

_WHOLE, _WHOLE_ROWS = 1 << 10, 1 << 13  # fourth powers of so many numbers sum to at most 2^53
_LARGE = 2.0**250  # larger numbers are clipped to this one, so that fourth powers are finite


class Powers(PieceSum):
    """The sums needed for means, covariances, skewness and kurtosis of rows (n, width).

    A row holds the numbers themselves; products are computed when rows fold. Products are
    exact, cubes and fourth powers have more than 100 bits.

    Args:
        numbers: How many numbers a row has, the width.
    """

    def __init__(self, numbers: int) -> None:
        self.numbers = numbers
        self.pairs = [*combinations_with_replacement(range(numbers), 2)]
        super().__init__(float, (3 * numbers + len(self.pairs),))

    def __repr__(self) -> str:
        return f"powers({self.numbers})"

    def blank(self, count: int) -> Rows:
        return np.zeros((count, self.numbers))

    def fold(self, folded: ExactSum, rows: np.ndarray) -> ExactSum:
        """Add the powers of all rows; for small whole numbers, plain float sums are exact."""
        if not _whole(rows):
            return super().fold(folded, rows)
        for start in range(0, len(rows), _WHOLE_ROWS):
            columns = np.ascontiguousarray(rows[start : start + _WHOLE_ROWS].T, np.float64)
            products = (columns @ columns.T)[np.triu_indices(self.numbers)]
            third = np.einsum("ij,ij,ij->i", columns, columns, columns)
            squares = columns * columns
            fourth = np.einsum("ij,ij->i", squares, squares)
            folded.add(np.concatenate([columns.sum(axis=1), products, third, fourth])[None])
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

    def spread(self, sums: Any, count: int) -> Spread:
        """Return the moments of `count` rows from their unrounded sums."""
        size = self.numbers
        mean = [Fraction(total) / count for total in sums[:size]]
        covariance = [[Fraction(0)] * size for _ in range(size)]
        for (i, j), total in zip(self.pairs, sums[size:], strict=False):
            covariance[i][j] = covariance[j][i] = Fraction(total) / count - mean[i] * mean[j]
        third = [
            Fraction(total) / count - 3 * mean[i] * covariance[i][i] - mean[i] ** 3
            for i, total in enumerate(sums[-2 * size : -size])
        ]
        fourth = [
            Fraction(total) / count
            - 4 * mean[i] * third[i]
            - 6 * mean[i] ** 2 * covariance[i][i]
            - mean[i] ** 4
            for i, total in enumerate(sums[-size:])
        ]
        return Spread(mean, covariance, third, fourth)


@dataclass(frozen=True)
class Spread:
    """The moments of rows.

    Attributes:
        mean: The mean of every number.
        covariance: The covariances of all pairs, with n in the denominator.
        third: The third central moment of every number.
        fourth: The fourth central moment of every number.
    """

    mean: list[Fraction]
    covariance: list[list[Fraction]]
    third: list[Fraction]
    fourth: list[Fraction]

    def of_first(self, size: int) -> Spread:
        """Return the moments of the first numbers of a row."""
        covariance = [row[:size] for row in self.covariance[:size]]
        return Spread(self.mean[:size], covariance, self.third[:size], self.fourth[:size])

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
        mean, second = self.mean[place], self.covariance[place][place]
        more = 4 * mean * self.third[place] + 6 * mean**2 * second + mean**4
        return self.fourth[place] + more

    def third_is_known(self, place: int) -> bool:
        """Return whether the rounding of cubes changes a number's skewness by less than 0.1."""
        return self.square(place) ** 3 < self.covariance[place][place] ** 3 * (1 << 209)

    def fourth_is_known(self, place: int) -> bool:
        """Return whether the rounding of fourth powers changes a kurtosis by less than about 4."""
        return self.square(place) ** 2 < self.covariance[place][place] ** 2 * (1 << 108)

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
