"""Counts for samples with any number of labels, given as 0 or 1 for each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import Cut, check_ignore_index
from mmeval_like.metrics.classification.class_fills import known_labels
from mmeval_like.metrics.classification.confusion_counts import WAYS, jackknife_of_sets
from mmeval_like.metrics.classification.weighted_counts import allowed_weights
from mmeval_like.writing import Results, State, Statistic, arrays, state
from mmeval_like.writing.intervals import Jackknife

__all__ = ["LabelCounts"]


@dataclass(frozen=True)
class LabelCounts(Statistic):
    """True positives, predictions, labels and counted entries of each class.

    Attributes:
        num_classes: The number of classes C.
        cut: Which scores predict a class.
        ignore_index: Entries with this label do not count.
        use_sample_weight: Whether to sum weights instead of counting.
    """

    num_classes: int
    cut: Cut = field(default_factory=Cut)
    ignore_index: int | None = None
    use_sample_weight: bool = False

    def __post_init__(self) -> None:
        check_ignore_index(self.ignore_index)

    def states(self) -> dict[str, State]:
        """Return `counts` (4, C), and the numbers of samples that are `right` and `counted`."""
        dtype = float if self.use_sample_weight else int
        return {
            "counts": state.sum(dtype, (4, self.num_classes)),
            "right": state.sum(dtype),
            "counted": state.sum(dtype),
        }

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return one row of counts per sample.

        Args:
            predictions: As for `outcomes`.
            labels: The same.
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.

        Raises:
            TypeError, ValueError: The labels are not 0 and 1, shapes do not fit, scores are nan, or
                weights are negative or not finite.
        """
        counts, exact, counted = self.outcomes(predictions, labels)
        weights = allowed_weights(sample_weight, len(counts), self.use_sample_weight)
        if weights is None:
            return {"counts": counts, "right": exact, "counted": counted}
        wide = counts * weights[:, None, None]
        return {"counts": wide, "right": exact * weights, "counted": counted * weights}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return rows of samples whose predictions are all right, all wrong, or all a number."""
        labels = known_labels(inputs)
        chosen = {"best": labels != 0, "worst": labels == 0}.get(fill, np.full(labels.shape, fill))
        return self.rows(chosen, **{**inputs, "labels": labels})

    def outcomes(self, predictions: Any, labels: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return counts (N, 4, C), and whether samples are all right, and whether they count (N,).

        Args:
            predictions: Scores (N, C, ...), floats; or 0 and 1, integers or bool.
            labels: 0 and 1 (N, C, ...), or `ignore_index`.

        Raises:
            TypeError: A label is not a whole number.
            ValueError: Shapes do not fit, a label is neither 0 nor 1, or a score is nan.
        """
        scores = arrays.as_numbers(predictions, "predictions")
        truth = arrays.as_integers(labels, "labels")
        if scores.size == truth.size == 0 and 0 in (len(scores), len(truth)):
            scores = truth = np.zeros((0, self.num_classes), np.int64)
        arrays.check_same_length("predictions", scores, "labels", truth)
        if scores.shape != truth.shape or scores.shape[1:2] != (self.num_classes,):
            raise ValueError(
                f"predictions and labels must have shape (N, {self.num_classes}, ...), "
                f"got {scores.shape} and {truth.shape}"
            )
        valid = np.ones(truth.shape, np.bool_)
        if self.ignore_index is not None:
            valid = truth != self.ignore_index
            truth = np.where(valid, truth, 0)
        arrays.check_range("labels", truth, 2)
        predicted = self.cut.predicted(scores, None if self.ignore_index is None else valid)
        chosen = arrays.as_integers(predicted, "predictions")
        arrays.check_range("predictions", np.where(valid, chosen, 0), 2)
        predicted = chosen != 0
        predicted, actual = predicted & valid, truth != 0
        counts = np.stack([actual & predicted, predicted, actual, valid], axis=1)
        wrong = predicted != actual
        if counts.ndim > 3:
            counts = counts.sum(axis=tuple(range(3, counts.ndim)))
        inner = tuple(range(1, valid.ndim))
        counted = np.asarray(valid.any(axis=inner))
        return counts, counted & ~wrong.any(axis=inner), counted

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife, in which one more entry of a class counts in one of four ways.

        Classes with few labels are named.
        """
        support = None if self.use_sample_weight else self._support
        return jackknife_of_sets(support, self._plus_one)

    def _support(self, results: Results) -> Sequence[float]:
        return self.table(results)[2]

    def _plus_one(self, results: Results) -> Sequence[Results]:
        ways = () if self.use_sample_weight else WAYS
        more = [results.counts + np.array([[*way, 1]]).T for way in ways]
        same = {"right": results.right, "counted": results.counted}
        return [Results({**same, "counts": one}, len(results)) for one in more]

    def table(self, results: Results) -> list[list[Any]]:
        """Return true positives, predictions, labels and counted entries: Python numbers."""
        counts = results.exact("counts") if self.use_sample_weight else results.counts
        lists: list[list[Any]] = np.asarray(counts).tolist()
        return lists

    def matrix(self, results: Results) -> np.ndarray:
        """Return (C, 2, 2), int64 or float64: [[TN, FP], [FN, TP]] of every class."""
        dtype = np.float64 if self.use_sample_weight else np.int64
        return self.exact_matrix(results).astype(dtype)

    def exact_matrix(self, results: Results) -> np.ndarray:
        """Return the matrices unrounded: Python integers, or Fractions of weights."""
        tp, predicted, support, valid = np.array(self.table(results), object)
        outcomes = [valid - predicted - support + tp, predicted - tp, support - tp, tp]
        return np.stack(outcomes, axis=1).reshape(-1, 2, 2)
