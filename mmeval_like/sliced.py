"""Sliced: the same metrics over all samples and over every slice of them, in one exchange."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._base.keys import WHOLE, Key, in_order, key_text
from mmeval_like._core.result import Result
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._intervals.interval import WithIntervals
from mmeval_like._samples.batches import Batch
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.clusters import grouped_results, keyed_states, keys_of, tagged
from mmeval_like._states.grouped.apart import by_code
from mmeval_like._states.key_columns import Tags, read_keys
from mmeval_like._states.keyed_rows import KeyedRows, KeyIndex
from mmeval_like._states.results import Results
from mmeval_like.asynchronous import Asynchronous
from mmeval_like.backends import BaseDistBackend
from mmeval_like.collection import MetricCollection
from mmeval_like.errors import name_member
from mmeval_like.metric import BaseMetric

__all__ = ["Sliced"]

Family: TypeAlias = "tuple[str, ...]"  # the names whose values tell slices apart


class Sliced(Asynchronous):
    """A metric, or several, over all samples and over every slice of them, in one exchange.

    The values of one or more columns say which slice a sample is in. The result has the key
    "all", then one key for every slice that occurs on any rank: "language=en", or for slices of
    two columns "language=en,domain=law". A text is in quotes where it would be taken for
    something else (`year="2024"`, `name=""`); a missing value is "-".

    Every number is the one that the metric gives of the slice's samples alone, to the last bit.
    Samples are kept once: the whole is added up from the slices.

    Args:
        metrics: A metric, a `MetricCollection`, or metrics by name. It keeps a copy.
        by: The columns. Each entry is a family of slices: one column, or a tuple of several.
        dist_backend: As for a metric; None: the one that the metrics name.
        summaries: The result also has, for every family, an entry such as "between language",
            with four numbers for each float of the metrics: `_min` and `_max` over the slices,
            `_difference`, max - min, and `_ratio`, min / max (nan where max is 0). A slice whose
            value is nan is left out of them.

    Raises:
        TypeError, ValueError: There are no metrics, or `by` names no column, or one twice.

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

    every_rank_computes = False

    def __init__(
        self,
        metrics: BaseMetric | MetricCollection | Mapping[str, BaseMetric],
        by: str | Sequence[str | Sequence[str]],
        dist_backend: str | BaseDistBackend | None = None,
        *,
        summaries: bool = False,
    ) -> None:
        self._summaries = summaries
        self._metrics = _copied(metrics)
        self._metrics.reset()
        self._families = _families(by)
        self._columns = list(dict.fromkeys(name for names in self._families for name in names))
        self.dist_backend = self._metrics.dist_backend if dist_backend is None else dist_backend
        self.dist_collect_mode = self._metrics.dist_collect_mode
        self._evaluating = False
        self.reset()

    def add(
        self,
        *batch: Any,
        by: Mapping[str, Any],
        ids: Any = None,
        clusters: Any = None,
        **named: Any,
    ) -> None:
        """Accumulate a batch; all of it, or nothing when it raises.

        Args:
            *batch: What the metrics' `add` takes.
            by: For every column its values, one for each sample: integers, texts, or None for
                a missing value.
            ids: As in `BaseMetric.add`.
            clusters: As in `BaseMetric.add`. A cluster may have samples in several slices.
            **named: What the metrics' `add` takes, by name.

        Raises:
            TypeError: A value of `by` is neither an integer nor a text. Floats are no slices: round
                them, or sort them into a few ranges first.
            ValueError: The columns are not those of the constructor, or have another length.
            Exception: A metric raised it.
        """
        tags = self._tags(by, clusters)
        clustered = clusters is not None and self._keeps_clusters
        checked: list[tuple[Store, Batch]] = []
        for (name, member), store in zip(self._metrics._sources().items(), self._kept, strict=True):
            try:
                if rows := member._rows_of(batch, named, self, clustered):
                    checked.append((store, store.check(tagged(rows, tags), ids, clustered)))
            except Exception as error:
                if name:
                    name_member(error, name)
                raise
        for store, rows_of_store in checked:
            store.append(rows_of_store)

    def __call__(self, *batch: Any, by: Mapping[str, Any], **named: Any) -> Result:
        """Return the values of one batch; nothing is accumulated or communicated."""
        fresh = self._without_samples()
        fresh.add(*batch, by=by, **named)
        return fresh.compute_local()

    def _without_samples(self) -> Sliced:
        fresh = copy.copy(self)
        fresh._instance = copy.copy(self._instance)  # its reset is no reset of this one
        fresh.reset()
        return fresh

    def reset(self) -> None:
        """Forget all samples and slices."""
        self._kept = [
            Store(
                keyed_states(member._states()),
                member.max_padding,
                keyed_states(member._clustered_states()),
            )
            for member in self._metrics._sources().values()
        ]
        self._count_reset()

    def _described(self) -> list[tuple[str, str, int]]:
        slices = " and ".join(map(",".join, self._families))
        return [
            (f"{name} by {slices}", metric, self._kept[0].count)
            for name, metric, _ in self._metrics._described()
        ]

    def _tags(self, by: Mapping[str, Any], clusters: Any) -> Tags:
        if not isinstance(by, Mapping) or by.keys() != set(self._columns):
            given = list(by) if isinstance(by, Mapping) else type(by).__name__
            raise ValueError(f"by must map the columns {self._columns} to values, got {given}")
        columns = [(f"by[{name!r}]", by[name]) for name in self._columns]
        if clusters is None:
            return read_keys(columns, "by")
        together = read_keys([*columns, ("clusters", clusters)], "by and clusters")
        return together if self._keeps_clusters else read_keys(columns, "by")

    @property
    def _keeps_clusters(self) -> bool:
        """Whether `clusters=` change the result."""
        metrics = self._metrics
        members = [metrics] if isinstance(metrics, BaseMetric) else metrics._members.values()
        return any(member._keeps_clusters for member in members)

    def _stores(self) -> list[Store]:
        return self._kept

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        cells = keys_of(results[0])
        clustered = any(len(cell) > len(self._columns) for cell in cells)
        values = self._finish_slices([WHOLE], results, cells, [0] * len(cells), clustered)
        for family in self._families:
            columns = [self._columns.index(name) for name in family]
            keys = [tuple([cell[column] for column in columns]) for cell in cells]
            slices = in_order(set(keys))
            number = {key: place for place, key in enumerate(slices)}
            names = [key_text(family, key) for key in slices]
            places = [number[key] for key in keys]
            found = self._finish_slices(names, results, cells, places, clustered)
            values |= found
            if self._summaries:
                values[f"between {','.join(family)}"] = _between([*found.values()])
        return WithIntervals.together(values)

    def _finish_slices(
        self,
        names: Sequence[str],
        results: Sequence[Results],
        cells: Sequence[Key],
        places: Sequence[int],
        clustered: bool,
    ) -> dict[str, dict[str, Any]]:
        """Return the values of slices, of which each cell is in the one at its place."""
        of_owners = [grouped_results(one, cells, places, len(names), clustered) for one in results]
        values = {}
        for name, merged in zip(names, zip(*of_owners, strict=True), strict=True):
            try:
                values[name] = self._metrics._finish([*merged])
            except Exception as error:
                if error.args and isinstance(error.args[0], str):
                    error.args = (f"{error.args[0]} (in the slice {name!r})", *error.args[1:])
                raise
        return values

    def _places_of_slices(self, rows: KeyedRows) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the name of every slice, and the places of its rows, ascending."""
        for family in self._families:
            found = _by_slice(rows, [self._columns.index(name) for name in family])
            for key in in_order(found):
                yield key_text(family, key), found[key]

    @property
    def _named_classes(self) -> list[str] | None:
        return self._metrics._named_classes

    @property
    def _identity(self) -> Identity:
        return Identity.of(f"Sliced({self._metrics._identity.text} by {self._families})")

    def _merge_parts(self, parts: list[Part]) -> None:
        for store, part in zip(self._kept, parts, strict=True):
            store.merge(part)


def _by_slice(rows: KeyedRows, columns: Sequence[int]) -> dict[Key, np.ndarray]:
    """Return the places of the rows, ascending, by the values of these columns."""
    keys = [tuple(cell[column] for column in columns) for cell in rows.cells.keys]
    cells = KeyIndex(keys)
    codes = cells.numbers(keys)[rows.codes]
    return {cells.keys[code]: which for code, which in by_code(codes)}


def _copied(
    metrics: BaseMetric | MetricCollection | Mapping[str, BaseMetric],
) -> BaseMetric | MetricCollection:
    if isinstance(metrics, BaseMetric):
        # All but the logger: one that logging does not know by name cannot be copied.
        return copy.deepcopy(metrics, {id(metrics.logger): metrics.logger})
    if isinstance(metrics, MetricCollection):
        return metrics.clone()
    return MetricCollection(metrics)


def _between(slices: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how far the numbers of slices lie apart."""
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
