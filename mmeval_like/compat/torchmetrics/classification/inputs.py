"""What torchmetrics reads of a batch: decided predictions, without ignored positions."""

from __future__ import annotations

from typing import Any

import torch

from mmeval_like.compat.torchmetrics.exchanged import refuse

__all__ = [
    "as_probabilities",
    "binary_scores",
    "check_binary",
    "check_labels",
    "class_scores",
    "classes_and_labels",
    "decided",
    "flat_binary",
    "flat_classes",
    "with_classes_last",
]


def as_probabilities(preds: Any, how: str | None = "sigmoid") -> Any:
    """Return the scores; where one of the batch is outside [0, 1], their sigmoid or softmax."""
    if how is None or not preds.numel() or bool(((preds >= 0) & (preds <= 1)).all()):
        return preds
    return preds.sigmoid() if how == "sigmoid" else preds.softmax(1)


def check_labels(target: Any) -> None:
    """Refuse labels that are no whole numbers."""
    refuse(target.is_floating_point() or target.is_complex())


def check_binary(target: Any, ignore_index: int | None) -> None:
    """Refuse labels other than 0, 1 and the one that is ignored."""
    known = (target == 0) | (target == 1)
    refuse(not bool((known if ignore_index is None else known | (target == ignore_index)).all()))


def decided(preds: Any, target: Any, threshold: float) -> Any:
    """Return 0 and 1 for scores or 0 and 1, of the same shape as the labels."""
    check_labels(target)
    refuse(preds.shape != target.shape)
    if not preds.is_floating_point():
        return preds
    return (as_probabilities(preds) > threshold).int()


def flat_binary(
    preds: Any,
    target: Any,
    threshold: float,
    ignore_index: int | None,
    ignored_first: bool = False,
) -> tuple[Any, Any]:
    """Return predictions and labels, 0 or 1, (M,) of the positions that count.

    With `ignored_first`, the scores of others do not decide whether scores are logits.
    """
    refuse(preds.shape != target.shape)
    counted = ... if ignore_index is None else target != ignore_index
    if ignored_first:
        preds, target, counted = preds[counted], target[counted], ...
    preds = decided(preds, target, threshold)
    return preds[counted].reshape(-1), target[counted].reshape(-1)


def with_classes_last(values: Any) -> Any:
    """Return (N, C, ...) as (M, C)."""
    return values.movedim(1, -1).reshape(-1, values.shape[1])


def classes_and_labels(
    preds: Any, target: Any, num_classes: int | None, ignore_index: int | None, top_k: int = 1
) -> tuple[Any, Any, Any]:
    """Return predicted classes, labels, and which positions count (None: all), as (N, ...).

    Predictions that do not count have any class. Among `top_k` best classes the label is the
    prediction; of equal scores the first class is the better.
    """
    check_labels(target)
    counted = None if ignore_index is None else target != ignore_index
    target = target.long() if counted is None else torch.where(counted, target, 0).long()
    if num_classes is not None and target.numel():
        refuse(int(target.min()) < 0 or int(target.max()) >= num_classes)
    if preds.ndim != target.ndim + 1:
        refuse(preds.shape != target.shape or preds.is_floating_point() or top_k != 1)
        return (preds if counted is None else torch.where(counted, preds, 0)), target, counted
    refuse(not preds.is_floating_point())
    refuse(num_classes is not None and preds.shape[1] != num_classes)
    refuse(preds.shape[:1] + preds.shape[2:] != target.shape)
    classes = preds.argmax(1)
    if top_k > 1:
        preds = torch.where(preds.isnan(), torch.inf, preds)  # as argmax: above all numbers
        own = preds.gather(1, target[:, None])
        places = torch.arange(preds.shape[1], device=preds.device)
        first = places.view(-1, *[1] * (target.ndim - 1)) < target[:, None]
        better = ((preds > own) | ((preds == own) & first)).sum(1)
        classes = torch.where(better < top_k, target, classes)
    return classes, target, counted


def flat_classes(
    preds: Any, target: Any, num_classes: int | None, ignore_index: int | None, top_k: int = 1
) -> tuple[Any, Any]:
    """Return predicted classes and labels (M,) of the positions that count."""
    classes, target, counted = classes_and_labels(preds, target, num_classes, ignore_index, top_k)
    if counted is None:
        return classes.reshape(-1), target.reshape(-1)
    return classes[counted], target[counted]


def binary_scores(
    preds: Any, target: Any, ignore_index: int | None, normalization: str | None = "sigmoid"
) -> tuple[Any, Any]:
    """Return scores of class 1 and labels (M,) of the positions that count."""
    check_labels(target)
    refuse(preds.shape != target.shape or not preds.is_floating_point())
    check_binary(target, ignore_index)
    preds, target = preds.reshape(-1), target.reshape(-1)
    if ignore_index is not None:
        counted = target != ignore_index
        preds, target = preds[counted], target[counted]
    return as_probabilities(preds, normalization), target


def class_scores(
    preds: Any, target: Any, num_classes: int, ignore_index: int | None
) -> tuple[Any, Any]:
    """Return scores of all classes (M, C) and labels (M,) of the positions that count."""
    check_labels(target)
    refuse(preds.ndim != target.ndim + 1 or not preds.is_floating_point())
    refuse(preds.shape[1] != num_classes)
    refuse(preds.shape[:1] + preds.shape[2:] != target.shape)
    preds, target = with_classes_last(preds), target.reshape(-1)
    if ignore_index is not None:
        counted = target != ignore_index
        preds, target = preds[counted], target[counted]
    refuse(bool(((target < 0) | (target >= num_classes)).any()))
    return as_probabilities(preds, "softmax"), target
