"""RootMeanSquaredError: the root of the mean squared difference of numbers."""

from __future__ import annotations

from fractions import Fraction

from mmeval_like.metrics._common.moment_sums import Moments
from mmeval_like.metrics.regression.regression_metrics import MomentsMetric
from mmeval_like.writing import NOT_NEGATIVE
from mmeval_like.writing.exact import sqrt_fraction

__all__ = ["RootMeanSquaredError"]


class RootMeanSquaredError(MomentsMetric):
    """The root mean squared error (RMSE), in the labels' unit.

    Each output has a value of its own. Sums are exact, and the root is rounded once. `add` takes
    `predictions` and `labels`, (N,) or (N, D), of any real dtype, 0 or of magnitude 1e-105 to
    1e115, and `sample_weight` (N,), each 0 or in [1e-60, 1e60].

    Formula:
        rmse = sqrt((sum w (y - p)^2) / (sum w))

    Args:
        **options: As for `MomentsMetric`.

    Returns of `compute`: `rmse`. Without samples, or when all weights are 0: nan. Lower is better.

    Example:
        >>> metric = RootMeanSquaredError()
        >>> metric.add(predictions=[2.0, 4.0], labels=[1.0, 11.0])
        >>> metric.compute()
        {'rmse': 5.0}
    """

    key = "rmse"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def value(self, moments: Moments) -> float:
        """Return the root of one output."""
        # An interval looks at the root on both sides of the mean, and 0 is the least there is.
        return sqrt_fraction(max(moments.residual, Fraction(0)) / moments.w)
