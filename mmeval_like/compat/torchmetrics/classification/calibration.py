"""Calibration errors: the distance of confidences from the share that is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torchmetrics.classification as original

from mmeval_like.compat.torchmetrics.classification.inputs import binary_scores, class_scores
from mmeval_like.compat.torchmetrics.exchanged import Exchanged, fitting
from mmeval_like.metrics import CalibrationError

__all__ = ["CLASSES"]

_KEYS = {"l1": "ece", "l2": "rmsce", "max": "mce"}


class _Calibrated(Exchanged):
    norm: str
    n_bins: int
    ignore_index: int | None

    def _engine(self, **options: Any) -> Any:
        return CalibrationError(self.n_bins, task="binary", **options)

    def _value(self, result: Mapping[str, Any]) -> Any:
        return result[_KEYS[self.norm]]


class _Binary(_Calibrated):
    """Of the scores of class 1."""

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        return binary_scores(preds, target, self.ignore_index)


class _Multiclass(_Calibrated):
    """Of the highest score of each position."""

    num_classes: int

    def _read(self, preds: Any, target: Any) -> tuple[Any, Any]:
        preds, target = class_scores(preds, target, self.num_classes, self.ignore_index)
        confidences, classes = preds.max(1)
        return confidences, (classes == target).int()


CLASSES = [
    fitting(original.BinaryCalibrationError, _Binary),
    fitting(original.MulticlassCalibrationError, _Multiclass),
]
