"""Sliced: the same metrics over all samples and over every slice of them, in one exchange."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from mmeval_like._base.keys import BETWEEN, WHOLE, Key, in_order, key_text
from mmeval_like._base.warning import aside, quiet
from mmeval_like._core.around import Around
from mmeval_like._core.collection import MetricCollection, copied_empty
from mmeval_like._core.combinator import Combinator
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.plan import EACH, Place
from mmeval_like._core.slot import By, Last, Slot
from mmeval_like._core.view import View
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._verdicts.slices import against_rest
from mmeval_like.backends import BaseDistBackend

__all__ = ["Sliced"]

Family: TypeAlias = "tuple[str, ...]"  # the columns whose values distinguish slices


class Sliced(Combinator):
    """One or more metrics over all samples and over every slice of them, in one exchange.

    The values of one or more columns determine the slice of a sample. The result has the key "all",
    then one key for every slice that occurs on any rank: "language=en", or for slices of two
    columns "language=en,domain=law". A string is quoted if it could be mistaken for something else
    (`year="2024"`, `name=""`); a missing value is "-".

    Every value has the same bits as the metric of only the slice's samples.
    Samples are kept only once: the total is the sum of the slices.

    Args:
        metrics: A metric, a `MetricCollection`, `Sliced` or `Running`, or metrics by name. A copy
            is kept.
        by: The columns. Each entry defines a family of slices by one column, or by a tuple of
            columns.
        dist_backend: As for a metric; None: the one that the metrics specify.
        summaries: The result also has, for every family, an entry such as "between language", with
            four numbers for each float of the metrics: `_min` and `_max` over the slices,
            `_difference`, max - min, and `_ratio`, min / max (nan where max is 0). Slices whose
            value is nan are left out.
        rest: Whether every slice is compared with all other samples. With `interval=`, the interval
            of a slice, `sliced.intervals["language=de"]["top1"]`, then has the verdict `apart`,
            whose p-value is corrected for the slices of all families. Every value is computed once
            more for each slice.

    Raises:
        TypeError, ValueError: There are no metrics, `by` names no column or repeats one, or `rest`
            is set and no metric has intervals.

    Example:
        >>> from mmeval_like import Accuracy, Sliced
        >>> sliced = Sliced(Accuracy(), by=["language"])
        >>> sliced.add([1, 0, 1], [1, 1, 1], by={"language": ["en", "en", "de"]})
        >>> for name, values in sliced.compute().items():
        ...     print(name, values)
        all {'top1': 0.6666666666666666}
        language=de {'top1': 1.0}
        language=en {'top1': 0.5}
    """

    def __init__(
        self,
        metrics: Evaluation | Mapping[str, Evaluation],
        by: str | Sequence[str | Sequence[str]],
        dist_backend: str | BaseDistBackend | None = None,
        *,
        summaries: bool = False,
        rest: bool = False,
    ) -> None:
        given: Any = MetricCollection(metrics) if isinstance(metrics, Mapping) else metrics
        if not isinstance(given, Evaluation):
            wanted = "a metric, a MetricCollection or metrics by name"
            raise TypeError(f"metrics must be {wanted}, got {type(metrics).__name__}")
        inner = copied_empty(given)
        if rest and all(place.metric.interval is None for place in inner.plan.places()):
            raise ValueError(
                "rest=True compares slices by their intervals, and no metric has one: construct it "
                "with interval=0.95"
            )
        families = _families(by)
        dist_backend = inner.dist_backend if dist_backend is None else dist_backend
        super().__init__(Slices(inner.plan, families, summaries, rest), dist_backend)

    @property
    def plan(self) -> Slices:
        """The plan that computes the metrics for all samples and for every slice."""
        plan: Any = self._plan
        found: Slices = plan
        return found

    @property
    def by(self) -> Sequence[Family]:
        """The columns of each family of slices."""
        return self.plan.by

    @property
    def summaries(self) -> bool:
        """Whether the result has summaries of every family."""
        return self.plan.summaries


@dataclass(frozen=True)
class Slices(Around):
    """The plan that computes the inner plan for all samples and for every slice.

    Attributes:
        inner: The wrapped plan.
        by: The columns of each family of slices.
        summaries: As for `Sliced`.
        rest: As for `Sliced`.

    Raises:
        TypeError: The inner plan does not support slices.
    """

    by: Sequence[Family]
    summaries: bool = False
    rest: bool = False

    def __post_init__(self) -> None:
        if self.inner.compares:
            raise TypeError(
                "Sliced takes one system, and Paired compares two: write "
                "Paired(Sliced(metric, by=...))"
            )
        if self.inner.windowed:
            raise TypeError(
                "a window covers all samples, not those of one slice: write "
                "Windowed(Sliced(metric, by=...), samples)"
            )
        for slot in self.inner.slots:
            kinds = [type(wrap) for wrap in slot.shape.wraps]
            if Last in kinds and By in kinds[kinds.index(Last) :]:
                raise TypeError(
                    "the last samples of a slice cannot be sliced again: write "
                    "Running(Sliced(Sliced(metric, by=...), by=...), n)"
                    if self.inner.families
                    else "the last samples of a metric with unscored= cannot be sliced: write "
                    "Running(Sliced(metric, by=...), n)"
                )
        if self.inner.records:
            raise TypeError("a record covers all samples: write Recorded(Sliced(metric, by=...))")

    @cached_property
    def own_columns(self) -> tuple[str, ...]:
        """The columns of this plan's families."""
        return tuple(dict.fromkeys(name for names in self.by for name in names))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of this plan's families, and those of inner slices."""
        return tuple(dict.fromkeys((*self.own_columns, *self.inner.columns)))

    @property
    def families(self) -> Sequence[Any]:
        """The families of this plan, and those of inner slices."""
        return [self.by, *self.inner.families]

    @property
    def slots(self) -> list[Slot]:
        """The slots of the inner plan, kept separately for the values of the columns."""
        by = By(self.own_columns)
        return [slot.within(by) for slot in self.inner.slots]

    def around(self, text: str) -> str:
        """Return the text of the inner plan with the families."""
        return f"Sliced({text} by {[*self.by]})"

    @property
    def every_rank_computes(self) -> bool:
        """False: the values of many slices take long, so only rank 0 computes them."""
        return False

    def finish(self, views: Sequence[View]) -> dict[str, Any]:
        """Return the values of all samples, then those of every slice."""
        first, skip = views[0], len(self.own_columns)
        values = self._of_groups([WHOLE], [[view.whole(skip)] for view in views])
        rests: dict[str, Any] = {}
        together: list[str] = []
        for family in self.by:
            columns = [self.own_columns.index(name) for name in family]
            of_views = [_keys_at(view, columns) for view in views]
            slices = in_order(set().union(*of_views))
            number = {key: place for place, key in enumerate(slices)}
            names = [key_text(family, key) for key in slices]
            groups = [
                view.split(view.keys, [number[key] for key in keys], len(names), skip)
                for view, keys in zip(views, of_views, strict=True)
            ]
            found = self._of_groups(names, groups)
            if self.rest and not first.differences:
                both = [*zip(views, of_views, strict=True)]
                for name, key in zip(names, slices, strict=True):
                    parts = [
                        view.split(view.keys, [int(one == key) for one in keys], 2, skip)[:1]
                        for view, keys in both
                    ]
                    with quiet():  # of these samples, all is said
                        rests |= self._of_groups([name], parts)
                    if first.share_clusters([one == key for one in of_views[0]]):
                        together.append(name)
            values |= found
            if self.summaries and not first.differences:
                values[BETWEEN + ",".join(family)] = _between([*found.values()])
        self._compare(values, rests, together)
        return first.together(values)

    def _compare(
        self, values: Mapping[str, Any], rests: Mapping[str, Any], together: Collection[str]
    ) -> None:
        """Add to the intervals of every slice the verdict against all other samples.

        All slices are tested together: a column that could name a slice by chance as often as the
        level says, and another one beside it, would do so nearly twice as often.
        """
        own, others = (
            {name: each[name].intervals for name in rests if isinstance(each[name], WithIntervals)}
            for each in (values, rests)
        )
        directions = {place.name: place.metric.direction_of for place in self.inner.places()}
        for name, intervals in against_rest(own, others, directions, together).items():
            values[name].intervals = intervals

    def _of_groups(self, names: Sequence[str], groups: Sequence[Sequence[View]]) -> dict[str, Any]:
        """Return the values of groups of samples, by name."""
        values = {}
        for name, own in zip(names, zip(*groups, strict=True), strict=True):
            try:
                with nullcontext() if name == WHOLE else aside():
                    values[name] = self.inner.finish(own)
            except Exception as error:
                if error.args and isinstance(error.args[0], str):
                    error.args = (f"{error.args[0]} (in the slice {name!r})", *error.args[1:])
                raise
        return values

    def places(self) -> Iterator[Place]:
        """Yield the metrics, which have values in every slice."""
        for place in self.inner.places():
            yield replace(place, path=(EACH, *place.path))

    def described(self, counts: Sequence[int]) -> list[tuple[str, str, int]]:
        """Describe the metrics, and the columns by which they are sliced."""
        slices = " and ".join(map(",".join, self.by))
        found = self.inner.described(counts)
        return [(f"{name} by {slices}", metric, count) for name, metric, count in found]


def _keys_at(view: View, columns: Sequence[int]) -> list[Key]:
    """Return, for every key of a view, its entries in these columns."""
    places = [view.depth + column for column in columns]
    return [tuple([key[place] for place in places]) for key in view.keys]


def _between(slices: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return minimum, maximum, difference and ratio over the slices."""
    found: dict[str, Any] = {}
    names = dict.fromkeys(name for one in slices for name in one)
    ends = [f"{name}_{end}" for name in names for end in ("low", "high")]  # of intervals
    for name in names:
        if name in ends:
            continue
        values = [one[name] for one in slices if name in one]
        if all(isinstance(value, Mapping) for value in values):
            found[name] = _between(values)
        elif all(isinstance(value, float) for value in values):
            known = [number for number in values if not math.isnan(number)]
            low, high = min(known, default=math.nan), max(known, default=math.nan)
            found |= {f"{name}_min": low, f"{name}_max": high}
            ratio = low / high if high else math.nan
            found |= {f"{name}_difference": high - low, f"{name}_ratio": ratio}
    return found


def _families(by: str | Sequence[str | Sequence[str]]) -> list[Family]:
    entries = [by] if isinstance(by, str) else list(by)
    found = [(entry,) if isinstance(entry, str) else tuple(entry) for entry in entries]
    for family in found:
        if not family or not all(isinstance(name, str) for name in family):
            raise TypeError(f"by must name columns, or tuples of columns, got {by!r}")
        if len(set(family)) < len(family):
            raise ValueError(f"by must name each column of a family once, got {family}")
    if not found or len(set(found)) < len(found):
        raise ValueError(f"by must name at least one family of slices, each once, got {by!r}")
    return found
