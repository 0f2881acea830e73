"""Curves over thresholds, and the areas under them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torchmetrics.classification as original

from mmeval_like._core.collection import MetricCollection
from mmeval_like.compat.torchmetrics.classification.inputs import (
    as_probabilities,
    binary_scores,
    check_binary,
    check_labels,
    class_scores,
    with_classes_last,
)
from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting, refuse
from mmeval_like.metrics import AUROC, ROC, AveragePrecision, PrecisionRecallCurve, StatScores
from mmeval_like.writing import BaseMetric, Results, State, state

__all__ = ["CLASSES", "PrecisionRecallPoints", "RocPoints", "of_scores"]


class _AtThresholds(BaseMetric):
    """True and false positives of each class at thresholds: scores of at least the threshold."""

    every_rank_computes = True

    def __init__(self, thresholds: Any, num_classes: int, **options: Any) -> None:
        super().__init__(**options)
        self.thresholds, self.num_classes = thresholds, num_classes

    def states(self) -> dict[str, State]:
        return {"reached": state.count(self._bins * self.num_classes, self.num_classes)}

    @property
    def _bins(self) -> int:
        return 2 * (len(self.thresholds) + 1) + 1  # for each label and each number reached; none

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return the codes of scores (N, C) and labels 0, 1, or another for none (N, C)."""
        scores, truth = (np.asarray(one).reshape(-1, self.num_classes) for one in (
            predictions.double().cpu(), labels.cpu()))  # fmt: skip
        if np.isnan(scores).any():
            raise ValueError("preds must not contain nan")
        reached = np.searchsorted(self.thresholds, scores, side="right")
        codes = np.where((truth == 0) | (truth == 1), 1 + 2 * reached + (truth == 1), 0)
        return {"reached": codes + self._bins * np.arange(self.num_classes)}

    def compute_metric(self, results: Results) -> dict[str, Any]:
        counts = results.reached.reshape(self.num_classes, self._bins)[:, 1:]
        counts = counts.reshape(self.num_classes, -1, 2)
        above = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
        return {"above": above[:, 1:], "total": above[:, 0]}  # (C, T, 2), (C, 2)


class _Scored(Exchanged):
    """Values of scores; `thresholds=None` is exact."""

    thresholds: Any
    ignore_index: int | None
    average: str | None = None
    normalization = "sigmoid"
    max_fpr: float | None = None
    task: str
    classes = 1

    def _engine(self, **options: Any) -> Any:
        if self.thresholds is None:
            return self._exact(**options)
        at = self.thresholds.double().cpu().numpy()
        if (np.diff(at) < 0).any():
            raise ValueError(f"thresholds must be in ascending order, got {at.tolist()}")
        return _AtThresholds(at, self.classes, **options)

    @property
    def pooled(self) -> bool:
        """Whether there is one curve, of the scores of all classes."""
        return self.task == "binary" or self.average == "micro"

    def _of_task(self) -> dict[str, Any]:
        if self.pooled:
            return {"task": "binary"}
        ignored = self.ignore_index if self.task == "multilabel" else None
        classes = {"num_classes": self.classes, "average": None}
        return {"task": self.task, "ignore_index": ignored, **classes}


class BinaryScores(_Scored):
    task = "binary"

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        return binary_scores(preds, target, self.ignore_index, self.normalization)


class MulticlassScores(_Scored):
    task = "multiclass"
    num_classes: int

    @property
    def classes(self) -> int:  # type: ignore[override]
        return 1 if self.average == "micro" else self.num_classes

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        preds, target = class_scores(preds, target, self.num_classes, self.ignore_index)
        if self.thresholds is None and not self.pooled:
            return preds, target
        every = torch.arange(self.num_classes, device=target.device)
        hot = (target[:, None] == every).int()
        return (preds.reshape(-1), hot.reshape(-1)) if self.pooled else (preds, hot)


class MultilabelScores(_Scored):
    task = "multilabel"
    num_labels: int

    @property
    def classes(self) -> int:  # type: ignore[override]
        return 1 if self.average == "micro" else self.num_labels

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        check_labels(target)
        refuse(preds.shape != target.shape or not preds.is_floating_point())
        refuse(preds.ndim < 2 or preds.shape[1] != self.num_labels)
        check_binary(target, self.ignore_index)
        preds, target = as_probabilities(with_classes_last(preds)), with_classes_last(target)
        if self.average != "micro":
            if self.thresholds is not None and self.ignore_index is not None:
                target = torch.where(target == self.ignore_index, -1, target)
            return preds, target
        preds, target = preds.reshape(-1), target.reshape(-1)
        counted = slice(None) if self.ignore_index is None else target != self.ignore_index
        return preds[counted], target[counted]


class _Area(Exchanged):
    """The areas of classes, and their average."""

    task: str
    average: str | None
    pooled: bool
    _of_task: Any

    def _exact(self, dist_backend: Any, **options: Any) -> Any:
        options |= self._of_task()
        cut = None if self.task == "multiclass" else 0.0  # any scores: labels are counted
        members = {"area": self._metric(**options), "counts": StatScores(threshold=cut, **options)}
        return MetricCollection(members, dist_backend=dist_backend)

    def _value(self, result: Mapping[str, Any]) -> Any:
        if "area" in result:
            values = np.atleast_1d(next(iter(result["area"].values())))
            scores = result["counts"]
            support = np.atleast_1d(scores.get("support_classwise", scores.get("support")))
            values = self._completed(np.array(values, np.float64), support)
        else:
            counts = result["above"].astype(np.float64), result["total"].astype(np.float64)
            values, support = self._binned(*counts), counts[1][:, 1]
        if self.pooled:
            return values[0]
        if self.average in ("none", None):
            return values
        counted = ~np.isnan(values)
        weights = np.where(counted, support if self.average == "weighted" else 1.0, 0.0)
        total = weights.sum()
        return (np.where(counted, values, 0.0) * weights).sum() / total if total else 0.0


class _AUROC(_Area):
    max_fpr: float | None = None

    def _metric(self, **options: Any) -> Any:
        return AUROC(max_fpr=self.max_fpr, **options)

    def _completed(self, values: Any, support: Any) -> Any:
        return np.nan_to_num(values)  # one label alone: 0

    def _binned(self, above: Any, total: Any) -> Any:
        fpr, tpr = (_shares(above[..., label], total[:, None, label])[:, ::-1] for label in (0, 1))
        if self.max_fpr in (None, 1):
            return _area(fpr, tpr)
        if not fpr.any() or not tpr.any():
            return np.zeros(1)
        stop = np.searchsorted(fpr[0], self.max_fpr, side="right")
        last = np.interp(self.max_fpr, fpr[0], tpr[0])
        partial = [*fpr[0][:stop], self.max_fpr], [*tpr[0][:stop], last]
        area = _area(*map(np.array, partial))
        least = self.max_fpr**2 / 2
        return np.array([0.5 * (1 + (area - least) / (self.max_fpr - least))])


class _AveragePrecision(_Area):
    def _metric(self, **options: Any) -> Any:
        return AveragePrecision(percent=False, **options)

    def _completed(self, values: Any, support: Any) -> Any:
        missing = np.nan if self.task == "multiclass" else 0.0  # without labels of a class
        return np.where(support > 0, values, missing)

    def _binned(self, above: Any, total: Any) -> Any:
        precision = _shares(above[..., 1], above.sum(axis=-1))
        recall = _shares(above[..., 1], total[:, None, 1])
        last = np.zeros((len(recall), 1))
        return (-np.diff(recall, append=last) * precision).sum(axis=1)


class _Curve(Exchanged):
    """The curve, or curves of classes, as torchmetrics' tuples.

    Attributes:
        metric: The curve at all scores.
        names: Its arrays, in torchmetrics' order.
        missing: The value of 0 / 0 at all scores, without positive or without negative labels.
    """

    metric: Any
    names: tuple[str, ...]
    missing = 0.0
    average: str | None
    thresholds: Any
    pooled: bool
    _of_task: Any

    def _engine(self, **options: Any) -> Any:
        if self.average == "macro":
            raise TypeError(
                "average must not be 'macro': the mean of curves at different thresholds is no "
                "curve; to get the curves, pass average=None"
            )
        return super()._engine(**options)  # type: ignore[safe-super]

    def _exact(self, **options: Any) -> Any:
        return self.metric(**options | self._of_task())

    def _value(self, result: Mapping[str, Any]) -> Any:
        return tuple(self.curves(result))

    def curves(self, result: Mapping[str, Any]) -> list[Any]:
        """Return the arrays of the curve, or lists or matrices of those of the classes."""
        if "above" in result:
            counts = result["above"].astype(np.float64), result["total"].astype(np.float64)
            *curves, at = self._binned(*counts)
            return [*(one[0] if self.pooled else one for one in curves), at]
        *curves, at = (result[name] for name in self.names)
        if self.pooled:
            return [*map(self._completed, curves), self._placed(at)]
        return [*([self._completed(one) for one in several] for several in curves),
                [self._placed(one) for one in at]]  # fmt: skip

    def _completed(self, curve: Any) -> Any:
        return np.nan_to_num(curve, nan=self.missing)

    def _placed(self, thresholds: Any) -> Any:
        return thresholds


class RocPoints(_Curve):
    """The rates at each threshold, from the highest down; the first is 1."""

    metric = ROC
    names = ("fpr", "tpr", "thresholds")

    def _placed(self, thresholds: Any) -> Any:
        return np.where(np.isinf(thresholds), thresholds.dtype.type(1), thresholds)

    def _binned(self, above: Any, total: Any) -> list[Any]:
        rates = [_shares(above[..., one], total[:, None, one])[:, ::-1] for one in (0, 1)]
        return [*rates, np.array(self.thresholds.cpu())[::-1]]


class PrecisionRecallPoints(_Curve):
    """Precision and recall at each threshold, from the lowest up, and the point 1, 0."""

    metric = PrecisionRecallCurve
    names = ("precision", "recall", "thresholds")
    missing = 1.0
    task: str

    def _completed(self, curve: Any) -> Any:
        return curve if self.task == "multiclass" and not self.pooled else super()._completed(curve)

    def _binned(self, above: Any, total: Any) -> list[Any]:
        precision = _shares(above[..., 1], above.sum(axis=-1), np.nan)
        recall = _shares(above[..., 1], total[:, None, 1], np.nan)
        ends = (np.full((len(recall), 1), end) for end in (1.0, 0.0))
        curves = [np.hstack([*pair]) for pair in zip((precision, recall), ends, strict=True)]
        return [*curves, np.array(self.thresholds.cpu())]


def _area(across: Any, up: Any) -> Any:
    """Return the area under a curve of straight lines, along the last axis."""
    return (np.diff(across) * (up[..., 1:] + up[..., :-1]) / 2).sum(axis=-1)


def _shares(above: Any, below: Any, missing: float = 0.0) -> Any:
    below = np.broadcast_to(below, above.shape)
    return np.divide(above, below, out=np.full(above.shape, missing), where=below != 0)


_TABLE = {
    "AUROC": _AUROC,
    "AveragePrecision": _AveragePrecision,
    "PrecisionRecallCurve": PrecisionRecallPoints,
    "ROC": RocPoints,
}


def of_scores(table: Mapping[str, type]) -> list[Any]:
    """Return the classes of each task that torchmetrics has, of values by name."""
    return [
        fitting(getattr(original, f"{task}{name}"), values, base)
        for name, values in table.items()
        for task, base in (
            ("Binary", BinaryScores),
            ("Multiclass", MulticlassScores),
            ("Multilabel", MultilabelScores),
        )
        if hasattr(original, f"{task}{name}")
    ]


CLASSES = of_scores(_TABLE)
