"""ignite. It takes no class ids of several classes: it gets one-hot scores, made beforehand."""

from __future__ import annotations

from typing import Any

from ignite import metrics as m

from benchmarks.systems import CLASSES, Batch, Evaluation, System


def _evaluation(updated: list[Any], computed: dict[str, Any], scores: bool = True) -> Evaluation:
    def reset() -> None:
        for metric in updated:
            metric.reset()

    def update(batch: Batch) -> None:
        for metric in updated:
            metric.update((batch.scores if scores else batch.predictions, batch.labels))

    reset()
    return Evaluation(
        update, lambda: {name: metric.compute() for name, metric in computed.items()}, reset
    )


def accuracy() -> Evaluation:
    metric = m.Accuracy()
    return _evaluation([metric], {"accuracy": metric})


def ten() -> Evaluation:
    plain = {
        "accuracy": m.Accuracy(),
        "matrix": m.ConfusionMatrix(CLASSES),
        "precision macro": m.Precision(average="macro"),
        "recall macro": m.Recall(average="macro"),
        "precision micro": m.Precision(average="micro"),
        "recall micro": m.Recall(average="micro"),
    }
    precision, recall = m.Precision(average=False), m.Recall(average=False)

    def f1(p: Any, r: Any) -> Any:
        return 2 * p * r / (p + r + 1e-20)

    derived = {
        "macro accuracy": m.MetricsLambda(lambda r: r.mean(), recall),
        "f1 macro": m.MetricsLambda(lambda p, r: f1(p, r).mean(), precision, recall),
        "f1 micro": m.MetricsLambda(f1, plain["precision micro"], plain["recall micro"]),
        "f1 weighted": m.MetricsLambda(
            lambda p, r, matrix: (f1(p, r) * matrix.sum(1) / matrix.sum()).sum(),
            precision,
            recall,
            plain["matrix"],
        ),
    }
    return _evaluation([*plain.values(), precision, recall], plain | derived)


def mean_squared_error() -> Evaluation:
    metric = m.MeanSquaredError()
    return _evaluation([metric], {"mse": metric}, scores=False)


SYSTEM = System(
    "ignite",
    "pytorch-ignite",
    {"accuracy": accuracy, "ten": ten, "mean_squared_error": mean_squared_error},
)
