"""What a metric's `add` takes, by name."""

from __future__ import annotations

import inspect

from mmeval_like.metric import BaseMetric

__all__ = ["taken"]


def taken(metric: BaseMetric) -> dict[str, inspect.Parameter]:
    """Return what the metric's `add` takes, by name.

    Example:
        >>> from mmeval_like import Accuracy
        >>> list(taken(Accuracy()))
        ['predictions', 'labels', 'sample_weight']
    """
    function = metric.add if metric._appends_to_list else metric.statistic.rows
    return {
        name: parameter
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }
