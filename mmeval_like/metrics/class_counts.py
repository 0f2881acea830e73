"""The counts behind precision, recall and F1: per class, and the whole confusion matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like.metric import Statistic
from mmeval_like.metrics._common import check_scores
from mmeval_like.results import Results
from mmeval_like.state import State

__all__ = ["ClassCounts", "ConfusionCounts", "check_classes"]


@dataclass(frozen=True)
class ConfusionCounts(Statistic):
    """How often each class was predicted for each label.

    Attributes:
        num_classes: The number of classes C. The state `matrix` has C * C bins, label-major.
    """

    num_classes: int

    def states(self) -> dict[str, State]:
        """Return the state `matrix`."""
        return {"matrix": state.count(self.num_classes**2)}

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return one code per sample, from classes (N,) or scores (N, C), and labels (N,)."""
        predictions, labels = check_classes(predictions, labels, self.num_classes)
        return {"matrix": labels * self.num_classes + predictions}


@dataclass(frozen=True)
class ClassCounts(Statistic):
    """True positives, predictions and labels of each class, at each threshold.

    A prediction by scores counts for its class only if its score is above the threshold.

    Attributes:
        num_classes: The number of classes C; None: as many as the scores have.
        thrs: The thresholds; None: no threshold.
    """

    num_classes: int | None
    thrs: tuple[float | None, ...] = (None,)

    def states(self) -> dict[str, State]:
        """Return `true_positive`, `predicted` and `support`; `classes_*` if C is open."""
        size = self.num_classes
        # Code (c + 1) * thresholds + t; c = -1 is "no class", a bin that nobody reads.
        bins = None if size is None else (size + 1) * len(self.thrs)
        counts = {
            "true_positive": state.count(bins),
            "predicted": state.count(bins),
            "support": state.count(size),
        }
        if size is not None:
            return counts
        return counts | {"classes_min": state.min(int), "classes_max": state.max(int)}

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return the codes of each sample, from classes (N,) or scores (N, C), and labels (N,)."""
        scores = arrays.as_numbers(predictions, "predictions")
        if scores.ndim != 2 and self.num_classes is None:
            raise ValueError("num_classes must be given when predictions are class indices")
        classes, labels = check_classes(scores, labels, self.num_classes)
        predicted = classes[:, None] + 1
        if scores.ndim == 2 and self.thrs != (None,):
            best = scores[np.arange(len(classes)), classes]
            kept = np.stack([best > (-np.inf if t is None else t) for t in self.thrs], axis=1)
            kept |= np.array([thr is None for thr in self.thrs])
            predicted = np.where(kept, predicted, 0)
        hits = np.where(predicted == labels[:, None] + 1, predicted, 0)
        shift = np.arange(len(self.thrs))
        rows = {
            "true_positive": hits * len(self.thrs) + shift,
            "predicted": predicted * len(self.thrs) + shift,
            "support": labels,
        }
        if self.num_classes is not None:
            return rows
        width = np.full(len(labels), scores.shape[1])
        return rows | {"classes_min": width, "classes_max": width.copy()}

    def derive(self, other: Statistic) -> Callable[[Results], Results] | None:
        """Follow from a confusion matrix over the same classes, when there is no threshold."""
        same = isinstance(other, ConfusionCounts) and other.num_classes == self.num_classes
        return self._from_confusion if same and self.thrs == (None,) else None

    def _from_confusion(self, results: Results) -> Results:
        size = self.num_classes or 0
        matrix = results.matrix.reshape(size, size)
        values = {
            "true_positive": np.append(0, matrix.diagonal()),
            "predicted": np.append(0, matrix.sum(axis=0)),
            "support": matrix.sum(axis=1),
        }
        return Results(values, len(results))

    def table(self, results: Results) -> np.ndarray:
        """Return int64 (3, thresholds, C): true positives, predictions and labels.

        Raises:
            ValueError: C was open, and batches had scores for different numbers of classes.
        """
        size = self.num_classes
        if size is None:
            least, size = results.classes_min or 0, results.classes_max or 0
            if least != size:
                raise ValueError(
                    f"predictions must have scores for the same number of classes in every "
                    f"batch, got {least} and {size}"
                )
        table = np.zeros((3, len(self.thrs), size), np.int64)
        for row, counts in enumerate((results.true_positive, results.predicted)):
            full = np.zeros((size + 1) * len(self.thrs), np.int64)
            full[: len(counts)] = counts
            table[row] = full.reshape(size + 1, len(self.thrs))[1:].T
        table[2, :, : len(results.support)] = results.support
        return table


def check_classes(
    predictions: Any, labels: Any, num_classes: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return predicted classes and labels as int64 of shape (N,).

    Args:
        predictions: Class indices (N,), or scores (N, C): the class of the highest score, the
            first of equal ones.
        labels: Class indices (N,).
        num_classes: C; None: as many as there are scores.

    Raises:
        TypeError: Indices that are not whole numbers.
        ValueError: Other shapes, different length, classes out of range, nan scores.
    """
    scores = arrays.as_numbers(predictions, "predictions")
    labels = arrays.as_integers(labels, "labels")
    if labels.ndim != 1:
        raise ValueError(f"labels must have shape (N,), got {labels.shape}")
    if scores.ndim == 2:
        if num_classes is not None and scores.shape[1] != num_classes:
            raise ValueError(
                f"predictions must have scores for num_classes={num_classes} classes, "
                f"got {scores.shape[1]}"
            )
        check_scores(scores, labels)
        return scores.argmax(axis=1), labels
    if scores.ndim != 1:
        raise ValueError(f"predictions must have shape (N,) or (N, C), got {scores.shape}")
    arrays.check_same_length("predictions", scores, "labels", labels)
    classes = arrays.as_integers(scores, "predictions")
    if num_classes is not None:
        arrays.check_range("predictions", classes, num_classes)
        arrays.check_range("labels", labels, num_classes)
    return classes, labels
