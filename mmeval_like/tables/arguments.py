"""The arguments of a metric's `add`, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mmeval_like._core.leaf import own_statistic
from mmeval_like._core.metric import BaseMetric
from mmeval_like.tables.guess import alike

__all__ = ["Naming", "inputs", "taken", "unknown_inputs"]


def taken(metric: BaseMetric) -> dict[str, inspect.Parameter]:
    """Return the arguments of the metric's `add`, by name.

    Example:
        >>> from mmeval_like import Accuracy, MeanAbsolutePercentageError
        >>> list(taken(Accuracy()))
        ['predictions', 'labels', 'sample_weight']
        >>> list(taken(MeanAbsolutePercentageError()))
        ['predictions', 'labels', 'sample_weight']
    """
    rows = metric.add if metric.plan.lists else own_statistic(metric).rows
    return inputs(rows, metric.add)


def inputs(rows: Callable[..., Any], add: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the arguments of a metric's `rows` that columns may have, by name.

    Args:
        rows: The metric's `rows`, or that of its class.
        add: The same metric's `add`, or that of its class.
    """
    named = inspect.signature(rows).parameters
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in named.values()):
        # A mean or a ratio of sums, whose `rows` passes its arguments on to `scores` or `parts`.
        named = inspect.signature(add).parameters
    return {
        name: parameter
        for name, parameter in named.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and name not in ("self", "ids", "clusters", "unscored")
    }


@dataclass(frozen=True)
class Naming:
    """The names that several metrics give to the same arguments, matched by position.

    Attributes:
        first: The first metric's name of each argument that it names differently.
        placed: The arguments that are passed by position, since they have several names.
    """

    first: Mapping[str, str]
    placed: Sequence[str]

    @classmethod
    def of(cls, metrics: Sequence[BaseMetric]) -> Naming:
        """Return the naming of metrics.

        Example:
            >>> from mmeval_like import MeanAbsoluteError, R2Score
            >>> Naming.of([MeanAbsoluteError(), R2Score()])
            Naming(first={'labels': 'groundtruths'}, placed=['predictions', 'groundtruths'])
        """
        leading, *others = [_by_place(metric) for metric in metrics]
        known = [taken(metric).keys() for metric in metrics]
        first: dict[str, str] = {}
        placed = 0
        for place, name in enumerate(leading):
            names = {other[place] if place < len(other) else "" for other in others} - {name}
            both = any(name in one and names & one for one in known)
            if both or not all(alike(other, name) for other in names):
                break
            if names:
                first |= dict.fromkeys(sorted(names), name)
                placed = place + 1
        return cls(first, leading[:placed])

    def name(self, argument: str) -> str:
        """Return the first metric's name of an argument."""
        return self.first.get(argument, argument)

    def taken(self, metric: BaseMetric) -> dict[str, inspect.Parameter]:
        """Return the arguments of a metric's `add`, by the names of the first metric."""
        return {self.name(name): one for name, one in taken(metric).items()}

    def passed(self, arguments: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return arguments, given by the first metric's names, in the form for all metrics."""
        named = {name: one for name, one in arguments.items() if name not in self.placed}
        return [arguments[name] for name in self.placed], named


def _by_place(metric: BaseMetric) -> list[str]:
    """Return the required arguments of a metric that can be passed by position."""
    found = [p for p in taken(metric).values() if p.default is p.empty]
    return [p.name for p in found if p.kind is p.POSITIONAL_OR_KEYWORD]


def unknown_inputs(metrics: Sequence[BaseMetric], naming: Naming) -> frozenset[str]:
    """Return the arguments, by the first metric's names, that may be unknown for every metric.

    Example:
        >>> from mmeval_like import PredictionPoweredMean
        >>> metrics = [PredictionPoweredMean(), PredictionPoweredMean(power=1)]
        >>> [*unknown_inputs(metrics, Naming.of(metrics))]
        ['labels']
    """
    several = [own_statistic(metric).unknown_inputs for metric in metrics]
    return frozenset.intersection(*(frozenset(map(naming.name, names)) for names in several))
