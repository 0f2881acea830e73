"""MMEval. It keeps objects for every sample; a confusion matrix and a weighted F1 it has not."""

from __future__ import annotations

from typing import Any

import mmeval
from mmeval.core.base_metric import BaseMetric

from benchmarks.systems import CLASSES, Batch, Evaluation, System

PRF = mmeval.SingleLabelPrecisionRecallF1score
BACKEND = "torch_cpu"


def _evaluation(members: dict[str, Any]) -> Evaluation:
    def update(batch: Batch) -> None:
        predictions, labels = batch.predictions, batch.labels
        if labels is not None:
            predictions, labels = predictions.numpy(), labels.numpy()  # ten times faster
        for metric in members.values():
            metric.add(predictions, labels)

    def reset() -> None:
        for metric in members.values():
            metric.reset()

    return Evaluation(
        update,
        lambda: {name: metric.compute() for name, metric in members.items()},
        reset,
        per_sample=True,
    )


def accuracy() -> Evaluation:
    return _evaluation({"accuracy": mmeval.Accuracy(dist_backend=BACKEND)})


def ten() -> Evaluation:
    options: dict[str, Any] = {"num_classes": CLASSES, "dist_backend": BACKEND}
    members = {
        "accuracy": mmeval.Accuracy(dist_backend=BACKEND),
        "macro accuracy": PRF(items=("recall",), **options),
        # Nearest to a confusion matrix and to a weighted F1:
        "by class": PRF(average=None, **options),
        "support": PRF(items=("support",), average=None, **options),
    }
    for average in ("macro", "micro"):
        for item in ("precision", "recall", "f1-score"):
            members[f"{item} {average}"] = PRF(items=(item,), average=average, **options)
    return _evaluation(members)


class Floats(BaseMetric):
    """Any Python object per sample; here floats."""

    def add(self, predictions: list[float], labels: Any) -> None:
        self._results += predictions

    def compute_metric(self, results: list[float]) -> dict[str, int]:
        return {"count": len(results)}


def objects() -> Evaluation:
    return _evaluation({"floats": Floats(dist_backend=BACKEND)})


SYSTEM = System("mmeval", "mmeval", {"accuracy": accuracy, "ten": ten, "objects": objects})
