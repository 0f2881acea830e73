"""Accuracy and other quotients of true and false positives and negatives of classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
import torchmetrics.classification as original

from mmeval_like.compat.torchmetrics.classification.inputs import (
    classes_and_labels,
    decided,
    flat_binary,
    flat_classes,
)
from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting, refuse
from mmeval_like.metrics import StatScores
from mmeval_like.metrics.classification.label_counts import LabelCounts
from mmeval_like.writing import BaseMetric, Results, State, state

__all__ = ["CLASSES"]


class _CountsOfEach(BaseMetric):
    """True and false positives and negatives of every sample and class, int64 (N, 4, C)."""

    def __init__(self, num_classes: int, ignore_index: int | None, **options: Any) -> None:
        super().__init__(**options)
        self.counts = LabelCounts(num_classes, ignore_index=ignore_index)

    def states(self) -> dict[str, State]:
        return {"rows_of_counts": state.cat(int, (4, self.counts.num_classes))}

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        return {"rows_of_counts": self.counts.outcomes(predictions, labels)[0]}

    def compute_metric(self, results: Results) -> dict[str, Any]:
        tp, predicted, support, valid = np.moveaxis(results.rows_of_counts, 1, 0)
        counts = [tp, predicted - tp, support - tp, valid - predicted - support + tp]
        return {"counts": np.stack(counts, axis=1)}


class _Counted(Exchanged):
    """Values of the counts of classes, averaged by torchmetrics' rules.

    The options are torchmetrics'. `parts` gives the numerator and the denominator of a class.
    """

    parts: Callable[..., tuple[Any, Any]]
    complement = False  # whether the value is 1 less the quotient
    by_labels = False  # whether with `top_k` above 1 a class without labels is out of the mean
    without_samples = 0.0  # the averages if no class counts
    ignored_first = False  # whether scores that do not count are no reason to take logits
    average: str | None
    multidim_average = "global"
    ignore_index: int | None
    zero_division: float
    top_k = 1
    beta = 1.0

    def _value(self, result: Mapping[str, Any]) -> Any:
        if "counts" in result:
            return self._averaged(np.moveaxis(result["counts"], 1, 0))  # (4, N, C)
        end = "" if "tp" in result else "_classwise"
        names = ("tp", "fp", "fn", "tn")
        return self._averaged(np.array([np.atleast_1d(result[name + end]) for name in names]))

    def _averaged(self, counts: Any) -> Any:
        if self.average == "micro":
            counts = counts.sum(axis=-1, keepdims=True)
        above, below = self.parts(*counts, self.beta**2)
        zeros = np.full(below.shape, float(self.zero_division))
        values = np.divide(above, below, out=zeros, where=below != 0)
        if self.complement:
            values = 1 - values
        if self.average in ("micro", "none", None):
            return values[..., 0] if self.average == "micro" else values
        return self._mean(values, self._weights(*counts))

    def _mean(self, values: Any, weights: Any) -> Any:
        total = weights.sum(axis=-1, keepdims=True)
        empty = np.full(weights.shape, self.without_samples)
        return (values * np.divide(weights, total, out=empty, where=total != 0)).sum(axis=-1)

    def _weights(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Return the weights of classes in the average."""
        return tp + fn if self.average == "weighted" else np.ones_like(tp)


class _Binary(_Counted):
    average = "micro"
    threshold: float

    def _engine(self, **options: Any) -> Any:
        if self.multidim_average == "samplewise":
            return _CountsOfEach(1, self.ignore_index, **options)
        return StatScores(**options)

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        if self.multidim_average == "global":
            given = preds, target, self.threshold, self.ignore_index
            return flat_binary(*given, self.ignored_first)
        preds = decided(preds, target, self.threshold)
        refuse(preds.ndim < 2)
        return preds.flatten(1)[:, None], target.flatten(1)[:, None]


class _Multiclass(_Counted):
    num_classes: int | None

    def _engine(self, **options: Any) -> Any:
        if self.multidim_average == "samplewise":
            return _CountsOfEach(self.num_classes or 1, -1, **options)
        if self.num_classes is None:  # average="micro": hits are enough
            return StatScores(**options)
        options |= {"average": None, "num_classes": self.num_classes}
        return StatScores(task="multiclass", **options)

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        given = preds, target, self.num_classes, self.ignore_index, self.top_k
        if self.multidim_average == "global":
            classes, labels = flat_classes(*given)
            if self.num_classes is None:
                return classes == labels, torch.ones_like(labels)
            return classes, labels
        refuse(target.ndim < 2 or self.num_classes is None)
        classes, labels, counted = classes_and_labels(*given)
        every = torch.arange(self.num_classes, device=labels.device)[:, None]
        hot = (labels.flatten(1)[:, None] == every).long()
        if counted is not None:
            hot = torch.where(counted.flatten(1)[:, None], hot, -1)
        return (classes.flatten(1)[:, None] == every).long(), hot

    def _weights(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        weights = super()._weights(tp, fp, fn, tn)
        if self.average == "weighted":
            return weights
        by_labels = self.by_labels and self.top_k > 1
        return np.where(tp + fn + (0 if by_labels else fp) == 0, 0, weights)


class _Multilabel(_Counted):
    threshold: float
    num_labels: int

    def _engine(self, **options: Any) -> Any:
        if self.multidim_average == "samplewise":
            return _CountsOfEach(self.num_labels, self.ignore_index, **options)
        options |= {"average": None, "num_classes": self.num_labels}
        return StatScores(task="multilabel", ignore_index=self.ignore_index, **options)

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        preds = decided(preds, target, self.threshold)
        refuse(preds.ndim < 2 or preds.shape[1] != self.num_labels)
        refuse(preds.ndim < 3 and self.multidim_average == "samplewise")
        return preds, target


class _Scores:
    """The counts themselves, in the order TP, FP, TN, FN, support."""

    average: str | None
    _mean: Any
    _weights: Any

    def _averaged(self, counts: Any) -> Any:
        if self.average == "micro":
            counts = counts.sum(axis=-1, keepdims=True)
        tp, fp, fn, tn = counts
        every = np.stack([tp, fp, tn, fn, tp + fn], axis=-1)
        if self.average == "micro":
            return every[..., 0, :]
        if self.average in ("none", None):
            return every
        weights = tp + fn if self.average == "weighted" else np.ones_like(tp)
        total = weights.sum(axis=-1, keepdims=True)
        shares = np.divide(weights, total, out=np.full(weights.shape, math.nan), where=total != 0)
        return (every * shares[..., None]).sum(axis=-2)


class _Jaccard(_Counted):
    """As other quotients, but nan if no class counts, and without the class that is ignored."""

    without_samples = math.nan

    def _averaged(self, counts: Any) -> Any:
        ignored = self.ignore_index
        if self.average in ("micro", "macro") and ignored is not None and self._is_class(ignored):
            counts = np.delete(counts, ignored, axis=-1)
        return super()._averaged(counts)

    def _is_class(self, ignored: int) -> bool:
        return 0 <= ignored < (getattr(self, "num_classes", None) or 0)


def _right(tp: Any, fp: Any, fn: Any, tn: Any, _: Any) -> tuple[Any, Any]:
    return tp + tn, tp + fp + fn + tn


def _found(tp: Any, fp: Any, fn: Any, tn: Any, _: Any) -> tuple[Any, Any]:
    return tp, tp + fn


def _sound(tp: Any, fp: Any, fn: Any, tn: Any, _: Any) -> tuple[Any, Any]:
    return tp, tp + fp


def _f(tp: Any, fp: Any, fn: Any, tn: Any, square: float) -> tuple[Any, Any]:
    return (1 + square) * tp, (1 + square) * tp + square * fn + fp


def _spared(tp: Any, fp: Any, fn: Any, tn: Any, _: Any) -> tuple[Any, Any]:
    return tn, tn + fp


def _cleared(tp: Any, fp: Any, fn: Any, tn: Any, _: Any) -> tuple[Any, Any]:
    return tn, tn + fn


def _overlap(tp: Any, fp: Any, fn: Any, tn: Any, _: Any) -> tuple[Any, Any]:
    return tp, tp + fp + fn


# The parts; those of a multiclass task, if they differ; further bases and attributes.
_TABLE: dict[str, tuple[Any, Any, tuple[type, ...], dict[str, Any]]] = {
    "Accuracy": (_right, _found, (), {"by_labels": True}),
    "HammingDistance": (_right, _found, (), {"complement": True}),
    "Precision": (_sound, _sound, (), {"by_labels": True}),
    "Recall": (_found, _found, (), {"by_labels": True}),
    "FBetaScore": (_f, _f, (), {}),
    "F1Score": (_f, _f, (), {}),
    "Specificity": (_spared, _spared, (), {}),
    "NegativePredictiveValue": (_cleared, _cleared, (), {"by_labels": True}),
    "JaccardIndex": (_overlap, _overlap, (_Jaccard,), {"ignored_first": True}),
    "StatScores": (_right, _right, (_Scores,), {}),
}

CLASSES = [
    fitting(
        getattr(original, f"{task}{name}"),
        *more,
        base,
        parts=staticmethod(of_classes if task == "Multiclass" else parts),
        **attributes,
    )
    for name, (parts, of_classes, more, attributes) in _TABLE.items()
    for task, base in (
        ("Binary", _Binary),
        ("Multiclass", _Multiclass),
        ("Multilabel", _Multilabel),
    )
    if hasattr(original, f"{task}{name}")
]
