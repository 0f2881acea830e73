"""Losses of scores, and the share of samples that are right in all positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torchmetrics.classification as original

from mmeval_like.compat.torchmetrics.classification.inputs import (
    binary_scores,
    check_binary,
    class_scores,
    classes_and_labels,
    decided,
    with_classes_last,
)
from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting, refuse
from mmeval_like.metrics import Cat, HingeLoss, Mean

__all__ = ["CLASSES"]


class _BinaryHinge(Exchanged):
    """Of scores of class 1, which are no margins: a score of 0 is no decision."""

    squared: bool
    ignore_index: int | None

    def _engine(self, **options: Any) -> Any:
        return HingeLoss(squared=self.squared, **options)

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        return binary_scores(preds, target, self.ignore_index)


class _MulticlassHinge(Exchanged):
    """Of scores of all classes."""

    squared: bool
    ignore_index: int | None
    num_classes: int
    multiclass_mode: Any

    def _engine(self, **options: Any) -> Any:
        return HingeLoss(
            "multiclass", self.squared, self.multiclass_mode, self.num_classes, **options
        )

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        return class_scores(preds, target, self.num_classes, self.ignore_index)


class _ExactMatch(Exchanged):
    """The share of samples without a wrong position that counts, or 0 and 1 of each sample."""

    multidim_average: str
    ignore_index: int | None

    def _engine(self, **options: Any) -> Any:
        return Cat(**options) if self.multidim_average == "samplewise" else Mean(**options)

    def _value(self, result: Mapping[str, Any]) -> Any:
        return np.nan_to_num(super()._value(result))  # 0 without samples


class _MulticlassMatch(_ExactMatch):
    """Of all positions of a sample."""

    num_classes: int

    def _read(self, preds: Any, target: Any) -> tuple[Any]:
        given = preds, target, self.num_classes, self.ignore_index
        classes, labels, counted = classes_and_labels(*given)
        refuse(target.ndim < 2 and self.multidim_average == "samplewise")
        right = classes == labels
        right = right if counted is None else right | ~counted
        return (right.unsqueeze(-1).flatten(1).all(1).double(),)


class _MultilabelMatch(_ExactMatch):
    """Of all labels of a position; samplewise the share of a sample's positions."""

    num_labels: int
    threshold: float

    def _read(self, preds: Any, target: Any) -> tuple[Any]:
        preds = decided(preds, target, self.threshold)
        check_binary(preds, None)
        check_binary(target, self.ignore_index)
        refuse(preds.ndim < 2 or preds.shape[1] != self.num_labels)
        refuse(preds.ndim < 3 and self.multidim_average == "samplewise")
        right = preds == target
        if self.ignore_index is not None:
            right |= target == self.ignore_index
        if self.multidim_average == "samplewise":
            return (right.all(1).double().flatten(1).mean(1),)
        return (with_classes_last(right).all(1).double(),)


CLASSES = [
    fitting(original.BinaryHingeLoss, _BinaryHinge),
    fitting(original.MulticlassHingeLoss, _MulticlassHinge),
    fitting(original.MulticlassExactMatch, _MulticlassMatch),
    fitting(original.MultilabelExactMatch, _MultilabelMatch),
]
