"""Predicted probabilities, checked: of one class, or of all classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like import arrays

__all__ = ["as_probabilities"]

# How far the probabilities of all classes may be from adding up to 1: float16 keeps 3 digits.
_SLACK = 0.01


def as_probabilities(predictions: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities and class indices (N,), checked against each other.

    Args:
        predictions: Probabilities of class 1, (N,), or of all classes, (N, C).
        labels: Class indices (N,), integers in [0, C), or 0 and 1.

    Returns:
        The probabilities in their own float dtype, of the shape given; the labels in int64.

    Raises:
        TypeError: Not real numbers, or labels that are not whole numbers.
        ValueError: Other shapes, different lengths, labels out of range, nan, probabilities
            out of [0, 1] or (N, C) that do not add up to 1.
    """
    values = arrays.as_numbers(predictions, "predictions")
    labels = arrays.as_integers(labels, "labels")
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    if values.ndim not in (1, 2) or labels.ndim != 1:
        raise ValueError(
            f"predictions must have shape (N,) or (N, C) and labels (N,), "
            f"got {values.shape} and {labels.shape}"
        )
    arrays.check_same_length("predictions", values, "labels", labels)
    arrays.check_finite("predictions", values)
    if len(values) == 0:
        return values, labels
    if values.size == 0 or values.min() < 0 or values.max() > 1:
        raise ValueError(
            f"predictions must be probabilities in [0, 1], got {arrays.describe(values)} with "
            f"values from {values.min(initial=np.inf)} to {values.max(initial=-np.inf)}; apply "
            f"a sigmoid or softmax to logits"
        )
    if values.ndim == 1:
        arrays.check_range("labels", labels, 2)
        return values, labels
    arrays.check_range("labels", labels, values.shape[1])
    totals = values.sum(axis=1, dtype=np.float64)
    off = np.abs(totals - 1) > _SLACK
    if off.any():
        index = int(off.argmax())
        raise ValueError(
            f"predictions must add up to 1 over the classes, got {totals[index]:.4g} at index "
            f"{index}; for several labels per sample pass one class at a time"
        )
    return values, labels
