"""torchmetrics, its collection with shared compute groups."""

from __future__ import annotations

from typing import Any

import torchmetrics
from torchmetrics import classification as c

from benchmarks.systems import CLASSES, Evaluation, System


def _evaluation(metric: Any) -> Evaluation:
    return Evaluation(
        lambda batch: metric.update(batch.predictions, batch.labels), metric.compute, metric.reset
    )


def accuracy() -> Evaluation:
    return _evaluation(c.MulticlassAccuracy(CLASSES, average="micro"))


def ten() -> Evaluation:
    members = {
        "accuracy": c.MulticlassAccuracy(CLASSES, average="micro"),
        "macro accuracy": c.MulticlassAccuracy(CLASSES, average="macro"),
        "matrix": c.MulticlassConfusionMatrix(CLASSES),
        "f1 weighted": c.MulticlassF1Score(CLASSES, average="weighted"),
    }
    for average in ("macro", "micro"):
        members[f"precision {average}"] = c.MulticlassPrecision(CLASSES, average=average)
        members[f"recall {average}"] = c.MulticlassRecall(CLASSES, average=average)
        members[f"f1 {average}"] = c.MulticlassF1Score(CLASSES, average=average)
    return _evaluation(torchmetrics.MetricCollection(members))


def forty() -> Evaluation:
    members: dict[str, Any] = {
        "matrix": c.MulticlassConfusionMatrix(CLASSES),
        "kappa": c.MulticlassCohenKappa(CLASSES),
        "mcc": c.MulticlassMatthewsCorrCoef(CLASSES),
        "outcomes": c.MulticlassStatScores(CLASSES, average=None),
    }
    kinds = {
        "accuracy": c.MulticlassAccuracy,
        "precision": c.MulticlassPrecision,
        "recall": c.MulticlassRecall,
        "specificity": c.MulticlassSpecificity,
        "npv": c.MulticlassNegativePredictiveValue,
        "f1": c.MulticlassF1Score,
        "jaccard": c.MulticlassJaccardIndex,
        "hamming": c.MulticlassHammingDistance,
    }
    for average in ("macro", "micro", "weighted", None):
        for name, kind in kinds.items():
            members[f"{name} {average}"] = kind(num_classes=CLASSES, average=average)
        members[f"f2 {average}"] = c.MulticlassFBetaScore(2.0, CLASSES, average=average)
    return _evaluation(torchmetrics.MetricCollection(members))


def mean_squared_error() -> Evaluation:
    return _evaluation(torchmetrics.MeanSquaredError())


SYSTEM = System(
    "torchmetrics",
    "torchmetrics",
    {"accuracy": accuracy, "ten": ten, "forty": forty, "mean_squared_error": mean_squared_error},
)
