"""CalibrationError: how far predicted probabilities are from how often they come true."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like import state
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._probabilities import as_probabilities
from mmeval_like.metrics._weighted_counts import WeightedCount
from mmeval_like.results import Results
from mmeval_like.state import State

__all__ = ["CalibrationError"]


class CalibrationError(BaseMetric):
    """The expected (ECE) and the maximum (MCE) calibration error over bins of confidence.

    The confidence of a sample is its highest probability, and the prediction is right if that
    class (of equal ones the first) is the label; for probabilities of class 1, (N,), the
    confidence is that probability, and right means that the label is 1. Bins are of equal
    width, ((b - 1) / bins, b / bins], and 0 is in the first. With accuracy a_b and mean
    confidence c_b of the n_b samples in bin b: ECE = sum(n_b / N * |a_b - c_b|) and MCE =
    max |a_b - c_b| over bins that have samples. Confidences are summed exactly, results rounded
    once. Source: C. Guo et al., "On calibration of modern neural networks" (ICML 2017).

    Args:
        bins: The number of bins.
        **options: As for `BaseMetric`.

    Returns of `compute`: `ece` and `mce`, in [0, 1]; nan without samples.

    Raises:
        ValueError: `bins` below 1.

    Example:
        >>> metric = CalibrationError(bins=2)
        >>> metric.add([[0.25, 0.75], [0.25, 0.75], [0.5, 0.5]], [1, 0, 0])
        >>> metric.compute()  # bin (0, .5]: |1 - .5|, bin (.5, 1]: |.5 - .75|
        {'ece': 0.3333333333333333, 'mce': 0.5}
    """

    every_rank_computes = True

    def __init__(self, bins: int = 15, **options: Any) -> None:
        super().__init__(**options)
        if bins < 1:
            raise ValueError(f"bins must be positive, got {bins}")
        self.bins = bins

    def states(self) -> dict[str, State]:
        """Return, by bin, the samples that are wrong and right, and their confidence."""
        return {
            "outcomes": state.count(2 * self.bins),
            "confidence": WeightedCount(self.bins),
        }

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return the bin, the outcome and the confidence of every sample.

        Args:
            predictions: Probabilities of all classes (N, C), or of class 1 (N,).
            labels: Class indices (N,).

        Raises:
            TypeError, ValueError: As `as_probabilities`.
        """
        values, labels = as_probabilities(predictions, labels)
        if values.ndim == 1 or values.size == 0:
            confidence, right = values.reshape(-1), labels == 1
        else:
            best = values.argmax(axis=1)
            confidence, right = values[np.arange(len(best)), best], best == labels
        # In the probabilities' own dtype: the float32 nearest to 0.2 is the edge 0.2.
        edges = (np.arange(self.bins) / self.bins).astype(confidence.dtype)
        bins = np.maximum(np.searchsorted(edges, confidence, side="left") - 1, 0)
        return {
            "outcomes": 2 * bins + right,
            "confidence": np.column_stack([confidence.astype(np.float64), bins]),
        }

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `ece` and `mce`."""
        if len(results) == 0:
            return {"ece": math.nan, "mce": math.nan}
        outcomes = results.outcomes.reshape(self.bins, 2)
        confidences = np.asarray(results.exact("confidence")).tolist()
        gaps, shares = Fraction(0), []
        for (wrong, right), confidence in zip(outcomes.tolist(), confidences, strict=True):
            gap = abs(right - confidence)
            gaps += gap
            shares.append(gap / (wrong + right) if wrong + right else Fraction(0))
        return {"ece": float(gaps / len(results)), "mce": float(max(shares))}
