"""Covariance: the means and covariances of vectors of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from mmeval_like.metrics._common.feature_sums import ProductSums
from mmeval_like.writing import BaseMetric, MetricOptions, Results, Unpack
from mmeval_like.writing.exact import to_float

__all__ = ["Covariance"]


class Covariance(BaseMetric):
    """The means of D numbers, and the covariance of each pair of numbers.

    Sums are exact and every result is rounded once, so that numbers far from 0 lose no digits.
    `add` takes `observations` (N, D), of any real dtype, each zero or of magnitude 1e-105 to 1e115.

    Formula:
        C_(j k) = 1/(N - 1) sum_i (x_(i j) - bar x_j) (x_(i k) - bar x_k)

    Args:
        dim: The number D of numbers in each observation. Each of the D^2 covariances takes about
            280 bytes of memory.
        unbiased: Whether sums are divided by N - 1 or, if False, by N.
        **options: As for `BaseMetric`.

    Returns of `compute`: `mean` (D,) and `covariance` (D, D), float64. Without samples both are
    nan; with one sample the unbiased covariance is nan.

    Raises:
        ValueError: `dim` is below 1.

    Example:
        >>> metric = Covariance(dim=2)
        >>> metric.add([[1.0, 2.0], [3.0, 6.0]])
        >>> found = metric.compute()
        >>> found["mean"].tolist(), found["covariance"].tolist()
        ([2.0, 4.0], [[2.0, 4.0], [4.0, 8.0]])
    """

    _takes_inputs = ProductSums.rows

    if TYPE_CHECKING:

        def rows(self, observations: Any) -> Mapping[str, Any]:
            """For type checkers."""

    every_rank_computes = True

    def __init__(self, dim: int, unbiased: bool = True, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.statistic = ProductSums(dim)
        self.dim, self.unbiased = dim, unbiased

    def compute_metric(self, results: Results) -> dict[str, np.ndarray]:
        """Return the means and covariances."""
        count, dim = len(results), self.dim
        exact: Any = results.exact("sums")
        sums, products = exact[:dim].tolist(), exact[dim:].tolist()
        covariance = np.full((dim, dim), math.nan)
        for i, j, product in zip(*np.triu_indices(dim), products, strict=True):
            if count > self.unbiased:
                moment: Fraction = product - sums[i] * sums[j] / count
                covariance[i, j] = covariance[j, i] = to_float(moment / (count - self.unbiased))
        mean = [to_float(total / count) if count else math.nan for total in sums]
        return {"mean": np.array(mean), "covariance": covariance}
