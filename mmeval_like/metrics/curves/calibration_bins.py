"""Counts of right and wrong predictions, in bins of confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import TASKS, check_count
from mmeval_like.metrics.classification.probabilities import as_probabilities
from mmeval_like.metrics.classification.weighted_counts import (
    WeightedCount,
    allowed_weights,
    code_rows,
    counter,
)
from mmeval_like.writing import Results, State, Statistic

__all__ = ["CalibrationBins"]


@dataclass(frozen=True)
class CalibrationBins(Statistic):
    """Wrong and right predictions, and their summed confidence, in bins of equal width.

    Bins are ((b - 1) / bins, b / bins], and 0 is in the first.

    Attributes:
        bins: The number of bins.
        use_sample_weight: Whether sums of weights take the place of counts.
        task: "binary", "multiclass" or "multilabel". None: "binary" for predictions (N,),
            "multiclass" for predictions (N, C).
        num_classes: The number of classes, which predictions (N, C) must have; None: any.
        by_class: Whether each of `num_classes` classes has separate bins: the confidence is the
            probability of the class, and a sample is right if it has this label. Otherwise each
            sample is in one bin, by the probability of its predicted class.

    Raises:
        ValueError: The task is unknown, or `bins` or `num_classes` is below 1.
    """

    class_inputs = ("labels",)
    takes_scores = True

    bins: int
    use_sample_weight: bool = False
    task: str | None = None
    num_classes: int | None = None
    by_class: bool = False

    def __post_init__(self) -> None:
        if self.task not in (None, *TASKS):
            raise ValueError(f"task must be one of {TASKS}, got {self.task!r}")
        for name, number in (("bins", self.bins), ("num_classes", self.num_classes)):
            if number is not None:
                check_count(name, number)

    @property
    def _tables(self) -> int:
        return self.num_classes if self.by_class and self.num_classes is not None else 1

    def states(self) -> dict[str, State]:
        """Return, by bin, the numbers of wrong and of right samples, and their confidence."""
        tables = self._tables
        return {
            "outcomes": counter(2 * self.bins * tables, tables, self.use_sample_weight),
            "confidence": WeightedCount(self.bins * tables, tables, tables),
        }

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the bins, the outcomes and the confidences of every sample.

        Args:
            predictions: Probabilities of all classes (N, C), the highest being the confidence
                and determines the predicted class; or probabilities of class 1 (N,).
            labels: Class indices (N,); for "multilabel" 0 and 1, (N, C).
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.

        Raises:
            TypeError, ValueError: The inputs are not numbers, shapes or lengths do not fit, labels
                are out of range, or predictions are not probabilities: nan, out of [0, 1], or, for
                all classes, not adding up to 1. Also if weights are given without
                `use_sample_weight`, or are negative or not finite.
        """
        values, labels = as_probabilities(predictions, labels, self.task)
        confidence, right = self._judged(values, labels)
        weights = allowed_weights(sample_weight, len(labels), self.use_sample_weight)
        # In the probabilities' own dtype: the float32 nearest to 0.2 is the edge 0.2.
        edges = (np.arange(self.bins) / self.bins).astype(confidence.dtype)
        bins = np.maximum(np.searchsorted(edges, confidence, side="left") - 1, 0)
        bins += self.bins * np.arange(self._tables)
        wide = confidence.astype(np.float64)
        return {
            "outcomes": code_rows(2 * bins + right, weights),
            "confidence": np.column_stack(
                [wide if weights is None else wide * weights[:, None], bins]
            ),
        }

    def _judged(self, values: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the confidences, and whether they are right, (N, 1) or by class (N, C)."""
        shape = (len(labels), self._tables)
        if values.size == 0:
            return values.reshape(shape), np.zeros(shape, np.bool_)
        checked = self.num_classes is not None and (self.by_class or values.ndim > 1)
        if checked and values.shape != (len(labels), self.num_classes):
            raise ValueError(
                f"predictions must have shape (N, {self.num_classes}), got {values.shape}"
            )
        if self.by_class:
            if self.task == "multilabel":
                return values, labels == 1
            return values, labels[:, None] == np.arange(self._tables)
        if values.ndim == 1:
            return values[:, None], labels[:, None] == 1
        best = values.argmax(axis=1)[:, None]
        return np.take_along_axis(values, best, axis=1), best == labels[:, None]

    def tables(self, results: Results) -> list[list[tuple[Any, Any, Any]]]:
        """Return the number of samples, of right samples, and the sum of confidences, by bin.

        Numbers are integers, or Fractions for weights; the sum is a Fraction. There is one list of
        bins, or one for each of `num_classes` classes.
        """
        exact = results.exact("outcomes") if self.use_sample_weight else results.outcomes
        pairs = np.asarray(exact, object).reshape(-1, 2).tolist()
        confidences = np.asarray(results.exact("confidence")).tolist()
        found = [(w + r, r, c) for (w, r), c in zip(pairs, confidences, strict=True)]
        return [found[first : first + self.bins] for first in range(0, len(found), self.bins)]
