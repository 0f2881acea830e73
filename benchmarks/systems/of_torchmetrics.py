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


def mean_squared_error() -> Evaluation:
    return _evaluation(torchmetrics.MeanSquaredError())


SYSTEM = System(
    "torchmetrics",
    "torchmetrics",
    {"accuracy": accuracy, "ten": ten, "mean_squared_error": mean_squared_error},
)
