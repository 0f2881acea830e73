"""Hugging Face transformers: metrics for `Trainer(compute_metrics=)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmeval_like._core.evaluation import emptied
from mmeval_like._core.given import Metrics, as_metrics

__all__ = ["trainer"]


def trainer(
    metrics: Metrics,
    inputs: Callable[[Any], tuple[Any, ...]] | None = None,
) -> Callable[..., dict[str, float]]:
    """Return a function for `Trainer(compute_metrics=)`, with or without `batch_eval_metrics`.

    `Trainer` gathers the predictions of all ranks before it calls this function, on every rank.
    The metrics are therefore computed from the gathered predictions, without an exchange, so
    nothing counts twice. The names of the numbers are those of `Result.flat`; `Trainer` puts
    "eval_" before them.

    With `batch_eval_metrics`, `Trainer` does not say where an evaluation begins. If its loop raised
    an error, the batches before it would count in the next evaluation: give the attribute
    `compute_metrics` of the `Trainer` a new function first.

    Args:
        metrics: A metric, a collection, or metrics by name; they are copied.
        inputs: A function from an `EvalPrediction` to the arguments of `add`. By default these are
            the predictions (the first array if the model returns several) and the labels. Padded
            labels are -100: give the metric `ignore_index=-100` where there are some.

    Example:
        >>> from mmeval_like import Accuracy
        >>> compute_metrics = trainer(Accuracy())  # for Trainer(compute_metrics=compute_metrics)
    """
    total = emptied(as_metrics(metrics))

    def compute_metrics(prediction: Any, compute_result: bool = True) -> dict[str, float]:
        total.add(*(inputs or _first_and_labels)(prediction))
        if not compute_result:
            return {}
        try:
            flat: dict[str, float] = total.compute_local().flat()
        finally:
            total.reset()
        return flat

    return compute_metrics


def _first_and_labels(prediction: Any) -> tuple[Any, Any]:
    found = prediction.predictions
    return found[0] if isinstance(found, tuple) else found, prediction.label_ids
