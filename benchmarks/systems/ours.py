"""This package."""

from __future__ import annotations

from typing import Any

import mmeval_like as mm
from benchmarks.systems import CLASSES, Evaluation, System
from mmeval_like.writing import arrays

PRF = mm.SingleLabelPrecisionRecallF1score


def _evaluation(metric: Any) -> Evaluation:
    return Evaluation(
        lambda batch: metric.add(batch.predictions, batch.labels), metric.compute, metric.reset
    )


def accuracy() -> Evaluation:
    return _evaluation(mm.Accuracy())


def ten_metrics() -> mm.MetricCollection:
    """Return the metrics of `ten`."""
    members = {
        "accuracy": mm.Accuracy(thrs=None),  # follows from the confusion matrix
        "macro accuracy": PRF(CLASSES, items=("recall",)),
        "matrix": mm.ConfusionMatrix(CLASSES),
        "f1 weighted": PRF(CLASSES, items=("f1-score",), average="weighted"),
    }
    for average in ("macro", "micro"):
        for item in ("precision", "recall", "f1-score"):
            members[f"{item} {average}"] = PRF(CLASSES, items=(item,), average=average)
    return mm.MetricCollection(members)


def ten() -> Evaluation:
    return _evaluation(ten_metrics())


def forty() -> Evaluation:
    options: Any = {"task": "multiclass", "num_classes": CLASSES}
    members: dict[str, Any] = {
        "matrix": mm.ConfusionMatrix(CLASSES),
        "kappa": mm.CohenKappa(CLASSES),
        "mcc": mm.MatthewsCorrCoef(CLASSES),
        "outcomes": mm.StatScores(average=None, **options),
    }
    for average in ("macro", "micro", "weighted", None):
        asked = options | {"average": average}
        members |= {
            f"accuracy {average}": mm.Accuracy(thrs=None, num_classes=CLASSES, average=average),
            f"precision {average}": mm.Precision(**asked),
            f"recall {average}": mm.Recall(**asked),
            f"specificity {average}": mm.Specificity(**asked),
            f"npv {average}": mm.NegativePredictiveValue(**asked),
            f"f1 {average}": mm.FBetaScore(**asked),
            f"f2 {average}": mm.FBetaScore(beta=2.0, **asked),
            f"jaccard {average}": mm.JaccardIndex(**asked),
            f"hamming {average}": mm.HammingDistance(**asked),
        }
    return _evaluation(mm.MetricCollection(members))


class MeanSquaredError(mm.BaseMetric):
    """The mean of squared differences of numbers."""

    error = mm.state.sum()

    def rows(self, predictions: Any, labels: Any) -> dict[str, Any]:
        difference = arrays.as_floats(predictions, "predictions") - arrays.as_floats(labels, "y")
        return {"error": difference**2}

    def compute_metric(self, results: Any) -> dict[str, float]:
        return {"mse": results.error / len(results)}


def mean_squared_error() -> Evaluation:
    return _evaluation(MeanSquaredError())


class Floats(mm.BaseMetric):
    """Any Python object per sample, as in MMEval; here floats."""

    def add(self, predictions: list[float], labels: Any) -> None:
        self._results += predictions

    def compute_metric(self, results: list[float]) -> dict[str, int]:
        return {"count": len(results)}


def objects() -> Evaluation:
    return _evaluation(Floats())


SYSTEM = System(
    "mmeval_like",
    "mmeval-like",
    {
        "accuracy": accuracy,
        "ten": ten,
        "forty": forty,
        "mean_squared_error": mean_squared_error,
        "objects": objects,
    },
)
