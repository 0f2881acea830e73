"""Checks of options and inputs that several metrics share: thresholds, counts, class scores."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.writing import arrays

__all__ = [
    "TASKS",
    "TWO_CLASSES",
    "Cut",
    "as_thresholds",
    "check_binary",
    "check_count",
    "check_ignore_index",
    "check_scores",
    "ignored_classes",
    "known_num_classes",
    "num_classes_of",
    "threshold_keys",
]

TASKS = ("binary", "multiclass", "multilabel")

TWO_CLASSES = (
    '; task="binary" takes one score, or a class 0 or 1, for each sample: for more classes pass '
    'task="multiclass", for several labels of a sample task="multilabel"'
)
"""A hint for error messages about the inputs of a binary task."""


@dataclass(frozen=True)
class Cut:
    """The score from which on a class is predicted.

    Attributes:
        threshold: The least score that counts as predicted. None: 0.5, and scores must be
            probabilities.

    Raises:
        ValueError: The threshold is nan.
    """

    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None and math.isnan(self.threshold):
            raise ValueError("threshold must not be nan")

    @property
    def least(self) -> float:
        """The least score that counts as predicted."""
        return 0.5 if self.threshold is None else self.threshold

    def predicted(self, predictions: np.ndarray, counted: np.ndarray | None) -> np.ndarray:
        """Return which scores predict their class; classes, integers or bool, as they are.

        Args:
            predictions: Scores, floats; or 0 and 1, integers or bool.
            counted: Which scores count; the others may be any number except nan. None: all.

        Raises:
            ValueError: A score is nan, or there is no threshold and it is outside [0, 1]; or
                predictions are integers, and as floats other ones would be predicted: a list with
                a float in it is read as floats.
        """
        if predictions.dtype.kind != "f":
            if not 0 < self.least <= 1 and predictions.size:
                raise ValueError(
                    f"predictions of integers are classes, to which threshold={self.threshold} "
                    f"does not apply: pass scores as floats, or classes without threshold="
                )
            return predictions
        if self.threshold is not None:
            arrays.check_finite("predictions", predictions, allow_infinite=True)
            above: np.ndarray = predictions >= self.threshold  # a Python float adopts their dtype
            return above
        if counted is not None:
            arrays.check_finite("predictions", predictions, allow_infinite=True)
            predictions = np.where(counted, predictions, predictions.dtype.type(0))
        arrays.check_probabilities("predictions", predictions, _NOT_PROBABILITIES)
        likely: np.ndarray = predictions >= 0.5
        return likely


_NOT_PROBABILITIES = (
    "pass probabilities, for instance sigmoid(logits), or the threshold of your scores, "
    "for instance threshold=0 for logits"
)


def check_binary(predictions: np.ndarray) -> None:
    """Raise ValueError unless predictions of a binary task are one value for each position."""
    if predictions.ndim != 1:
        cure = {1: ": pass predictions.reshape(-1)", 2: ": pass predictions[:, 1]"}.get(
            predictions.shape[1] if predictions.ndim == 2 else 0, ""
        )
        raise ValueError(
            f"predictions must have the labels' shape for a binary task: scores of class 1, or 0 "
            f"and 1; got shape {predictions.shape}{cure}"
        )


def check_count(name: str, value: Any) -> int:
    """Return an option that counts something, such as classes, as an int.

    Raises:
        TypeError: The value is not an integer.
        ValueError: The value is not positive, or above 2^31.
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    if isinstance(value, bool) or not 1 <= number <= 1 << 31:
        raise ValueError(f"{name} must be positive and at most 2^31, got {value!r}")
    return number


def check_ignore_index(value: Any) -> None:
    """Raise TypeError unless `ignore_index` is None or an integer."""
    try:
        operator.index(0 if value is None else value)
    except TypeError:
        raise TypeError(f"ignore_index must be an integer or None, got {value!r}") from None


def ignored_classes(ignore_index: int | None, num_classes: int) -> list[int]:
    """Return a list of the ignored class, empty if `ignore_index` is not one of the classes.

    Raises:
        TypeError: `ignore_index` is neither an integer nor None.
    """
    check_ignore_index(ignore_index)
    inside = ignore_index is not None and 0 <= ignore_index < num_classes
    return [int(ignore_index)] if inside else []  # type: ignore[arg-type]


def as_thresholds(
    thrs: float | Sequence[float | None] | None, name: str = "thrs"
) -> tuple[float | None, ...]:
    """Return thresholds as a tuple; None means no threshold.

    Raises:
        TypeError: An entry is neither a number nor None.
        ValueError: There is no entry, or an entry is nan.
    """
    several = thrs if isinstance(thrs, list | tuple) else (thrs,)
    if not several:
        raise ValueError(f"{name} must not be empty")
    for thr in several:
        number = isinstance(thr, int | float | np.number) and not isinstance(thr, bool)
        if thr is not None and not number:
            raise TypeError(f"{name} must be numbers or None, got {thr!r}")
        if thr is not None and math.isnan(thr):
            raise ValueError(f"{name} must not be nan")
    return tuple(None if thr is None else float(thr) for thr in several)


def threshold_keys(thrs: Sequence[float | None]) -> list[str]:
    """Return one suffix per threshold, all distinct: with two decimals if these suffice."""
    if len(thrs) == 1:
        return [""]
    short = ["_no-thr" if thr is None else f"_thr-{thr:.2f}" for thr in thrs]
    if len(set(short)) == len(set(thrs)):
        return short
    return ["_no-thr" if thr is None else f"_thr-{thr!r}" for thr in thrs]


def check_scores(
    scores: np.ndarray, labels: np.ndarray, advice: str = "", ignored_by: str = ""
) -> Any:
    """Check scores (N, C) and class indices (N,) against each other.

    Args:
        scores: The scores.
        labels: The class indices.
        advice: The end of the error about scores or labels with more axes.
        ignored_by: The option that ignores a label, to be named if a label is negative.

    Returns:
        The lowest score; None if there are no scores, or if they are on an accelerator.

    Raises:
        ValueError: Shapes do not fit, lengths differ, a label is out of range, or a score is nan.
    """
    if scores.ndim != 2:
        cure = advice if scores.ndim > 2 else ""
        raise ValueError(f"predictions must have shape (N,) or (N, C), got {scores.shape}{cure}")
    check_one_axis("labels", labels, advice)
    arrays.check_same_length("predictions", scores, "labels", labels)
    cure = "; for class indices, or scores of class 1, pass predictions.reshape(-1)"
    cure = cure if scores.shape[1] == 1 else ""
    arrays.check_range("labels", labels, scores.shape[1], cure, ignored_by)
    if type(scores) is np.ndarray and scores.size:
        least = scores.item(scores.argmin())
        if least == least:  # argmin returns the first nan
            return least
    arrays.check_finite("predictions", scores, allow_infinite=True)
    return None


def num_classes_of(num_classes: int | None, dataset_meta: dict[str, Any] | None) -> int | None:
    """Return the number of classes: as given, or from `dataset_meta`, or None."""
    if num_classes is None and dataset_meta:
        if "num_classes" in dataset_meta:
            return int(dataset_meta["num_classes"])
        if "classes" in dataset_meta:
            return len(dataset_meta["classes"])
    return num_classes


def known_num_classes(
    num_classes: int | None, dataset_meta: dict[str, Any] | None, task: str
) -> int:
    """Return the number of classes: as given, 2 for a binary task, or from `dataset_meta`.

    Raises:
        ValueError: The number is not known, or is not 2 for a binary task.
    """
    found = num_classes_of(num_classes, dataset_meta)
    if task == "binary":
        if found not in (None, 2):
            given = "num_classes" if num_classes is not None else "the number of classes"
            raise ValueError(
                f'{given} must be 2 for task="binary", got {found}: pass task="multiclass" or '
                f'task="multilabel"'
            )
        return 2
    if found is None:
        raise ValueError(
            f"num_classes must be given for task={task!r}, or the names of the classes: "
            f"classes=[...], --classes on the command line"
        )
    return found
