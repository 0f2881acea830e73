"""R2Score, ExplainedVariance and RelativeSquaredError: errors relative to labels' variance."""

from __future__ import annotations

import math
import operator
from abc import abstractmethod
from fractions import Fraction
from typing import Any

from mmeval_like.metrics._common.moment_sums import Moments
from mmeval_like.metrics._common.number_inputs import combine_outputs
from mmeval_like.metrics.regression.regression_metrics import MomentsMetric
from mmeval_like.writing import BELOW_ONE, NOT_NEGATIVE, Results
from mmeval_like.writing.exact import sqrt_fraction, to_float

__all__ = ["ExplainedVariance", "R2Score", "RelativeSquaredError"]


class ExplainedShare(MomentsMetric):
    """The base class of metrics 1 - (unexplained variance) / (the labels' variance).

    Args:
        num_outputs: The number D of outputs, that is of numbers in each sample; 1 for inputs (N,).
        multioutput: With several outputs, "uniform_average": the result is the mean of the outputs'
            values; "variance_weighted": their mean weighted by the variances of the labels, so that
            an output whose labels are all equal does not count; "raw_values": a list of them.
        nan: What happens with a nan. "raise": `add` raises a ValueError. "omit": a sample with a
            nan in any argument does not count.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `num_outputs` is below 1, or `multioutput` or `nan` is unknown.
    """

    multioutputs = ("uniform_average", "raw_values", "variance_weighted")

    @abstractmethod
    def unexplained(self, moments: Moments) -> Fraction:
        """Return the unexplained part of the sum of w (y - mean(y))^2."""

    def value(self, moments: Moments) -> float:
        """Return the share of one output; 1 or 0 if all labels are equal."""
        if not moments.variance:
            return float(not self.unexplained(moments))
        return to_float(1 - self.unexplained(moments) / moments.variance)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the outputs' values, combined."""
        outputs = Moments.of(results)
        if self.multioutput == "variance_weighted" and outputs[0].w:
            varying = [m for m in outputs if m.variance]
            if varying:  # an output whose labels are all equal has weight 0
                total = sum((m.variance for m in varying), Fraction(0))
                rest = sum(map(self.unexplained, varying), Fraction(0))
                return {self.key: to_float(1 - rest / total)}
        return super().compute_metric(results)


class R2Score(ExplainedShare):
    """R2, the coefficient of determination: how much of the labels' variance is explained.

    1 is perfect, 0 is no better than always predicting the mean of the labels y, and below 0 is
    worse. Sums are exact and the value is rounded once, so that labels far from 0 lose no digits.
    If all labels are equal, the value is 1 for perfect predictions p and 0 otherwise, as in
    scikit-learn. `add` takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, each
    zero or of magnitude 1e-105 to 1e115, and `sample_weight` (N,), each 0 or in [1e-60, 1e60].

    Formula:
        R^2 = 1 - (sum w (y - p)^2) / (sum w (y - bar y)^2)

    Args:
        adjusted: The number k of regressors that the value is corrected for: 1 - (1 - r2)(n - 1) /
            (n - k - 1), where n is the number of samples, whatever their weights. 0: no correction.
        **options: As for `ExplainedShare`.

    Returns of `compute`: `r2`, at most 1; nan with fewer than two samples, or with at most
    `adjusted` + 1. Higher is better.

    Raises:
        ValueError: `adjusted` is negative, or is combined with `nan="omit"`.

    Example:
        >>> metric = R2Score()
        >>> metric.add(predictions=[1.0, 2.0, 4.0], labels=[1.0, 2.0, 3.0])
        >>> metric.compute()
        {'r2': 0.5}
    """

    key = "r2"
    ranges = BELOW_ONE
    higher_is_better = True

    def __init__(
        self,
        num_outputs: int = 1,
        multioutput: str = "uniform_average",
        *,
        adjusted: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(num_outputs, multioutput, **options)
        self.adjusted = operator.index(adjusted)
        if self.adjusted < 0:
            raise ValueError(f"adjusted must not be negative, got {adjusted}")
        if self.adjusted and self.nan == "omit":
            raise ValueError('adjusted needs the number of samples: leave out nan="omit"')

    def unexplained(self, moments: Moments) -> Fraction:
        """Return the squared errors."""
        return moments.residual

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `r2`."""
        outputs, count, regressors = Moments.of(results), len(results), self.adjusted
        if count < max(2, regressors + 2) or not outputs[0].w:
            return {"r2": combine_outputs([math.nan] * len(outputs), self.multioutput)}
        found = super().compute_metric(results)["r2"]
        if not regressors:
            return {"r2": found}
        factor = (count - 1) / (count - regressors - 1)
        if isinstance(found, list):
            return {"r2": [1 - (1 - value) * factor for value in found]}
        return {"r2": 1 - (1 - found) * factor}


class ExplainedVariance(ExplainedShare):
    """The fraction of the labels' variance that the predictions explain, up to a constant offset.

    1 is perfect. Unlike R2, the value does not fall if all predictions p are too large by the same
    amount. Sums are exact, and the value is rounded once. If all labels y are equal, the value is 1
    if all errors are equal and 0 otherwise, as in scikit-learn. `add` takes `predictions` and
    `labels`, (N,) or (N, D), of any real dtype, each zero or of magnitude 1e-105 to 1e115, and
    `sample_weight` (N,), each 0 or in [1e-60, 1e60].

    Formula:
        ev = 1 - var(y - p) / var(y)

    Args:
        **options: As for `ExplainedShare`.

    Returns of `compute`: `explained_variance`, at most 1; nan without samples. Higher is better.

    Example:
        >>> metric = ExplainedVariance()
        >>> metric.add(predictions=[11.0, 12.0, 14.0], labels=[1.0, 2.0, 3.0])
        >>> metric.compute()  # 1 - (2 / 3) / 2
        {'explained_variance': 0.6666666666666666}
    """

    key = "explained_variance"
    ranges = BELOW_ONE
    higher_is_better = True

    def unexplained(self, moments: Moments) -> Fraction:
        """Return the sum of w (e - mean(e))^2 for the errors e."""
        return moments.residual - (moments.wy - moments.wp) ** 2 / moments.w


class RelativeSquaredError(MomentsMetric):
    """The sum of squared errors, relative to that of always predicting the labels' mean: 1 - R2.

    Sums are exact, and the value is rounded once. `add` takes `predictions` and `labels`, (N,) or
    (N, D), of any real dtype, each zero or of magnitude 1e-105 to 1e115, and `sample_weight` (N,),
    each 0 or in [1e-60, 1e60].

    Formula:
        rse = (sum w (y - p)^2) / (sum w (y - bar y)^2)

    Args:
        squared: True: the value as above. False: its root.
        **options: As for `MomentsMetric`.

    Returns of `compute`: `rse`, at least 0; nan without samples, and where all labels are equal.
    Lower is better.

    Example:
        >>> metric = RelativeSquaredError()
        >>> metric.add(predictions=[1.0, 2.0, 4.0], labels=[1.0, 2.0, 3.0])
        >>> metric.compute()
        {'rse': 0.5}
    """

    key = "rse"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(self, *, squared: bool = True, **options: Any) -> None:
        super().__init__(**options)
        self.squared = squared

    def value(self, moments: Moments) -> float:
        """Return the ratio of one output, or its root."""
        if not moments.variance:
            return math.nan
        ratio = moments.residual / moments.variance
        return to_float(ratio) if self.squared else sqrt_fraction(ratio)
