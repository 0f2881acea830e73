"""Leaf: the plan of one metric, and what a metric asks of its statistic."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mmeval_like import arrays
from mmeval_like._base.warning import warn
from mmeval_like._core.batch import Batch
from mmeval_like._core.labels import places_of
from mmeval_like._core.plan import Place, Plan
from mmeval_like._core.reasons import refuse_unscored
from mmeval_like._core.samples import Samples
from mmeval_like._core.slot import Divided, Shape, Slot
from mmeval_like._core.view import View
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._intervals.corrections import at_once
from mmeval_like._intervals.interval import WithIntervals, root
from mmeval_like._intervals.jackknife.metric_intervals import (
    intervals_of,
    needs_groups,
    with_units,
)
from mmeval_like._samples.entries import LIST, Entries
from mmeval_like._states.keyed_rows import KeyedRows
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.ordered import Objects
from mmeval_like._states.results import Results, clusters_of
from mmeval_like._states.statistic import Statistic, plain
from mmeval_like._states.truths import TRUTH, truth_digests

__all__ = [
    "Leaf",
    "ListLeaf",
    "class_names",
    "inputs_of",
    "kept_statistic",
    "own_statistic",
    "with_truth",
]


def kept_statistic(metric: Any) -> Statistic:
    """Return the statistic that produced the rows of a metric's samples.

    It is the metric's own statistic, or, if the metric was taken from a collection, possibly that
    of another member.
    """
    source = metric._held.source
    found: Statistic = metric.statistic if source is None else source[0].statistic
    return found


def inputs_of(kind: Any, known: type[Statistic]) -> Callable[..., Any]:
    """Return the method that takes the inputs of a metric; `known` is the type of its statistic."""
    given: Any = kind  # of a metric
    inputs = given._takes_inputs if known is kind else "rows"
    found: Callable[..., Any] = getattr(known, inputs if isinstance(inputs, str) else "rows")
    return found


def _truth_places(metric: Any, known: Statistic) -> Sequence[tuple[str, int]]:
    """Return the inputs whose digests are kept, each with its position.

    Args:
        metric: The metric.
        known: Its statistic.
    """
    if not metric._held.of_pair or known.rows_have_truth:
        return ()
    return _shared_inputs(type(metric), type(known))  # type: ignore[arg-type]  # types are hashable


@lru_cache(256)  # called for every batch
def _shared_inputs(kind: type, known: type[Statistic]) -> Sequence[tuple[str, int]]:
    return places_of(inputs_of(kind, known), known.truth_inputs)


def with_truth(
    metric: Any,
    known: Statistic,
    rows: Mapping[str, Any],
    batch: tuple[Any, ...],
    named: Mapping[str, Any],
) -> Mapping[str, Any]:
    """Return the rows of a batch with a digest of the truth of each sample."""
    places = _truth_places(metric, known)
    if not places or not hasattr(rows, "values"):  # the latter is refused where it is kept
        return rows
    size, truths = len(batch), []
    for name, place in places:
        truths.append(batch[place] if place < size else named.get(name))
    values = truths[0] if len(truths) == 1 else list(zip(*truths, strict=False))
    first = next(iter(rows.values()), ())
    return {**rows, TRUTH: truth_digests(values, first, known.ignore_index)}


def own_statistic(metric: Any) -> Statistic:
    """Return the statistic of a metric without the states that are kept for its intervals."""
    return plain(metric.statistic)


class _Listed(Statistic):
    """The statistic of a metric in MMEval style: the entries of its list."""

    def states(self) -> dict[str, State]:
        return {LIST: Objects()}


@dataclass(frozen=True)
class Leaf(Plan):
    """The plan of one metric.

    Attributes:
        metric: The metric, whose options may change.
    """

    metric: Any

    @property
    def slots(self) -> list[Slot]:
        """The slot of the metric's statistic."""
        metric = self.metric
        if metric._held.source is not None:
            return [metric._held.source[0]]
        statistic, wanted = metric.statistic, self._has_intervals
        truth = len(_truth_places(metric, plain(statistic))) > 0
        groups = None
        if wanted and None in self.wanted() and needs_groups(statistic):
            groups = Divided(statistic.states())
        of_pair = metric._held.of_pair
        clusters = wanted or of_pair
        shape = Shape((), None, False, groups, clusters, truth, of_pair, metric.max_padding)
        return [Slot(statistic, shape, metric if metric._captures else None)]

    @property
    def identity(self) -> Identity:
        """The identity of the metric's class, options and states."""
        metric = self.metric
        found: Identity = metric._options.identity(metric, metric._chosen)
        return found

    @property
    def every_rank_computes(self) -> bool:
        """Whether the metric sets `every_rank_computes`."""
        every: bool = self.metric.every_rank_computes
        return every

    @property
    def classes(self) -> list[str] | None:
        """The names of the classes in `dataset_meta`."""
        names: list[str] | None = self.metric._entry_names()
        return names

    @property
    def _has_intervals(self) -> bool:
        return self.metric.interval is not None and self.metric.no_interval is None

    def in_units(self, statistic: Statistic) -> Statistic:
        """Return the metric's statistic with the states that intervals need."""
        return with_units(statistic)

    def entries(self) -> Samples | None:
        """Return the samples that the metric itself keeps; None: the evaluation keeps them."""
        return None

    def extend(self, parts: Sequence[Any]) -> bool:
        """Append parts to the samples that the metric itself keeps, and return whether it does."""
        return False

    def options(self) -> list[Any]:
        """Return the values of all options of the metric."""
        values: list[Any] = self.metric._options.values(self.metric)
        return values

    def places(self) -> Iterator[Place]:
        """Yield the metric."""
        yield Place((), self.metric, tuple(range(len(self.slots))))

    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Describe the metric."""
        return [(self.metric.name, self.metric._options.shown(self.metric), counts[0])]

    def measured(self) -> list[str]:
        """Return the class of the metric with its options."""
        return [self.metric._options.said(self.metric)]

    def fresh(self) -> Leaf:
        """Return the plan of a copy without samples."""
        return type(self)(self.metric._empty())

    def frozen(self) -> Leaf:
        """Return the plan of a copy of the metric that keeps the samples."""
        return type(self)(self.metric._copied())

    def relay(self) -> None:
        """Do nothing: the slot of a metric is computed at each use."""

    def forget(self) -> None:
        """Reset the metric, which may override `reset`."""
        self.metric.reset()

    def wanted(self) -> list[frozenset[Any] | None]:
        """Return the metric's requests to states that deal; None: all rows.

        A subclass that does not define them itself may need more, and gets all rows.
        """
        metric = self.metric
        names = {"asks"} if metric.interval is None else {"asks", "own_intervals"}
        return [metric.asks if names <= vars(type(metric)).keys() else None]

    def read(self, batch: Batch) -> list[Mapping[str, Any] | None]:
        """Return the rows that the metric reads from a batch.

        Raises:
            ValueError: Samples have no score.
        """
        metric = self.metric
        if batch.unscored is not None:
            refuse_unscored(batch.unscored, metric.name)
        captures = metric._captures
        statistic = self.slots[0].statistic if captures else kept_statistic(metric)
        if batch.clusters is not None and self.slots[0].shape.clusters:
            statistic = plain(statistic)
        if captures:
            rows = self._captured(batch)
            names = {*statistic.states(), TRUTH}
            return [rows and {name: part for name, part in rows.items() if name in names}]
        return [metric._rows(statistic, batch.args, batch.named, batch.classes)]

    def _captured(self, batch: Batch) -> Mapping[str, Any] | None:
        """Return the rows that the metric's own `add` adds for a batch; None if it adds nothing.

        Other attributes that the method changes are set once the rows are stored.
        """
        metric = self.metric
        fresh = metric._empty(keep=sys.maxsize)
        fresh.add(*batch.args, **batch.named)
        [part] = fresh._samples().parts()
        rows = {**part.tail, **part.ordered}
        found = {n: r.rows if isinstance(r, KeyedRows) else r for n, r in rows.items()}
        kept = ("_held", "_options", "_results")
        changed = {k: v for k, v in vars(fresh).items() if k not in kept}

        def change() -> None:
            vars(metric).update(changed)
            metric._options.known = []

        batch.after.append(change)
        return found if part.count else None

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the metric's values, with their intervals."""
        [view] = views
        if (source := self.metric._held.source) is not None:
            view = view.then(source[1])
        return view.answer(self)

    def estimates(self, results: Results) -> dict[str, Any]:
        """Return the metric's values for the results, with their intervals."""
        metric = self.metric
        if not len(results) and self._warns_without_samples:
            text = "no samples were added on any rank; metric(...) does not add samples: use add()"
            warn(f"{metric.name}: {text}", RuntimeWarning)
        if metric.interval is None:
            return self.values(results)
        values = self.values(results.private())  # `compute_metric` may change its results in place
        statistic, own = self._statistic, None
        level = at_once(metric.interval, metric.intervals_at_once)
        clusters = clusters_of(results)
        if clusters is not None:
            statistic = plain(statistic)
        if len(results) and (clusters is None or clusters.grouped):
            own = metric.own_intervals(results.private(), level)
        squares = metric.before_root(results.private())
        found = intervals_of(
            self._compute if squares is None else metric.before_root,
            statistic,
            statistic.states(),
            results,
            values if squares is None else squares,
            level,
            metric.ranges,
            metric.no_interval or metric.only_own_intervals,
            own,
            metric.no_interval_of,
            metric.pooled_keys,
        )
        if squares is not None:
            found = {key: _roots(one, values[key]) for key, one in found.items()}
        return WithIntervals.of(values, found)

    @property
    def _warns_without_samples(self) -> bool:
        warns: bool = self.metric._warns_without_samples
        return warns

    def values(self, results: Results) -> dict[str, Any]:
        """Return the metric's values for the results, without intervals."""
        values: dict[str, Any] = self.metric.compute_metric(results)
        return values

    @property
    def _statistic(self) -> Statistic:
        """The statistic of the metric's slot."""
        found: Statistic = self.metric.statistic
        return found

    @property
    def _compute(self) -> Callable[[Any], dict[str, Any]]:
        """What computes values; the method itself, which may be marked as `vectorised`."""
        compute: Callable[[Any], dict[str, Any]] = self.metric.compute_metric
        return compute

    def per_sample(self, batch: Batch) -> dict[str, Any]:
        """Return the metric's value of each single sample."""
        values: dict[str, Any] = self.metric.per_sample(*batch.args, **batch.named)
        return values


@dataclass(frozen=True)
class ListLeaf(Leaf):
    """The plan of a metric in MMEval style: one slot, of the entries of its list."""

    @property
    def slots(self) -> list[Slot]:
        """The slot of the entries, which no other metric shares."""
        metric = self.metric
        if metric._held.source is not None:
            return [metric._held.source[0]]
        clusters = self._has_intervals or metric._held.of_pair
        shape = Shape((), None, True, None, clusters, max_padding=metric.max_padding)
        return [Slot(self._statistic, shape, metric)]

    @property
    def _statistic(self) -> Statistic:
        return _Listed()

    @property
    def _compute(self) -> Callable[[Any], dict[str, Any]]:
        return self.values

    def in_units(self, statistic: Statistic) -> Statistic:
        """Return the metric itself, which has no states."""
        return statistic

    def entries(self) -> Samples:
        """Return the entries of the metric's list so far."""
        metric = self.metric
        entries: Any = metric._results  # a subclass may have assigned any object
        if not isinstance(entries, list):
            given = type(entries).__name__
            raise TypeError(f"_results of {type(metric).__name__} must be a list, got {given}")
        [slot] = self.slots
        return Samples([slot.shape], [Entries(entries.copy(), metric.max_padding)])

    def extend(self, parts: Sequence[Any]) -> bool:
        """Append the entries of parts to the metric's list."""
        self.metric._results.extend(parts[0].ordered[LIST])
        return True

    def values(self, results: Results) -> dict[str, Any]:
        """Return the metric's values for the list of all entries."""
        values: dict[str, Any] = self.metric.compute_metric(getattr(results, LIST))
        return values


def _roots(squares: Any, values: Any) -> Any:
    if isinstance(values, list):
        return [root(*each) for each in zip(squares, values, strict=True)]
    return root(squares, values)


def class_names(metric: Any) -> list[str] | None:
    """Return the names of the classes in `dataset_meta`; None if there are none."""
    classes = (metric._dataset_meta or {}).get("classes")
    if classes is None or isinstance(classes, str) or not isinstance(classes, Sequence):
        return None
    return [arrays.as_text(name) for name in classes]
