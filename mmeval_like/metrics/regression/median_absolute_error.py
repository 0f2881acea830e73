"""MedianAbsoluteError, MaxError and MeanBias: the median, maximum and mean of errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import combine_outputs
from mmeval_like.metrics._common.order_statistics import UNORDERED, quantile_interval
from mmeval_like.metrics._common.pair_metrics import PairMetric
from mmeval_like.metrics.regression.paired_numbers import PairedNumbers
from mmeval_like.metrics.regression.paired_ranks import Middle
from mmeval_like.metrics.regression.regression_metrics import RegressionMean
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, Results, State, Unpack, state

__all__ = ["MaxError", "MeanBias", "MedianAbsoluteError"]


class MedianAbsoluteError(PairMetric):
    """The median of the absolute errors |p - y|, which a few large errors do not change much.

    For an even number of samples, the median is the mean of the middle two errors. All numbers are
    kept, 16 bytes for each sample. If there are more than 4 MiB of them, they stay on their ranks,
    which find the middle by counting. `add` takes `predictions` and `labels`, (N,), of any real
    dtype, finite.

    Formula:
        error = median_i |p_i - y_i|

    Args:
        relative: Whether to take the median of |p - y| / |y|. The relative error of a sample with
            the label 0 is infinite, or 0 if p is 0 as well.
        nan: What happens with a nan. "raise": `add` raises a ValueError. "omit": a sample with a
            nan does not count.
        **options: As for `BaseMetric`.

    Returns of `compute`: `median_ae`, at least 0; nan without samples. Lower is better.

    Raises:
        ValueError: `nan` is not one of the allowed values.

    Example:
        >>> metric = MedianAbsoluteError()
        >>> metric.add(predictions=[1.0, 2.0, 9.0], labels=[1.0, 4.0, 2.0])
        >>> metric.compute()
        {'median_ae': 2.0}
    """

    ranges = NOT_NEGATIVE
    higher_is_better = False
    _takes_inputs = PairedNumbers.rows
    only_own_intervals = UNORDERED

    def __init__(
        self, relative: bool = False, nan: str = "raise", **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        self.relative = relative
        self.statistic = PairedNumbers(nan, finite=True)

    @property
    def _errors(self) -> Callable[[np.ndarray], np.ndarray]:
        return _relative_errors if self.relative else _errors

    @property
    def asks(self) -> frozenset[Any]:
        """The function whose middle two values are needed: the errors; and the interval's ends."""
        if self.interval is None:
            return frozenset({self._errors})
        return frozenset({self._errors, Middle(self._errors, self.interval)})

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `median_ae`."""
        middle = PairedNumbers.middle_two(results, self._errors)
        if not middle:
            return {"median_ae": math.nan}
        low, high = middle
        return {"median_ae": float(low if low == high else low + (high - low) / 2)}

    def own_intervals(self, results: Results, level: float) -> Mapping[str, Any]:
        """Return the interval between two of the sorted errors."""
        value = self.compute_metric(results)["median_ae"]
        ends, count = PairedNumbers.ends(results, Middle(self._errors, level))
        return {"median_ae": quantile_interval(value, ends, (0.0, math.inf), level, count)}


def _errors(pairs: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        found: np.ndarray = np.abs(pairs[:, 0] - pairs[:, 1])
    return found


def _relative_errors(pairs: np.ndarray) -> np.ndarray:
    errors = _errors(pairs)
    with np.errstate(over="ignore", divide="ignore"):
        np.divide(errors, np.abs(pairs[:, 1]), out=errors, where=errors != 0)
    return errors


class MaxError(RegressionMean):
    """The largest absolute error |p - y| of all samples.

    `add` takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, finite.

    Formula:
        error = max_i |p_i - y_i|

    Args:
        **options: As for `RegressionMean`.

    Returns of `compute`: `max_error`, at least 0; nan without samples. Lower is better.

    Example:
        >>> metric = MaxError()
        >>> metric.add(predictions=[1.0, 2.0, 9.0], labels=[1.0, 4.0, 2.0])
        >>> metric.compute()
        {'max_error': 7.0}
    """

    key = "max_error"
    ranges = NOT_NEGATIVE
    higher_is_better = False
    combined_last = True
    no_interval = "the largest of more samples is larger"

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the absolute errors."""
        return np.abs(predictions - labels)

    def states(self) -> dict[str, State]:
        """Return the largest error of each output, and the number of samples without nan."""
        counted: dict[str, State] = {"counted": state.sum(bool)} if self.nan == "omit" else {}
        return {"largest": state.max(float, (self.num_outputs,)), **counted}

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:  # type: ignore[override]
        """Return every sample's errors; 0 for a sample that is left out due to a nan.

        Args:
            predictions: Numbers (N,), or (N, D) with `num_outputs=D`, of any real dtype.
            labels: The same shape.

        Raises:
            TypeError, ValueError: The inputs are not real numbers, shapes do not fit, or numbers
                are nan, infinite, or integers beyond 2^53.
        """
        if self.nan == "raise":
            return {"largest": self.scores(predictions, labels)}
        rows = super().rows(predictions, labels)
        return {"largest": rows["score"], "counted": rows["weight"] > 0}

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the largest errors, combined."""
        values = [math.nan] * self.num_outputs
        if results.counted if self.nan == "omit" else len(results):
            values = results.largest.tolist()
        return {"max_error": combine_outputs(values, self.multioutput)}


class MeanBias(RegressionMean):
    """The mean of p - y, prediction minus label: positive if predictions are too large on average.

    `add` takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, finite, and
    `sample_weight` (N,).

    Formula:
        bias = (sum w (p - y)) / (sum w)

    Args:
        relative: Whether to take the mean of (p - y) / y. Samples with a label of 0 are then left
            out, with a warning.
        **options: As for `RegressionMean`.

    Returns of `compute`: `bias`, in the labels' unit, or with `relative` a share; 0 is best.
    Without samples it is nan.

    Example:
        >>> metric = MeanBias()
        >>> metric.add(predictions=[1.0, 5.0], labels=[2.0, 2.0])
        >>> metric.compute()  # (-1 + 3) / 2
        {'bias': 1.0}
    """

    key = "bias"
    leaves_out_nan = True

    def __init__(self, *, relative: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.relative = relative

    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the errors; nan where they are relative to 0."""
        found = predictions - labels
        if not self.relative:
            return found
        return np.divide(found, labels, out=np.full_like(found, math.nan), where=labels != 0)
