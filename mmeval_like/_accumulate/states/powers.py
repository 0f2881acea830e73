"""Powers: the exact sums of rows, of their products with each other, and of their cubes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from mmeval_like._accumulate.gram import Piece
from mmeval_like._accumulate.states.pieces import PieceSum
from mmeval_like._accumulate.two_product import two_product

__all__ = ["Powers", "Spread"]


class Powers(PieceSum):
    """The sums of what is needed for means, covariances and skewness of rows (n, width).

    A row holds the numbers themselves; products are taken when rows fold. Products are exact,
    cubes have more than 100 bits.

    Args:
        numbers: How many numbers a row has, the width.
    """

    def __init__(self, numbers: int) -> None:
        self.numbers = numbers
        self.pairs = [*combinations_with_replacement(range(numbers), 2)]
        super().__init__(float, (2 * numbers + len(self.pairs),))

    def __repr__(self) -> str:
        return f"powers({self.numbers})"

    def pieces(self, rows: np.ndarray) -> Iterator[Piece]:
        columns = np.array(rows.T, np.float64, order="C")
        size = self.numbers
        yield range(size + len(self.pairs)), columns
        for place, column in enumerate(columns, size + len(self.pairs)):
            product, rest = two_product(column, column)
            with np.errstate(over="ignore", invalid="ignore"):
                cube, tail = two_product(product, column)
                yield place, tail + rest * column
            yield place, cube

    def spread(self, sums: Any, count: int) -> Spread:
        """Return mean, covariance and skewness from the unrounded sums of `count` rows."""
        size = self.numbers
        mean = [Fraction(total) / count for total in sums[:size]]
        covariance = [[Fraction(0)] * size for _ in range(size)]
        for (i, j), total in zip(self.pairs, sums[size:], strict=False):
            covariance[i][j] = covariance[j][i] = Fraction(total) / count - mean[i] * mean[j]
        third = [
            Fraction(total) / count - 3 * mean[i] * covariance[i][i] - mean[i] ** 3
            for i, total in enumerate(sums[-size:])
        ]
        return Spread(mean, covariance, third)


@dataclass(frozen=True)
class Spread:
    """How rows are spread.

    Attributes:
        mean: The mean of every number.
        covariance: The covariances of all pairs, with n in the denominator.
        third: The third central moment of every number.
    """

    mean: list[Fraction]
    covariance: list[list[Fraction]]
    third: list[Fraction]

    def alike(self, count: int) -> Fraction:
        """Return as how many equal ones `count` samples count, by the number that is most even.

        (sum x)^2 / sum x^2, the effective sample size of L. Kish, Survey Sampling (1965). Where
        every sample adds 1 to a sum, as without weights, it is their number.
        """
        found = [
            count * mean * mean / (mean * mean + self.covariance[place][place])
            for place, mean in enumerate(self.mean)
            if mean
        ]
        return max(found, default=Fraction(count))
