"""The base classes of regression metrics: means of a score per sample, and formulas of moments."""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.moment_sums import Moments, RegressionMoments
from mmeval_like.metrics._common.number_inputs import (
    MULTIOUTPUT,
    check_option,
    combine_outputs,
    omit_nan,
    read_pair,
)
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import MetricOptions, Results, SampleMean, Unpack, arrays
from mmeval_like.writing.weights import weights_apart

__all__ = ["MomentsMetric", "NumbersMean", "RegressionMean"]

_NAN = ("raise", "omit")


@shared_options
class NumbersMean(SampleMean):
    """The base class of means of one score per sample of numbers.

    Args:
        nan: What happens with a nan. "raise": `add` raises a ValueError. "omit": a sample with a
            nan in any argument does not count.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `nan` is not one of the allowed values.
    """

    _meaning = ("states", "mean", "compute_metric")

    def __init__(self, *, nan: str = "raise", **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.nan = check_option("nan", nan, _NAN)

    def _read(self, value: Any, name: str) -> Any:
        """Return an input as float64: one array, or one array for each sample."""
        return arrays.as_floats(value, name)

    def rows(self, *batch: Any, sample_weight: Any = None, **named: Any) -> dict[str, np.ndarray]:
        """Return every sample's score and weight.

        Args:
            *batch: The inputs of `scores`, followed by the weights if these are not given by name.
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.
            **named: The inputs of `scores` by name.
        """
        if self.nan == "raise":
            return super().rows(*batch, sample_weight=sample_weight, **named)
        batch, sample_weight = weights_apart(type(self).scores, batch, sample_weight)
        given = inspect.signature(self.scores).bind(*batch, **named).arguments
        inputs, weights = omit_nan(given, sample_weight, self._read)
        return super().rows(**inputs, sample_weight=weights)


@shared_options
class RegressionMean(NumbersMean):
    """The base class of regression metrics that are a mean of one score per number.

    Args:
        num_outputs: The number D of outputs, that is of numbers in each sample; 1 for inputs (N,).
        multioutput: With several outputs, "uniform_average": the result is the mean of the outputs'
            values; "raw_values": a list of them.
        **options: As for `NumbersMean`.

    Raises:
        ValueError: `num_outputs` is below 1, or `multioutput` or `nan` is unknown.
    """

    combined_last: ClassVar[bool] = False
    """Whether the outputs' values are combined at the end, not in every sample."""

    def __init__(
        self, num_outputs: int = 1, multioutput: str = "uniform_average", **options: Any
    ) -> None:
        super().__init__(**options)
        self.num_outputs = check_count("num_outputs", num_outputs)
        self.multioutput = check_option("multioutput", multioutput, MULTIOUTPUT)
        if self.combined_last or multioutput == "raw_values":
            self.outputs = num_outputs

    @abstractmethod
    def errors(self, predictions: np.ndarray, labels: np.ndarray) -> Any:
        """Return the score of every number; inputs are finite float64 arrays (N, D)."""

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the score of every sample.

        Args:
            predictions: Numbers (N,), or (N, D) with `num_outputs=D`, of any real dtype.
            labels: The same shape.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit; a value is nan or infinite; an integer is beyond 2^53; or
                the metric is not defined for a value.
        """
        with np.errstate(over="ignore"):
            found: np.ndarray = self.errors(*read_pair(predictions, labels, self.num_outputs))
        if self.outputs is not None:
            return found
        return found[:, 0] if self.num_outputs == 1 else arrays.sum_rows(found) / self.num_outputs


@shared_options
class MomentsMetric(WeightedPairMetric):
    """The base class of metrics that are computed exactly from first and second moments.

    In a `MetricCollection`, all such metrics share their sums.

    Args:
        num_outputs: The number D of outputs, that is of numbers in each sample; 1 for inputs (N,).
        multioutput: With several outputs, "uniform_average": the result is the mean of the outputs'
            values; "raw_values": a list of them.
        nan: What happens with a nan. "raise": `add` raises a ValueError. "omit": a sample with a
            nan in any argument does not count.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `num_outputs` is below 1, or `multioutput` or `nan` is unknown.
    """

    _takes_inputs = RegressionMoments.rows

    every_rank_computes = True

    key: ClassVar[str]
    multioutputs: ClassVar[tuple[str, ...]] = MULTIOUTPUT

    def __init__(
        self,
        num_outputs: int = 1,
        multioutput: str = "uniform_average",
        *,
        nan: str = "raise",
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.num_outputs = check_count("num_outputs", num_outputs)
        self.multioutput = check_option("multioutput", multioutput, self.multioutputs)
        self.nan = check_option("nan", nan, _NAN)
        self.statistic = RegressionMoments(num_outputs, self.nan)

    @abstractmethod
    def value(self, moments: Moments) -> float:
        """Return the value of one output; the total weight of its moments is positive."""

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the outputs' values, combined."""
        values = [self.value(m) if m.w else math.nan for m in Moments.of(results)]
        return {self.key: combine_outputs(values, self.multioutput)}
