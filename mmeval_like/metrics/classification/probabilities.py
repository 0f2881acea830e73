"""Checks predicted probabilities, of one class or of all classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.writing import arrays

__all__ = ["as_probabilities"]

# How far the sum of all classes' probabilities may be from 1: float16 keeps 3 digits.
_SLACK = 0.01

_AXES = {None: (1, 2), "binary": (1,), "multiclass": (2,), "multilabel": (2,)}
_SHAPES = {
    None: "(N,) or (N, C) and labels (N,)",
    "binary": "(N,) and labels (N,)",
    "multiclass": "(N, C) and labels (N,)",
    "multilabel": "(N, C) and labels the same",
}


def as_probabilities(
    predictions: Any, labels: Any, task: str | None = None, from_logits: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities and class indices (N,), checked against each other.

    Args:
        predictions: Probabilities of class 1, (N,), or of all classes, (N, C).
        labels: Class indices (N,), integers in [0, C), or 0 and 1.
        task: "binary": predictions must be (N,). "multiclass": (N, C). "multilabel": (N, C),
            of classes that do not exclude each other, and labels 0 and 1 (N, C). None: binary or
            multiclass, by the shape of the predictions.
        from_logits: Whether predictions are finite numbers before sigmoid or softmax, which are
            returned unchanged.

    Returns:
        The probabilities in their own float dtype, of the shape given; the labels in int64.

    Raises:
        TypeError: The scores are not real numbers, or the labels are not whole numbers.
        ValueError: Shapes or lengths do not fit, a label is out of range, a value is nan, a
            probability is out of [0, 1], or the probabilities of a sample of (N, C) do not add up
            to 1.
    """
    values = arrays.as_numbers(predictions, "predictions")
    labels = arrays.as_integers(labels, "labels")
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    fits = labels.shape == values.shape if task == "multilabel" else labels.ndim == 1
    if not fits or values.ndim not in (_AXES[task] if values.size else (1, 2)):
        one_each = task != "multilabel" and labels.ndim == 2 and labels.shape[1] == 1
        cure = ": pass labels.reshape(-1)" if one_each else ""
        raise ValueError(
            f"predictions must have shape {_SHAPES[task]}, got {values.shape} and "
            f"{labels.shape}{cure}"
        )
    arrays.check_same_length("predictions", values, "labels", labels)
    arrays.check_finite("predictions", values)
    if len(values) == 0:
        return values, labels
    if values.size == 0 or not (from_logits or (values.min() >= 0 and values.max() <= 1)):
        raise ValueError(
            f"predictions must be probabilities in [0, 1], got {arrays.describe(values)} with "
            f"values from {values.min(initial=np.inf)} to {values.max(initial=-np.inf)}; apply "
            f"a sigmoid or softmax to logits"
        )
    if values.ndim == 1 or task == "multilabel":
        arrays.check_range("labels", labels, 2)
        return values, labels
    cure = "; for probabilities of class 1 pass predictions.reshape(-1)"
    arrays.check_range("labels", labels, values.shape[1], cure if values.shape[1] == 1 else "")
    if from_logits:
        return values, labels
    totals = values.sum(axis=1, dtype=np.float64)
    off = np.abs(totals - 1) > _SLACK
    if off.any():
        index = int(off.argmax())
        raise ValueError(
            f"predictions must add up to 1 over the classes, got {totals[index]:.4g} at index "
            f"{index}; several labels per sample need a metric that has the task 'multilabel'"
        )
    return values, labels
