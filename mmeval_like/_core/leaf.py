"""Leaf: the plan of one metric."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mmeval_like._core.batch import Batch
from mmeval_like._core.plan import Place, Plan
from mmeval_like._core.slot import Shape, Slot
from mmeval_like._core.view import View
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._intervals.jackknife.metric_intervals import intervals_of
from mmeval_like._samples.entries import LIST
from mmeval_like._states.results import Results
from mmeval_like._states.statistic import Statistic
from mmeval_like.errors import warn
from mmeval_like.state import State, objects

if TYPE_CHECKING:
    from mmeval_like._core.metric import BaseMetric

__all__ = ["Leaf", "class_names"]


class _Listed(Statistic):
    """What a metric in MMEval's way accumulates: the entries of its list."""

    def states(self) -> dict[str, State]:
        return {LIST: objects()}


@dataclass(frozen=True)
class Leaf(Plan):
    """The plan of one metric.

    Attributes:
        metric: The metric, whose options may change.
    """

    metric: BaseMetric

    @property
    def slots(self) -> list[Slot]:
        """The slot of the metric's statistic."""
        metric = self.metric
        if metric._held.source is not None:
            return [metric._held.source[0]]
        wanted = metric.interval is not None and metric.no_interval is None
        lists = metric.appends_to_list
        clusters = wanted or metric.pairs_clusters
        shape = Shape(lists=lists, clusters=clusters, max_padding=metric.max_padding)
        statistic = _Listed() if lists else metric.statistic
        return [Slot(statistic, shape, metric if metric._captures or lists else None)]

    @property
    def identity(self) -> Identity:
        """The fingerprint of its class, options and states."""
        return self.metric._options.identity(self.metric)

    @property
    def every_rank_computes(self) -> bool:
        """As the metric says."""
        return self.metric.every_rank_computes

    @property
    def classes(self) -> list[str] | None:
        """The names of the classes in `dataset_meta`."""
        return class_names(self.metric)

    def options(self) -> list[Any]:
        """Return the values of all options of the metric."""
        return self.metric._options.values(self.metric)

    def places(self) -> Iterator[Place]:
        """Yield the metric."""
        yield Place((), self.metric, 0)

    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Return what the metric is."""
        return [(self.metric.name, self.metric._options.shown(self.metric), counts[0])]

    def fresh(self) -> Leaf:
        """Return the plan of a copy without samples."""
        return Leaf(self.metric._empty())

    def forget(self) -> None:
        """Reset the metric, which may have a `reset` of its own."""
        self.metric.reset()

    def wanted(self) -> list[frozenset[Any] | None]:
        """Return what the metric asks of states that deal.

        A subclass that does not say so itself may look at more, and is given all rows.
        """
        metric = self.metric
        names = {"asks"} if metric.interval is None else {"asks", "own_intervals"}
        return [metric.asks if names <= vars(type(metric)).keys() else None]

    def read(self, batch: Batch) -> list[Mapping[str, Any] | None]:
        """Return the rows that the metric makes of a batch."""
        [slot] = self.slots
        clustered = batch.clusters is not None and slot.shape.clusters
        statistic = slot.statistic.without_intervals if clustered else slot.statistic
        if self.metric._captures:
            rows = self._captured(batch)
            return [rows and {name: rows[name] for name in statistic.states()}]
        return [self.metric._rows(statistic, batch.args, batch.named, batch.classes)]

    def _captured(self, batch: Batch) -> Mapping[str, Any] | None:
        """Return the rows that the metric's own `add` makes of a batch; None: none.

        What the method changes beside the samples counts once they are kept.
        """
        metric = self.metric
        fresh = metric._empty(keep=sys.maxsize)
        fresh.add(*batch.args, **batch.named)
        [part] = fresh._samples().parts()
        changed = {k: v for k, v in vars(fresh).items() if k not in ("_held", "_results")}
        batch.after.append(lambda _: vars(metric).update(changed))
        return {**part.tail, **part.ordered} if part.count else None

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the metric's values, and their intervals."""
        [view] = views
        if (source := self.metric._held.source) is not None:
            view = view.then(source[1])
        return view.answer(self)

    def estimates(self, results: Results) -> dict[str, Any]:
        """Return the values of the results of all samples, with their intervals."""
        metric = self.metric
        if not results._count:
            warn(f"{metric.name}: no samples were added on any rank", RuntimeWarning)
        if metric.interval is None:
            return self.values(results)
        values = self.values(results.private())  # which may change its results in place
        lists = metric.appends_to_list
        statistic = _Listed() if lists else metric.statistic
        own = None
        if results._clusters is not None:
            statistic = statistic.without_intervals
        elif len(results):
            own = metric.own_intervals(results.private(), metric.interval)
        found = intervals_of(
            self.values if lists else metric.compute_metric,
            statistic,
            statistic.states(),
            results,
            values,
            metric.interval,
            metric.ranges,
            metric.no_interval,
            own,
        )
        return WithIntervals.of(values, found)

    def values(self, results: Results) -> dict[str, Any]:
        """Return the metric's values of results, without intervals."""
        metric = self.metric
        return metric.compute_metric(getattr(results, LIST) if metric.appends_to_list else results)

    def per_sample(self, batch: Batch) -> dict[str, Any]:
        """Return what the metric says of every sample alone, by its own method."""
        return self.metric.per_sample(*batch.args, **batch.named)


def class_names(metric: BaseMetric) -> list[str] | None:
    """Return the names of the classes in the facts about the dataset; None: there are none."""
    classes = (metric._dataset_meta or {}).get("classes")
    if classes is None or isinstance(classes, str) or not isinstance(classes, Sequence):
        return None
    return [str(name) for name in classes]
