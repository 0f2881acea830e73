"""Hugging Face transformers: metrics for `Trainer(compute_metrics=)`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
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
    nothing counts twice. Batches of an evaluation that failed do not count in the next one. The
    names of the numbers are those of `Result.flat`; `Trainer` puts "eval_" before them.

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
        if _evaluation_begins():
            total.reset()
        total.add(*(inputs or _first_and_labels)(prediction))
        if not compute_result:
            return {}
        try:
            flat: dict[str, float] = total.compute_local().flat()
        finally:
            total.reset()
        return flat

    return compute_metrics


def _evaluation_begins() -> bool:
    """Return whether the Trainer that calls is at the first batch of an evaluation.

    A Trainer tells nobody that an evaluation failed, or that another one begins: with
    `batch_eval_metrics`, only the variable of its loop says so.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        by_transformers = frame.f_globals.get("__name__") == "transformers.trainer"
        if by_transformers and frame.f_code.co_name == "evaluation_loop":
            return frame.f_locals.get("step") == 0
        frame = frame.f_back
    return False


def _first_and_labels(prediction: Any) -> tuple[Any, Any]:
    found = prediction.predictions
    return found[0] if isinstance(found, tuple) else found, prediction.label_ids
