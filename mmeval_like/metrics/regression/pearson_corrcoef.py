"""PearsonCorrCoef: how close predictions and labels are to a line."""

from __future__ import annotations

import math

from mmeval_like.metrics._common.moment_sums import Moments
from mmeval_like.metrics.regression.regression_metrics import MomentsMetric
from mmeval_like.writing import CORRELATION
from mmeval_like.writing.exact import correlation

__all__ = ["PearsonCorrCoef"]


class PearsonCorrCoef(MomentsMetric):
    """Pearson's correlation: how close predictions and labels are to lying on a line.

    The value is the covariance divided by the product of the standard deviations s_p and s_y. Sums
    are exact and the value is rounded once, so that points on a line give exactly 1 or -1. `add`
    takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, each zero or of magnitude
    1e-105 to 1e115, and `sample_weight` (N,), each 0 or in [1e-60, 1e60].

    Formula:
        r = cov(p, y) / (s_p s_y)

    Args:
        **options: As for `MomentsMetric`.

    Returns of `compute`: `pearson`, in [-1, 1]; nan where predictions or labels are all equal, also
    with fewer than two samples. Higher is better.

    Example:
        >>> metric = PearsonCorrCoef()
        >>> metric.add(predictions=[1e9 + 1, 1e9 + 2, 1e9 + 3], labels=[3.0, 2.0, 1.0])
        >>> metric.compute()
        {'pearson': -1.0}
    """

    key = "pearson"
    ranges = CORRELATION
    higher_is_better = True

    def value(self, moments: Moments) -> float:
        """Return the correlation of one output."""
        m = moments
        covariance = m.w * m.wyp - m.wy * m.wp
        variances = (m.w * m.wyy - m.wy**2) * (m.w * m.wpp - m.wp**2)
        if variances == 0:
            return math.nan
        return correlation(covariance, variances)
