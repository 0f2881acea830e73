"""The argument `metrics` of functions and adapters: a metric, a collection, or metrics by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from mmeval_like._core.collection import MetricCollection
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.metric import BaseMetric

__all__ = ["Metrics", "as_metrics"]

Metrics: TypeAlias = BaseMetric | MetricCollection | Mapping[str, BaseMetric]


def as_metrics(metrics: Metrics) -> Any:
    """Return a metric or a collection unchanged, and metrics by name as a collection of copies.

    Raises:
        TypeError: `metrics` is something else, such as the class of a metric.

    Example:
        >>> from mmeval_like import Accuracy
        >>> as_metrics({"acc": Accuracy()})
        MetricCollection(acc=<Accuracy(): 0 samples>)
        >>> as_metrics(Accuracy)
        Traceback (most recent call last):
            ...
        TypeError: metrics must be a metric, a MetricCollection, or metrics by name, got the class
        Accuracy: write Accuracy()
    """
    if isinstance(metrics, Mapping):
        return MetricCollection(metrics)
    given: Any = metrics
    if isinstance(given, Evaluation):
        return given
    text = type(given).__name__
    if isinstance(given, type):
        text = f"the class {given.__name__}: write {given.__name__}()"
    wanted = "a metric, a MetricCollection, or metrics by name"
    raise TypeError(f"metrics must be {wanted}, got {text}")
