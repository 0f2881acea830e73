"""What a metric's `add` takes, by name."""

from __future__ import annotations

import inspect

from mmeval_like.metric import BaseMetric

__all__ = ["taken"]


def taken(metric: BaseMetric) -> dict[str, inspect.Parameter]:
    """Return what the metric's `add` takes, by name.

    Example:
        >>> from mmeval_like import Accuracy, MeanAbsolutePercentageError
        >>> list(taken(Accuracy()))
        ['predictions', 'labels', 'sample_weight']
        >>> list(taken(MeanAbsolutePercentageError()))
        ['predictions', 'labels', 'sample_weight']
    """
    rows = metric.add if metric._appends_to_list else metric.statistic.without_intervals.rows
    named = inspect.signature(rows).parameters
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in named.values()):
        # A mean or a ratio of sums, whose rows hand on what `scores` or `parts` takes.
        named = inspect.signature(metric.add).parameters
    return {
        name: parameter
        for name, parameter in named.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and name not in ("ids", "clusters")
    }
