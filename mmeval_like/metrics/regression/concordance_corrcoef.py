"""ConcordanceCorrCoef: how close predictions and labels are to being equal."""

from __future__ import annotations

import math

from mmeval_like.metrics._common.moment_sums import Moments
from mmeval_like.metrics.regression.regression_metrics import MomentsMetric
from mmeval_like.writing import CORRELATION
from mmeval_like.writing.exact import to_float

__all__ = ["ConcordanceCorrCoef"]


class ConcordanceCorrCoef(MomentsMetric):
    """Lin's concordance correlation: how close predictions and labels are to being equal.

    The value is 1 only if all predictions p equal their labels y. Unlike Pearson's correlation, it
    is lower if all predictions are too large, or vary too much. Variances and covariance are
    divided by N, as in Lin's definition; they are exact, and the value is rounded once. Source: L.
    I-K. Lin, "A concordance correlation coefficient to evaluate reproducibility", Biometrics 45
    (1989).

    `add` takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, each 0 or of
    magnitude 1e-105 to 1e115, and `sample_weight` (N,), each 0 or in [1e-60, 1e60].

    Formula:
        rho = 2 cov(y, p) / (var(y) + var(p) + (bar y - bar p)^2)

    Args:
        **options: As for `MomentsMetric`.

    Returns of `compute`: `concordance`, in [-1, 1]; nan without samples, and where all predictions
    and labels are the same number. Higher is better.

    Example:
        >>> metric = ConcordanceCorrCoef()
        >>> metric.add(predictions=[2.0, 3.0, 4.0], labels=[1.0, 2.0, 3.0])
        >>> metric.compute()  # (4 / 3) / (2 / 3 + 2 / 3 + 1)
        {'concordance': 0.5714285714285714}
    """

    key = "concordance"
    ranges = CORRELATION
    higher_is_better = True

    def value(self, moments: Moments) -> float:
        """Return the concordance of one output."""
        m = moments
        # Both parts are multiplied by w^2: var(y) + var(p) = mean squared error + 2 cov(y, p)
        # - (mean(y) - mean(p))^2.
        covariance = m.w * m.wyp - m.wy * m.wp
        whole = m.w * m.residual + 2 * covariance
        return to_float(2 * covariance / whole) if whole else math.nan
