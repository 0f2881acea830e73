"""Values of a confusion matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torchmetrics.classification as original

from mmeval_like.compat.torchmetrics.classification.inputs import (
    decided,
    flat_binary,
    flat_classes,
)
from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting, refuse
from mmeval_like.metrics import ConfusionMatrix

__all__ = ["CLASSES"]


class _Binary(Exchanged):
    threshold: float
    ignore_index: int | None

    def _engine(self, **options: Any) -> Any:
        return ConfusionMatrix(num_classes=2, **options)

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        return flat_binary(preds, target, self.threshold, self.ignore_index, ignored_first=True)


class _Multiclass(Exchanged):
    num_classes: int
    ignore_index: int | None

    def _engine(self, **options: Any) -> Any:
        return ConfusionMatrix(num_classes=self.num_classes, **options)

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        return flat_classes(preds, target, self.num_classes, self.ignore_index)


class _Multilabel(Exchanged):
    threshold: float
    ignore_index: int | None
    num_labels: int

    def _engine(self, **options: Any) -> Any:
        options |= {"task": "multilabel", "ignore_index": self.ignore_index}
        return ConfusionMatrix(num_classes=self.num_labels, **options)

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        preds = decided(preds, target, self.threshold)
        refuse(preds.ndim < 2 or preds.shape[1] != self.num_labels)
        return preds, target


class _Matrix(Exchanged):
    """The matrix, with rows for labels, as counts or as shares; 0 / 0 is 0."""

    normalize: str | None

    def _value(self, result: Mapping[str, Any]) -> Any:
        matrix = result["confusion_matrix"]
        axes = {"true": (-1,), "pred": (-2,), "all": (-2, -1)}.get(self.normalize or "none")
        if axes is None:
            return matrix
        total = matrix.sum(axis=axes, keepdims=True)
        return np.divide(matrix, total, out=np.zeros(matrix.shape), where=total != 0)


class _Kappa(Exchanged):
    """1 less the share of disagreements among those that are expected by chance."""

    weights: str | None

    def _value(self, result: Mapping[str, Any]) -> Any:
        matrix = result["confusion_matrix"].astype(np.float64)
        places = np.arange(len(matrix))
        distance = np.abs(places[:, None] - places)
        power = {"linear": 1, "quadratic": 2}.get(self.weights or "none", 0)
        costs = distance.astype(np.float64) ** power * (distance > 0)
        total = matrix.sum()
        if not total:
            return math.nan
        chance = np.outer(matrix.sum(axis=1), matrix.sum(axis=0)) / total
        found, expected = (costs * matrix).sum(), (costs * chance).sum()
        return 1 - found / expected if expected else math.nan


class _Matthews(Exchanged):
    """The correlation of predictions and labels; torchmetrics' rules where it is 0 / 0."""

    def _value(self, result: Mapping[str, Any]) -> Any:
        matrix = result["confusion_matrix"]
        if matrix.ndim == 3:
            matrix = matrix.sum(axis=0)
        exact = matrix.astype(object)
        right, total = sum(exact.diagonal()), exact.sum()
        labels, predicted = exact.sum(axis=1), exact.sum(axis=0)
        spread = [total**2 - (one**2).sum() for one in (labels, predicted)]
        if spread[0] and spread[1]:
            shared = right * total - (labels * predicted).sum()
            return float(shared / math.sqrt(spread[0] * spread[1]))
        return self._degenerate(matrix)

    def _degenerate(self, matrix: Any) -> float:
        if len(matrix) == 2 and matrix.sum():
            (tn, fp), (fn, tp) = matrix
            if not fp and not fn:
                return 1.0
            if not tp and not tn:
                return -1.0
        return 0.0


_TABLE = {
    "ConfusionMatrix": _Matrix,
    "CohenKappa": _Kappa,
    "MatthewsCorrCoef": _Matthews,
}

CLASSES = [
    fitting(getattr(original, f"{task}{name}"), values, base)
    for name, values in _TABLE.items()
    for task, base in (
        ("Binary", _Binary),
        ("Multiclass", _Multiclass),
        ("Multilabel", _Multilabel),
    )
    if hasattr(original, f"{task}{name}")
]
