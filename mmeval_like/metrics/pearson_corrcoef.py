"""PearsonCorrCoef: how close predictions and labels are to a line."""

from __future__ import annotations

import math
from typing import Any

from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._exact_products import sqrt_fraction
from mmeval_like.metrics._moments import Moments, RegressionMoments, combine_outputs
from mmeval_like.results import Results

__all__ = ["PearsonCorrCoef"]

_MULTIOUTPUT = ("uniform_average", "raw_values")


class PearsonCorrCoef(BaseMetric):
    """Pearson's correlation: covariance over the product of the standard deviations.

    From exact sums, rounded once: a perfect line gives exactly 1 or -1, wherever it lies.
    `add` takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, and `sample_weight`
    (N,): finite, of magnitude up to 1e140 (weights 1e15); magnitudes below 1e-130 (1e-15) count
    as 0.

    Args:
        num_outputs: D, the numbers per sample; 1 for inputs (N,).
        multioutput: "uniform_average": the mean of the outputs' values; "raw_values": a list.
        **options: As for `BaseMetric`.

    Returns of `compute`: `pearson`, in [-1, 1]; nan where predictions or labels are all equal,
    as with fewer than two samples.

    Raises:
        ValueError: `num_outputs` below 1, an unknown `multioutput`.

    Example:
        >>> metric = PearsonCorrCoef()
        >>> metric.add(predictions=[1e9 + 1, 1e9 + 2, 1e9 + 3], labels=[3.0, 2.0, 1.0])
        >>> metric.compute()
        {'pearson': -1.0}
    """

    def __init__(
        self, num_outputs: int = 1, multioutput: str = "uniform_average", **options: Any
    ) -> None:
        super().__init__(**options)
        if multioutput not in _MULTIOUTPUT:
            raise ValueError(f"multioutput must be one of {_MULTIOUTPUT}, got {multioutput!r}")
        self.multioutput = multioutput
        self.statistic = RegressionMoments(num_outputs)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `pearson`."""
        values = [_correlation(moments) for moments in Moments.of(results)]
        return {"pearson": combine_outputs(values, self.multioutput)}


def _correlation(m: Moments) -> float:
    covariance = m.w * m.wyp - m.wy * m.wp
    variances = (m.w * m.wyy - m.wy**2) * (m.w * m.wpp - m.wp**2)
    if variances == 0:
        return math.nan
    return math.copysign(sqrt_fraction(covariance**2 / variances), covariance)
