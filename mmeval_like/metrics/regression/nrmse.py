"""NormalizedRootMeanSquaredError: the root mean squared error in units of the labels' size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.moment_sums import Moments, RegressionMoments
from mmeval_like.metrics._common.number_inputs import check_option, combine_outputs
from mmeval_like.metrics.regression.regression_metrics import MomentsMetric
from mmeval_like.writing import NOT_NEGATIVE, Results, State, state
from mmeval_like.writing.exact import sqrt_fraction

__all__ = ["NormalizedRootMeanSquaredError"]

_UNITS = ("mean", "range", "std", "l2")


@dataclass(frozen=True)
class RangedMoments(RegressionMoments):
    """The moments, and the extrema of the labels."""

    @property
    def on_accelerator(self) -> bool:
        """Whether the accelerator adds up the rows: it does not."""
        return False

    def states(self) -> dict[str, State]:
        """Return the sums and the extrema."""
        shape = (self.num_outputs,)
        return super().states() | {
            "most": state.max(float, shape),
            "least": state.min(float, shape),
        }

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the rows of the moments, and the labels that count for the extrema."""
        rows = super().rows(predictions, labels, sample_weight)
        weight, label = rows["moments"][:, :, 0], rows["moments"][:, :, 1]
        extrema = {
            "most": np.where(weight > 0, label, -np.inf),
            "least": np.where(weight > 0, label, np.inf),
        }
        return rows | extrema


class NormalizedRootMeanSquaredError(MomentsMetric):
    """The root mean squared error, relative to the size of the labels.

    Sums are exact, and the root is rounded once. `add` takes `predictions` and `labels`, (N,) or
    (N, D), of any real dtype, each zero or of magnitude 1e-105 to 1e115, and `sample_weight` (N,),
    each 0 or in [1e-60, 1e60].

    Formula:
        nrmse = 1/size sqrt((sum w (y - p)^2) / (sum w))

    Args:
        normalization: How the size of the labels y is defined. "mean": the magnitude of their mean.
            "range": the largest label minus the smallest one. "std": their standard deviation, with
            the divisor N. "l2": sqrt(sum(w y^2)).
        **options: As for `MomentsMetric`.

    Returns of `compute`: `nrmse`, at least 0; nan without samples, and where the divisor is 0.
    Lower is better.

    Raises:
        ValueError: `normalization` is not one of the allowed values.

    Example:
        >>> metric = NormalizedRootMeanSquaredError()
        >>> metric.add(predictions=[3.0, 4.0], labels=[2.0, 3.0])
        >>> metric.compute()  # 1 / 2.5
        {'nrmse': 0.4}
    """

    key = "nrmse"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(self, *, normalization: str = "mean", nan: str = "raise", **options: Any) -> None:
        super().__init__(nan=nan, **options)
        self.normalization = check_option("normalization", normalization, _UNITS)
        if normalization == "range":
            self.statistic = RangedMoments(self.num_outputs, nan)

    def value(self, moments: Moments) -> float:
        """Return the value of one output, for any normalization except "range"."""
        m = moments
        squares = {
            "mean": (m.wy / m.w) ** 2,
            "std": m.variance / m.w,
            "l2": m.wyy,
        }
        return _root(m, squares[self.normalization])

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `nrmse`."""
        if self.normalization != "range":
            return super().compute_metric(results)
        outputs = Moments.of(results)
        values = [math.nan] * len(outputs)
        if outputs[0].w:
            ends = zip(results.most.tolist(), results.least.tolist(), strict=True)
            values = [
                _root(m, (Fraction(most) - Fraction(least)) ** 2)
                for m, (most, least) in zip(outputs, ends, strict=True)
            ]
        return {"nrmse": combine_outputs(values, self.multioutput)}


def _root(m: Moments, square: Fraction) -> float:
    """Return the root mean squared error divided by the root of `square`."""
    return sqrt_fraction(max(m.residual, Fraction(0)) / m.w / square) if square else math.nan
