"""IntraclassCorrelation: the share of the variance of ratings that lies between items."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from mmeval_like.metrics._common.feature_sums import ProductSums, as_features
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.writing import BELOW_ONE, BaseMetric, MetricOptions, Results, Unpack
from mmeval_like.writing.exact import to_float

__all__ = ["IntraclassCorrelation"]


class RatedItems(ProductSums):
    """The exact sums of the ratings of each rater, and of the products of each pair of raters."""

    def rows(self, ratings: Any) -> dict[str, np.ndarray]:
        """Return the ratings.

        Args:
            ratings: Numbers (N, R) of any real dtype.

        Raises:
            TypeError, ValueError: The numbers are not real, have the wrong shape, are nan or
                infinite, have a magnitude beyond [1e-105, 1e115] and are not 0, or are integers
                beyond 2^53.
        """
        return {"sums": as_features(ratings, self.dim, "ratings")}


class IntraclassCorrelation(BaseMetric):
    """Intraclass correlations: the fraction of the variance of ratings that lies between the items.

    There are n items and R raters. The mean squares of the analysis of variance are B between
    items, W within items, J between raters, and E of the residual (P. E. Shrout and J. L. Fleiss,
    "Intraclass correlations: uses in assessing rater reliability", Psychological Bulletin 1979):

    - `icc1`, for items with different raters: (B - W) / (B + (R - 1) W)
    - `icc2`, for the same raters on all items, who are a sample of all possible raters:
      (B - E) / (B + (R - 1) E + R (J - E) / n)
    - `icc3`, for the same raters on all items, if only these raters are of interest:
      (B - E) / (B + (R - 1) E)
    - `icc1k`, `icc2k`, `icc3k`, the same for the mean of an item's R ratings, in place of one
      rating: (B - W) / B, (B - E) / (B + (J - E) / n), (B - E) / B

    A sample is an item: `add` takes `ratings` (N, R), one number for each rater, of any real dtype,
    finite, of magnitude up to 1e115. The sums of squares are exact.

    Formula:
        icc1 = (B - W) / (B + (R - 1) W)
        icc2 = (B - E) / (B + (R - 1) E + R (J - E)/n)
        icc3 = (B - E) / (B + (R - 1) E)

    Args:
        raters: The number of raters R, at least 2.
        **options: As for `BaseMetric`.

    Returns of `compute`: the six values, at most 1; nan with fewer than two items, and for 0 / 0.
    Higher is better.

    Raises:
        ValueError: `raters` is below 2.

    Example:
        >>> metric = IntraclassCorrelation(raters=2)
        >>> metric.add([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])  # the second is 1 above the first
        >>> metric.compute()["icc3"], metric.compute()["icc2"]
        (1.0, 0.6666666666666666)
    """

    _takes_inputs = RatedItems.rows

    if TYPE_CHECKING:

        def rows(self, ratings: Any) -> Mapping[str, Any]:
            """For type checkers."""

    every_rank_computes = True
    ranges = BELOW_ONE
    higher_is_better = True
    no_interval = "a few raters do not show how much other raters would vary"

    def __init__(self, raters: int, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        if check_count("raters", raters) < 2:
            raise ValueError(f"raters must be at least 2, got {raters}")
        self.statistic = RatedItems(raters)
        self.raters = raters

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the six correlations."""
        names = ("icc1", "icc2", "icc3", "icc1k", "icc2k", "icc3k")
        n, k = len(results), self.raters
        if n < 2:
            return dict.fromkeys(names, math.nan)
        exact: Any = results.exact("sums")
        sums, products = exact[:k].tolist(), exact[k:].tolist()
        pairs = [*zip(*np.triu_indices(k), products, strict=True)]
        squares = sum(product for i, j, product in pairs if i == j)
        of_items = sum(product if i == j else 2 * product for i, j, product in pairs)
        middle = sum(sums) ** 2 / (n * k)
        items = Fraction(of_items) / k - middle
        raters = sum(total * total for total in sums) / n - middle
        within = squares - middle - items
        b, w = items / (n - 1), within / (n * (k - 1))
        j, e = raters / (k - 1), (within - raters) / ((n - 1) * (k - 1))
        parts = (
            (b - w, b + (k - 1) * w),
            (b - e, b + (k - 1) * e + k * (j - e) / n),
            (b - e, b + (k - 1) * e),
            (b - w, b),
            (b - e, b + (j - e) / n),
            (b - e, b),
        )
        found = [to_float(above / below) if below else math.nan for above, below in parts]
        return dict(zip(names, found, strict=True))
