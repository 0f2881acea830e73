"""R2Score: the share of the labels' variance that predictions explain."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._exact_products import to_float
from mmeval_like.metrics._moments import Moments, RegressionMoments, combine_outputs
from mmeval_like.results import Results

__all__ = ["R2Score"]

_MULTIOUTPUT = ("uniform_average", "raw_values", "variance_weighted")


class R2Score(BaseMetric):
    """The coefficient of determination, 1 - sum(w (y - p)^2) / sum(w (y - mean(y))^2).

    From exact sums, rounded once, so that labels far from 0 lose no digits. For labels that
    are all equal it is 1 for perfect predictions, else 0, as in scikit-learn. `add` takes
    `predictions` and `labels`, (N,) or (N, D), of any real dtype, and `sample_weight` (N,): finite,
    of magnitude up to 1e140 (weights 1e15); magnitudes below 1e-130 (1e-15) count as 0.

    Args:
        num_outputs: D, the numbers per sample; 1 for inputs (N,).
        multioutput: "uniform_average": the mean of the outputs' values; "variance_weighted":
            weighted by the variance of the labels; "raw_values": a list.
        **options: As for `BaseMetric`.

    Returns of `compute`: `r2`, at most 1. With fewer than two samples: nan.

    Raises:
        ValueError: `num_outputs` below 1, an unknown `multioutput`.

    Example:
        >>> metric = R2Score()
        >>> metric.add(predictions=[1.0, 2.0, 4.0], labels=[1.0, 2.0, 3.0])
        >>> metric.compute()
        {'r2': 0.5}
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
        """Return `r2`."""
        outputs = Moments.of(results)
        if len(results) < 2 or not outputs[0].w:
            return {"r2": combine_outputs([math.nan] * len(outputs), self.multioutput)}
        if self.multioutput == "variance_weighted":
            total = sum((_variance(moments) for moments in outputs), Fraction(0))
            if total:
                residual = sum((moments.residual for moments in outputs), Fraction(0))
                return {"r2": to_float(1 - residual / total)}
        return {"r2": combine_outputs([_score(moments) for moments in outputs], self.multioutput)}


def _variance(moments: Moments) -> Fraction:
    return moments.wyy - moments.wy**2 / moments.w


def _score(moments: Moments) -> float:
    variance = _variance(moments)
    if variance == 0:
        return float(moments.residual == 0)
    return to_float(1 - moments.residual / variance)
