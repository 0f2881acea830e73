"""Class fills: rows of samples without a score, as if their predictions were known.

The labels are known. Over all predictions of such samples, a class's true positives (TP) may be any
number from none to all of its labels, and its false positives (FP) any number from none to all
other labels, whatever the other class counts are. Quotients of such counts have their extremes at
the four ends of both ranges, and so has every average over classes of them, if the classes' counts
are free: those of sets of labels, and those of two classes. With more classes, a prediction is a
false positive of only one of them: the ends of all classes together may then be out of reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from mmeval_like.writing import Statistic, arrays

__all__ = ["ends_of_counts", "filled", "known_labels"]


def filled(
    statistic: Statistic,
    classes: int | None,
    fill: Any,
    inputs: Mapping[str, Any],
    ignored: int | None = None,
) -> Mapping[str, Any] | None:
    """Return the rows of samples without a score; see `Statistic.filled`.

    Args:
        statistic: A statistic that takes class indices as predictions.
        classes: The number of classes; None: unknown.
        fill: "best": each prediction is the label; "worst": it is the next class that counts, if
            there is one; or a class.
        inputs: The labels, and the weights if there are any.
        ignored: A label that does not count.

    Raises:
        ValueError: There are no labels.
    """
    if classes is None:
        return None
    labels = known_labels(inputs)
    if fill == "best":
        predictions = labels
    elif fill == "worst":
        predictions = (labels + 1) % classes
        if classes > 2:
            predictions = np.where(predictions == ignored, (labels + 2) % classes, predictions)
    else:
        predictions = np.full(labels.shape, fill)
    if ignored is not None:
        predictions = np.where(labels == ignored, 0, predictions)
    return statistic.rows(predictions, **{**inputs, "labels": labels})


def known_labels(inputs: Mapping[str, Any]) -> np.ndarray:
    """Return the labels among the inputs that are known; ValueError if there are none."""
    if "labels" not in inputs:
        raise ValueError("samples without a score need labels=: metrics of classes count them")
    return arrays.as_integers(inputs["labels"], "labels")


def ends_of_counts(
    right: np.ndarray, predicted: np.ndarray, positive: np.ndarray, negative: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return true positives and predictions of every class at the four ends of their ranges.

    Args:
        right: The true positives of every class, of the samples with a score, (..., C).
        predicted: The predictions of every class.
        positive: The number of labels of every class, of the samples without a score.
        negative: The number of other labels of these samples.

    Example:
        >>> numbers = (np.array([n]) for n in (3, 5, 2, 10))
        >>> [(int(r[0]), int(p[0])) for r, p in ends_of_counts(*numbers)]
        [(3, 5), (3, 15), (5, 7), (5, 17)]
    """
    return [
        (right + hits * positive, predicted + hits * positive + alarms * negative)
        for hits, alarms in product((0, 1), (0, 1))
    ]
