"""PyTorch-Ignite: metrics of every run of an evaluator."""

from __future__ import annotations

from typing import Any

from ignite.engine import Engine, Events

from mmeval_like._core.given import Metrics, as_metrics

__all__ = ["attach"]


def attach(metrics: Metrics, evaluator: Engine, size: int | None = None) -> None:
    """Make an evaluator compute metrics from the output of its process function.

    After each epoch their numbers are in `evaluator.state.metrics`, by the names of `Result.flat`.

    Args:
        metrics: A metric, a collection, or metrics by name. They keep an epoch's samples until the
            next epoch begins.
        evaluator: Its process function returns what `add` takes: a tuple, or a dict of named
            arguments, among which may be `ids`.
        size: The number of samples of the dataset, as `compute` takes it.
    """
    total = as_metrics(metrics)

    def add(engine: Engine) -> None:
        output: Any = engine.state.output
        if isinstance(output, dict):
            total.add(**output)
        else:
            total.add(*output)

    def compute(engine: Engine) -> None:
        engine.state.metrics.update(total.compute(size).flat())

    evaluator.add_event_handler(Events.EPOCH_STARTED, lambda engine: total.reset())
    evaluator.add_event_handler(Events.ITERATION_COMPLETED, add)
    evaluator.add_event_handler(Events.EPOCH_COMPLETED, compute)
