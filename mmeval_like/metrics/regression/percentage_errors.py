"""MeanAbsolutePercentageError and its symmetric and weighted variants."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import combine_outputs
from mmeval_like.metrics.regression.regression_metrics import RegressionMean
from mmeval_like.writing import NOT_NEGATIVE, Ranges, Results, ratio

__all__ = [
    "MeanAbsolutePercentageError",
    "SymmetricMeanAbsolutePercentageError",
    "WeightedMeanAbsolutePercentageError",
]

_LEAST = 2.0**-52
_UP_TO_TWO: Ranges = {"*": (0.0, 2.0)}


class MeanAbsolutePercentageError(RegressionMean):
    """The mean absolute percentage error: the mean of |p - y| / |y|, as a fraction, not in percent.

    As in scikit-learn, a divisor |y| below 2^-52 counts as 2^-52. `add` takes `predictions` and
    `labels`, (N,) or (N, D), of any real dtype, finite, and `sample_weight` (N,).

    Formula:
        mape = (sum w |p - y| / |y|) / (sum w)

    Args:
        **options: As for `RegressionMean`.

    Returns of `compute`: `mape`, at least 0; nan without samples. Lower is better.

    Example:
        >>> metric = MeanAbsolutePercentageError()
        >>> metric.add(predictions=[1.0, 5.0], labels=[2.0, 4.0])
        >>> metric.compute()  # (1 / 2 + 1 / 4) / 2
        {'mape': 0.375}
    """

    key = "mape"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the relative errors."""
        found: np.ndarray = np.abs(predictions - labels) / np.maximum(np.abs(labels), _LEAST)
        return found


class SymmetricMeanAbsolutePercentageError(RegressionMean):
    """The symmetric mean absolute percentage error, as a fraction in [0, 2], not in percent.

    Formula:
        smape = (sum 2 w |p - y| / (|p| + |y|)) / (sum w)

    Source: S. Makridakis, "Accuracy measures: theoretical and practical concerns", International
    Journal of Forecasting 9 (1993). `add` takes `predictions` and `labels`, (N,) or (N, D), of any
    real dtype, finite, and `sample_weight` (N,).

    Args:
        **options: As for `RegressionMean`.

    Returns of `compute`: `smape`, in [0, 2]; nan without samples. Lower is better.

    Example:
        >>> metric = SymmetricMeanAbsolutePercentageError()
        >>> metric.add(predictions=[1.0, 0.0], labels=[3.0, 0.0])
        >>> metric.compute()  # (2 * 2 / 4 + 0) / 2
        {'smape': 0.5}
    """

    key = "smape"
    ranges = _UP_TO_TWO
    higher_is_better = False

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the relative errors, computed from halves so that no sum exceeds float64."""
        size = np.abs(predictions) / 2 + np.abs(labels) / 2
        gap = np.abs(predictions / 2 - labels / 2)
        # Halves of the smallest numbers underflow to 0.
        tiny = (size < 2.0**-1000) & (size >= 0)
        size = np.where(tiny, np.abs(predictions) + np.abs(labels), size)
        gap = np.where(tiny, np.abs(predictions - labels), gap)
        found = np.zeros_like(size)
        np.divide(gap, size, out=found, where=size != 0)
        return 2 * found


class WeightedMeanAbsolutePercentageError(RegressionMean):
    """The weighted mean absolute percentage error: the sum of errors over the sum of labels.

    The value is a share, not in percent. A sample's weight w multiplies both its error |p - y| and
    its label |y|. Source: S. Kolassa and W. Schütz, "Advantages of the MAD/MEAN ratio over the
    MAPE", Foresight 6 (2007). `add` takes `predictions` and `labels`, (N,) or (N, D), of any real
    dtype, finite, and `sample_weight` (N,).

    Formula:
        wmape = (sum w |p - y|) / (sum w |y|)

    Args:
        **options: As for `RegressionMean`.

    Returns of `compute`: `wmape`, at least 0; nan without samples, and where all labels are 0.
    Lower is better.

    Example:
        >>> metric = WeightedMeanAbsolutePercentageError()
        >>> metric.add(predictions=[1.0, 5.0], labels=[2.0, 4.0])
        >>> metric.compute()  # (1 + 1) / (2 + 4)
        {'wmape': 0.3333333333333333}
    """

    key = "wmape"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self, num_outputs: int = 1, multioutput: str = "uniform_average", **options: Any
    ) -> None:
        super().__init__(num_outputs, multioutput, **options)
        self.outputs = 2 * num_outputs

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the absolute errors, followed by the absolute labels."""
        return np.concatenate([np.abs(predictions - labels), np.abs(labels)], axis=1)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return `wmape`."""
        sums = results.score.tolist()
        pairs = zip(sums[: self.num_outputs], sums[self.num_outputs :], strict=True)
        values = [ratio(error, label) for error, label in pairs]
        return {"wmape": combine_outputs(values, self.multioutput)}
