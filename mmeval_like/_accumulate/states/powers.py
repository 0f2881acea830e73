"""Powers: the exact sums of rows, of their products with each other, and of their cubes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from mmeval_like._accumulate.distillation import distil
from mmeval_like._accumulate.exact import ExactSum
from mmeval_like._accumulate.rows import Rows
from mmeval_like._accumulate.states.folding import FloatSum
from mmeval_like._accumulate.two_product import two_product

__all__ = ["Powers", "Spread"]

_BLOCK_ROWS = 8192  # whose products fit the cache


class Powers(FloatSum):
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

    def check(self, name: str, rows: Any) -> Rows:
        accepted: Rows = rows
        return accepted

    def fold(self, folded: ExactSum, rows: np.ndarray) -> ExactSum:
        for start in range(0, len(rows), _BLOCK_ROWS):
            block = rows[start : start + _BLOCK_ROWS]
            self._fold_block(folded, np.ascontiguousarray(block.T))
        return folded

    def _fold_block(self, folded: ExactSum, columns: np.ndarray) -> None:
        """Add the rows of which these are the columns.

        Columns of ones and of zeros, as weights often are, cost nothing: their products are known.
        The others become few rows with the same exact sums before they are put in their places.
        """
        least, most = columns.min(axis=1), columns.max(axis=1)
        ones = (least == 1) & (most == 1)
        plain = np.flatnonzero(ones | ((least == 0) & (most == 0)))
        others = [place for place in range(self.numbers) if place not in plain]
        places, terms = [*others], [columns[place] for place in others]
        lows: list[np.ndarray] = []
        for index, (i, j) in enumerate(self.pairs, self.numbers):
            if i in others and j in others:
                product, rest = two_product(columns[i], columns[j])
                places.append(index)
                terms.append(product)
                lows.append(rest)
                if i == j:
                    with np.errstate(over="ignore", invalid="ignore"):
                        cube, tail = two_product(product, columns[i])
                        lows.append(tail + rest * columns[i])
                    places.append(self.numbers + len(self.pairs) + i)
                    terms.append(cube)
        few = distil(np.stack([*terms, *lows]).T) if terms else np.zeros((1, 0))
        sums = np.zeros((2, len(few), *self.shape))
        sums[0][:, places] = few[:, : len(places)]
        sums[1][:, places[len(others) :]] = few[:, len(places) :]
        for index, (i, j) in enumerate(self.pairs, self.numbers):
            one, other = (i, j) if ones[i] else (j, i)
            if ones[one]:  # the product is the other factor
                sums[0][:, index] = sums[0][:, other] if other in others else 0
                sums[0][0, index] += columns.shape[1] if ones[other] else 0
        for index in np.flatnonzero(ones).tolist():
            sums[0][0, index] = sums[0][0, index - self.numbers] = columns.shape[1]
        folded.add(sums.reshape(-1, *self.shape))

    def pieces(self, rows: np.ndarray) -> Iterator[tuple[Any, np.ndarray]]:
        columns = rows.T.astype(np.float64)
        yield from enumerate(columns)
        for index, (i, j) in enumerate(self.pairs, self.numbers):
            product, rest = two_product(columns[i], columns[j])
            yield index, product
            yield index, rest
            if i == j:
                place = self.numbers + len(self.pairs) + i
                with np.errstate(over="ignore", invalid="ignore"):
                    cube, tail = two_product(product, columns[i])
                    yield place, tail + rest * columns[i]
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
