"""RootMeanSquaredError: the root of the mean squared difference of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.moment_sums import Moments, RegressionMoments
from mmeval_like.metrics._common.number_inputs import combine_outputs
from mmeval_like.metrics.regression.regression_metrics import MomentsMetric
from mmeval_like.writing import NOT_NEGATIVE, Results, State, ratio, state
from mmeval_like.writing.exact import sqrt_fraction
from mmeval_like.writing.intervals import Jackknife

__all__ = ["RootMeanSquaredError"]


@dataclass(frozen=True)
class MomentsAndErrors(RegressionMoments):
    """The moments, and the sums that give the mean squared error and its interval."""

    @property
    def on_accelerator(self) -> bool:
        """Whether the accelerator adds up the rows: it does not."""
        return False

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife of the squared errors, which gives the intervals."""
        return Jackknife(sums=("score", "weight"))

    def states(self) -> dict[str, State]:
        """Return the moments, and the states of `MeanSquaredError`."""
        errors = {"score": state.sum(float, (self.num_outputs,)), "weight": state.sum()}
        return super().states() | errors

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the rows of the moments, and every squared error with its weight."""
        rows = super().rows(predictions, labels, sample_weight)
        weights, labels, predictions = np.moveaxis(rows["moments"], 2, 0)
        errors = predictions - labels
        return rows | {"score": errors * errors * weights, "weight": weights[:, 0]}


class RootMeanSquaredError(MomentsMetric):
    """The root mean squared error (RMSE), in the labels' unit.

    Each output has its own value. Sums are exact, and the root is rounded once. `add` takes
    `predictions` and `labels`, (N,) or (N, D), of any real dtype, each zero or of magnitude 1e-105
    to 1e115, and `sample_weight` (N,), each 0 or in [1e-60, 1e60].

    Formula:
        rmse = sqrt((sum w (y - p)^2) / (sum w))

    Args:
        **options: As for `MomentsMetric`.

    Returns of `compute`: `rmse`. Without samples, or if all weights are 0, the value is nan. Lower
    is better.

    Example:
        >>> metric = RootMeanSquaredError()
        >>> metric.add(predictions=[2.0, 4.0], labels=[1.0, 11.0])
        >>> metric.compute()
        {'rmse': 5.0}
    """

    key = "rmse"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self, num_outputs: int = 1, multioutput: str = "uniform_average", **options: Any
    ) -> None:
        super().__init__(num_outputs, multioutput, **options)
        if self.interval is not None:
            self.statistic = MomentsAndErrors(self.num_outputs, self.nan)

    def value(self, moments: Moments) -> float:
        """Return the root of one output."""
        # An interval evaluates the root on both sides of the mean, and may reach below 0.
        return sqrt_fraction(max(moments.residual, Fraction(0)) / moments.w)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `rmse`, from the squared errors if only these are known, as in intervals."""
        if hasattr(results, "moments"):
            return super().compute_metric(results)
        roots = [math.sqrt(max(square, 0.0)) for square in _mean_squares(results)]
        return {"rmse": combine_outputs(roots, self.multioutput)}

    def before_root(self, results: Results) -> Mapping[str, Any] | None:
        """Return the mean squared errors; None where the value is the mean of several roots."""
        if self.num_outputs > 1 and self.multioutput != "raw_values":
            return None
        if not hasattr(results, "score"):
            return None
        return {"rmse": combine_outputs(_mean_squares(results), self.multioutput)}


def _mean_squares(results: Results) -> list[float]:
    return [ratio(score, results.weight) for score in results.score.tolist()]
