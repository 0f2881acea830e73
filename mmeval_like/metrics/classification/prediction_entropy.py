"""PredictionEntropy, NormalizedEntropy, WeightedCalibration and ClickThroughRate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import read_columns
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.metrics.classification.log_loss import minus_logs
from mmeval_like.metrics.classification.probabilities import as_probabilities
from mmeval_like.writing import (
    NOT_NEGATIVE,
    SHARE,
    BaseMetric,
    RatioOfSums,
    Results,
    SampleMean,
    arrays,
    state,
)
from mmeval_like.writing.exact import entropy_of
from mmeval_like.writing.weights import as_weights

__all__ = ["ClickThroughRate", "NormalizedEntropy", "PredictionEntropy", "WeightedCalibration"]


class PredictionEntropy(SampleMean):
    """The mean entropy of predicted probabilities, in nats: how unsure a model is.

    `add` takes `predictions`, probabilities (N, C), and `sample_weight` (N,).

    Formula:
        entropy = mean (-sum_c p_c ln(p_c))

    Returns of `compute`: `entropy`, in [0, ln C]; nan without samples.

    Example:
        >>> metric = PredictionEntropy()
        >>> metric.add([[0.5, 0.5], [1.0, 0.0]])
        >>> round(metric.compute()["entropy"], 6)  # ln 2 / 2
        0.346574
    """

    processor_dependent = "log"
    key = "entropy"
    ranges = NOT_NEGATIVE

    def scores(self, predictions: Any) -> np.ndarray:
        """Return the entropy of every sample.

        Args:
            predictions: Probabilities (N, C) of all classes, which add up to 1, for each sample.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The shape does not fit, or rows are not probabilities that add up to 1.
        """
        values = arrays.as_numbers(predictions, "predictions")
        if values.ndim != 2 and values.size:
            raise ValueError(f"predictions must have shape (N, C), got {values.shape}")
        values, _ = as_probabilities(values, np.zeros(len(values), np.int64))
        if not len(values):
            return np.zeros(0)
        wide = values.astype(np.float64)
        logarithms = np.log(wide, out=np.zeros_like(wide), where=wide > 0)
        return -arrays.sum_rows(wide * logarithms)


class NormalizedEntropy(BaseMetric):
    """The log loss of predicted clicks, divided by that of always predicting the mean rate.

    The divisor is the entropy of the mean click rate q. A value of 1 is as good as always
    predicting q, and below 1 is better. Source: X. He et al., "Practical lessons from predicting
    clicks on ads at Facebook" (ADKDD 2014).

    `add` takes `predictions`, probabilities of class 1 (N,), `labels`, 0 and 1 (N,), and
    `sample_weight` (N,). Probabilities are clipped to [eps, 1 - eps], where eps is the machine
    epsilon of float64.

    Formula:
        ne = ((sum w loss) / (sum w)) / (-(q ln(q) + (1 - q) ln(1 - q)))
        q = (sum w y) / (sum w)

    Returns of `compute`: `normalized_entropy`, at least 0; nan without samples, and where all
    labels are equal. Lower is better.

    Example:
        >>> metric = NormalizedEntropy()
        >>> metric.add([0.5, 0.5, 0.5, 0.5], [1, 0, 0, 0])
        >>> round(metric.compute()["normalized_entropy"], 6)  # ln 2 / 0.562335
        1.232623
    """

    processor_dependent = "log"
    class_inputs = ("labels",)

    every_rank_computes = True
    loss = state.sum()
    weight = state.sum()
    positive = state.sum()
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return every sample's loss, its weight, and its weight if it is positive.

        Args:
            predictions: Probabilities of class 1 (N,).
            labels: 0 and 1 (N,).
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.
        """
        if np.ndim(predictions) > 1:
            raise ValueError("predictions must have shape (N,)")
        values, truth = as_probabilities(predictions, labels)
        costs = minus_logs(values.astype(np.float64), float(np.finfo(np.float64).eps))
        losses = costs[np.arange(len(truth)), truth]
        weights = as_weights(sample_weight, len(truth))
        return {"loss": losses * weights, "weight": weights, "positive": truth * weights}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `normalized_entropy`."""
        weight, positive = results.exact("weight"), results.exact("positive")
        if not weight or positive in (0, weight):
            return {"normalized_entropy": math.nan}
        rate = positive / weight
        entropy = entropy_of([rate, 1 - rate])
        return {"normalized_entropy": float(results.loss / results.weight / entropy)}


class WeightedCalibration(RatioOfSums):
    """The sum of predictions over the sum of labels: 1 if they agree in total.

    `add` takes `predictions`, numbers (N,), `labels`, numbers (N,), and `sample_weight` (N,).

    Formula:
        calibration = (sum w p) / (sum w y)

    Returns of `compute`: `calibration`; nan where the labels add up to 0, as without samples.

    Example:
        >>> WeightedCalibration()([0.5, 0.75, 0.25], [1, 0, 1])
        {'calibration': 0.75}
    """

    key = "calibration"
    ranges = NOT_NEGATIVE

    def parts(self, predictions: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return predictions and labels.

        Args:
            predictions: Numbers (N,), finite.
            labels: Numbers (N,), finite.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes or lengths do not fit, or a number is nan or infinite.
        """
        numerators, denominators = read_columns(predictions=predictions, labels=labels)
        return numerators.copy(), denominators.copy()


class ClickThroughRate(RatioOfSums):
    """The click-through rate: the fraction of shown items that were clicked.

    `add` takes `clicks`, 0 and 1 (N,), and `sample_weight` (N,).

    Formula:
        ctr = (sum w c) / (sum w)

    Returns of `compute`: `ctr`, in [0, 1]; nan without samples.

    Example:
        >>> ClickThroughRate()([1, 0, 0, 1], sample_weight=[1, 1, 1, 2])
        {'ctr': 0.6}
    """

    key = "ctr"
    ranges = SHARE

    def parts(self, clicks: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return clicks and ones.

        Args:
            clicks: 0 and 1 (N,).

        Raises:
            TypeError: A click is not a whole number.
            ValueError: The shape does not fit, or a click is neither 0 nor 1.
        """
        found = arrays.as_integers(clicks, "clicks")
        check_one_axis("clicks", found)
        arrays.check_range("clicks", found, 2)
        return found.astype(np.float64), np.ones(len(found))
