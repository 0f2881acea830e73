"""What was measured: how many samples, by which statistics, and with which versions."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._base.account import Account
from mmeval_like._core.evaluation import Evaluation
from mmeval_like.plots.reading import Slice

__all__ = ["Made", "Measured", "measured"]


@dataclass(frozen=True)
class Made:
    """Where and with which versions a page was made.

    Attributes:
        version: The version of mmeval_like.
        python: The version of Python.
        numpy: The version of NumPy.
        ranks: The number of ranks.
        backend: The class of the backend.
        system: The operating system and the machine's architecture.
    """

    version: str
    python: str
    numpy: str
    ranks: int
    backend: str
    system: str


@dataclass(frozen=True)
class Measured:
    """The facts about the evaluation that its metric and its result have.

    Attributes:
        compares: Whether two systems are compared.
        directions: Of the numbers whether more is better, each once; None: unknown.
        samples: The number of samples; None: unknown.
        ids: The report about the ids of the samples; None: no ids were given.
        methods: The methods of the intervals, each once.
        level: The level of the intervals; None: no intervals.
        may_have_intervals: Whether no intervals were asked for, and a metric has some.
        correction: The correction of p-values for the number of slices: "holm", "bh" or nothing.
        tested: Whether each slice of one system is tested against all other samples.
        clusters: The number of clusters of all samples; None: each sample is a unit.
        anytime: Whether the intervals hold for all looks together.
        account: The account of the samples; None: all have a score.
        made: Where and with which versions the page was made.
    """

    compares: bool
    directions: set[bool | None]
    samples: int | None
    ids: Any
    methods: list[str]
    level: float | None
    may_have_intervals: bool
    correction: str
    tested: bool
    clusters: int | None
    anytime: bool
    account: Account | None
    made: Made


def measured(
    metric: Evaluation,
    result: Mapping[str, Any],
    whole: Slice,
    directions: set[bool | None],
) -> Measured:
    """Return the facts about an evaluation that its metric and its result have.

    Args:
        metric: The metric.
        result: Its result.
        whole: The contents of the result for all samples.
        directions: Those of the numbers on the page; without numbers, those of the metrics count.
    """
    account = whole.account
    world = metric.dist_comm
    intervals = [*_all(metric.intervals)]
    return Measured(
        metric.plan.compares,
        directions or {place.metric.higher_is_better for place in metric.plan.places()},
        whole.samples,
        getattr(result, "report", None),
        [*dict.fromkeys(one.method for one in intervals if one.method != "none")],
        next((one.level for one in intervals if one.method != "none"), None),
        not intervals and any(p.metric.no_interval is None for p in metric.plan.places()),
        (getattr(metric, "correction", None) or "") if metric.plan.columns else "",
        any((of := getattr(one, "apart", None)) is not None and of.p == of.p for one in intervals),
        max((one.units for one in intervals if one.unit == "cluster"), default=None),
        getattr(metric, "planned", None) is not None,
        account if account is not None and account.unscored else None,
        Made(
            sys.modules["mmeval_like"].__version__,
            platform.python_version(),
            np.__version__,
            world.world_size,
            type(world).__name__,
            f"{platform.system()} {platform.machine()}",
        ),
    )


def _all(intervals: Any) -> Iterator[Any]:
    """Yield every interval of nested dicts and lists."""
    if hasattr(intervals, "level"):
        yield intervals
        return
    for one in intervals.values() if isinstance(intervals, Mapping) else intervals or ():
        yield from _all(one)
