"""RootMeanSquaredError: the root of the mean squared difference of numbers."""

from __future__ import annotations

import math
from typing import Any

from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._exact_products import sqrt_fraction
from mmeval_like.metrics._moments import Moments, RegressionMoments, combine_outputs
from mmeval_like.results import Results

__all__ = ["RootMeanSquaredError"]

_MULTIOUTPUT = ("uniform_average", "raw_values")


class RootMeanSquaredError(BaseMetric):
    """sqrt(sum(w (y - p)^2) / sum(w)) over samples, for every output; in the labels' unit.

    Sums are exact and the root is rounded once. `add` takes `predictions` and `labels`, (N,) or
    (N, D), of any real dtype, and `sample_weight` (N,): finite, of magnitude up to 1e140 (weights
    1e15); magnitudes below 1e-130 (1e-15) count as 0.

    Args:
        num_outputs: D, the numbers per sample; 1 for inputs (N,).
        multioutput: "uniform_average": the mean of the outputs' values; "raw_values": a list.
        **options: As for `BaseMetric`.

    Returns of `compute`: `rmse`. Without samples, or when all weights are 0: nan.

    Raises:
        ValueError: `num_outputs` below 1, an unknown `multioutput`.

    Example:
        >>> metric = RootMeanSquaredError()
        >>> metric.add(predictions=[2.0, 4.0], labels=[1.0, 11.0])
        >>> metric.compute()
        {'rmse': 5.0}
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
        """Return `rmse`."""
        values = [_root_mean(moments) for moments in Moments.of(results)]
        return {"rmse": combine_outputs(values, self.multioutput)}


def _root_mean(moments: Moments) -> float:
    return sqrt_fraction(moments.residual / moments.w) if moments.w else math.nan
