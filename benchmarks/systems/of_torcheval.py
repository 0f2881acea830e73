"""torcheval, with its own synchronisation of collections."""

from __future__ import annotations

from typing import Any

from torcheval import metrics as m
from torcheval.metrics import toolkit

from benchmarks.systems import CLASSES, Batch, Evaluation, System


def _evaluation(members: dict[str, Any], sync: Any) -> Evaluation:
    def update(batch: Batch) -> None:
        for metric in members.values():
            metric.update(batch.predictions, batch.labels)

    def reset() -> None:
        for metric in members.values():
            metric.reset()

    return Evaluation(update, sync, reset)


def _one(metric: Any) -> Evaluation:
    return _evaluation({"metric": metric}, lambda: toolkit.sync_and_compute(metric))


def accuracy() -> Evaluation:
    return _one(m.MulticlassAccuracy())


def ten() -> Evaluation:
    members: dict[str, Any] = {
        "accuracy": m.MulticlassAccuracy(),
        "macro accuracy": m.MulticlassAccuracy(average="macro", num_classes=CLASSES),
        "matrix": m.MulticlassConfusionMatrix(CLASSES),
        "f1 weighted": m.MulticlassF1Score(num_classes=CLASSES, average="weighted"),
    }
    for average in ("macro", "micro"):
        for name, kind in (
            ("precision", m.MulticlassPrecision),
            ("recall", m.MulticlassRecall),
            ("f1", m.MulticlassF1Score),
        ):
            members[f"{name} {average}"] = kind(num_classes=CLASSES, average=average)
    return _evaluation(members, lambda: toolkit.sync_and_compute_collection(members))


def mean_squared_error() -> Evaluation:
    return _one(m.MeanSquaredError())


SYSTEM = System(
    "torcheval",
    "torcheval",
    {"accuracy": accuracy, "ten": ten, "mean_squared_error": mean_squared_error},
)
