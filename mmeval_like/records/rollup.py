"""rollup: the samples of a stored column of states, added up over any of the other columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._base.keys import Key
from mmeval_like._base.optional import needed_for
from mmeval_like._core.evaluation import emptied, samples_of
from mmeval_like._core.given import as_metrics
from mmeval_like._core.merging import merge
from mmeval_like._core.sliced import Sliced
from mmeval_like._samples import checkpoint
from mmeval_like._samples.alike import AlikeStates
from mmeval_like._samples.in_slice import in_slice
from mmeval_like._samples.parts import Part
from mmeval_like._states.clusters import SAMPLES, keyed_states
from mmeval_like._states.key_columns import Tags
from mmeval_like._states.keyed import Keyed
from mmeval_like._states.keyed_rows import KeyIndex
from mmeval_like.arrays import describe

__all__ = ["rollup", "sum_of_states"]

Ends: TypeAlias = "tuple[Any, Any]"


def rollup(
    table: Any,
    metrics: Any,
    /,
    *,
    by: str | Sequence[str | Sequence[str]] | None = None,
    between: Mapping[str, Ends] | None = None,
    state: str = "state",
) -> Any:
    """Return metrics with the samples of all states in a column, without exchange between ranks.

    The table has a row for each cell, such as a day of a language: the columns that say which cell
    it is, and the bytes of `metric.seal()` or `metric.to_bytes()` for its samples. The values have
    the bits of one process with all samples.

    Args:
        table: The path of a Parquet file or of a folder of them, a dataset of pyarrow, or any other
            table that `mm.score` takes. Of files, only the columns and the row groups that are
            asked for are read.
        metrics: The metric whose states the column has, or a collection, or metrics by name, with
            the same options. They are not changed.
        by: Columns whose values are slices of the result, as `Sliced` takes them. Dates are strings
            such as "2026-11-29".
        between: The cells that count: for columns their first and last value, both included, such
            as `{"day": ("2026-11-01", "2026-11-30")}`, also if the days are dates. None: all cells.
        state: The column of the states.

    Returns:
        A copy of the metrics, or `Sliced` metrics with `by`: `compute()` returns the values with
        their intervals, and `subtract` removes the cells of another rollup.

    Raises:
        TypeError: `table` is no table, the column has no bytes, or the values of a column of `by`
            are neither integers nor strings nor dates.
        ValueError: A column does not exist, or a state is damaged, or is of another metric or of
            other options; the text names its row among those that are read.
        ModuleNotFoundError: pyarrow is not installed: `pip install pyarrow`.

    Example:
        >>> from mmeval_like import Accuracy
        >>> cells = {"day": [], "lang": [], "state": []}
        >>> for day, lang, hits in [(1, "de", [1, 0]), (1, "en", [1, 1]), (2, "de", [0, 0])]:
        ...     metric = Accuracy()
        ...     metric.add(hits, [1, 1])
        ...     for name, value in zip(cells, [day, lang, metric.seal()]):
        ...         cells[name].append(value)
        >>> total = rollup(cells, Accuracy(), by="lang")
        >>> total.compute()
        {'all': {'top1': 0.5}, 'lang=de': {'top1': 0.25}, 'lang=en': {'top1': 1.0}}
        >>> total.subtract(rollup(cells, Accuracy(), by="lang", between={"day": (2, 2)}))
        >>> total.compute()
        {'all': {'top1': 0.75}, 'lang=de': {'top1': 0.5}, 'lang=en': {'top1': 1.0}}
    """
    metrics = as_metrics(metrics)
    with needed_for("a column of states", "pip install 'mmeval-like[cli]'"):
        from mmeval_like.records.state_column import cells_of

    found = _Rollup(metrics, by)
    for tags, data, ends, row in cells_of(table, state, found.columns, between or {}):
        found.add(tags, data, ends, row)
    total = found.total()
    total.dist_backend = "non_dist"
    return total


def sum_of_states(states: Sequence[bytes], metrics: Any) -> Any:
    """Return a copy of the metrics with the samples of all states; there may be none.

    Raises:
        TypeError: A state is no bytes.
        ValueError: A state is damaged, or is of other metrics; the text says which one.
    """
    for place, one in enumerate(states):
        if not isinstance(one, bytes | bytearray | memoryview):
            raise TypeError(f"the state in row {place} must be bytes, got {describe(one)}")
    found = _Rollup(metrics, None)
    ends = np.cumsum([0, *map(len, states)])
    tags = Tags(KeyIndex([()]), np.zeros(len(states), np.int64))
    found.add(tags, np.frombuffer(b"".join(states), np.uint8), ends, 0)
    return found.total()


class _Rollup:
    """The states of the cells that were read so far.

    Args:
        metrics: The metrics whose states they are.
        by: The columns of slices, or None.

    Attributes:
        columns: The columns that are read for the slices.
    """

    def __init__(self, metrics: Any, by: Any) -> None:
        self._base = emptied(metrics)
        self._total = emptied(metrics) if by is None else Sliced(metrics, by)
        self.columns = [] if by is None else [*self._total.plan.own_columns]
        self._sliced = by is not None
        self._stores = samples_of(self._base).stores()
        # Of the states, only those of metrics without groups and slices are read together.
        self._states: Any = [keyed_states(store.states) for store in self._stores]
        self._together = not self._base.plan.records and not any(
            isinstance(one.inner, Keyed) or one.inner.ordered or one.ordered
            for states in self._states
            for one in states.values()
        )
        self._names = {f"{place}/counts" for place in range(len(self._stores))} | {
            f"{place}/folded/{name}/{key}"
            for place, store in enumerate(self._stores)
            for name, state in store.states.items()
            for key in (state.to_arrays(state.empty()) if self._together else ())
        }
        self._reader = AlikeStates(self._parts_of)
        self._cells = KeyIndex()
        self._counts = [0 for _ in self._states]
        self._folded = [{n: s.empty() for n, s in states.items()} for states in self._states]
        self._apart: dict[Key, Any] = {}

    def add(self, tags: Tags, data: np.ndarray, ends: np.ndarray, row: int) -> None:
        """Add states.

        Args:
            tags: The slice of each state.
            data: The bytes of the states, one after the other.
            ends: Where the first state begins, and where each ends.
            row: The row of the first state.
        """

        def named(place: int) -> str:
            return f"the state in row {row + place}"

        def one_by_one(places: np.ndarray) -> None:
            for place in places.tolist():
                state = data[ends[place] : ends[place + 1]].tobytes()
                key = tags.cells.keys[tags.codes[place]]
                metric = self._apart.get(key)
                if metric is None:
                    metric = self._apart[key] = emptied(self._base)
                samples_of(metric).merge(*self._parts_of(state, named(place)))

        if not self._together:
            one_by_one(np.arange(len(ends) - 1))
            return
        codes = self._cells.numbers(tags.cells.keys)[tags.codes]
        for places, contents in self._reader.read(data, ends, named):
            if not self._fold(contents, codes[places]):
                one_by_one(places)

    def _parts_of(self, data: bytes, name: str) -> tuple[list[Part], Mapping[str, Any]]:
        plan, found = self._base.plan, checkpoint.unpack(data, name)
        parts = checkpoint.from_dict(found, plan.identity.text, self._stores, name)
        return parts, plan.aside_of(found)

    def _fold(self, contents: Mapping[str, Any], codes: np.ndarray) -> bool:
        """Add states that were read together; return False if they keep rows."""
        arrays = {name: one for name, one in contents.items() if isinstance(one, np.ndarray)}
        counts = [arrays[f"{place}/counts"] for place in range(len(self._states))]
        if arrays.keys() != self._names or any(one[:, 1].any() for one in counts):
            return False
        for place, (states, number) in enumerate(zip(self._states, counts, strict=True)):
            found: dict[str, dict[str, np.ndarray]] = {name: {} for name in states}
            for name, array in arrays.items():
                if name.startswith(f"{place}/folded/"):
                    _, _, own, key = name.split("/")
                    found[own][key] = array
            found[SAMPLES] = {"low": number[:, 0] & 0xFFFFFFFF, "high": number[:, 0] >> 32}
            for name, state in states.items():
                value = state.of_each(found[name], self._cells, codes)
                self._folded[place][name] = state.merge(self._folded[place][name], value)
            self._counts[place] += int(number[:, 0].sum())
        return True

    def total(self) -> Any:
        """Return the metrics with the samples of all states."""
        total = samples_of(self._total)
        if any(self._counts):
            total.merge([*map(self._part, self._counts, self._folded)])
        parts = [(key, samples_of(metric).moment(0)) for key, metric in self._apart.items()]
        if not self._sliced:
            for _, moment in parts:
                total.merge(*moment)
            return self._total
        slices = [self._total]
        for key, (own, _) in parts:
            found = emptied(self._total)
            stores = zip(own, self._stores, samples_of(found).stores(), strict=True)
            samples_of(found).merge([in_slice(*one, key) for one in stores])
            slices.append(found)
        while len(slices) > 1:  # in a tree, since each merge copies both sides
            slices = [merge(slices[place : place + 2]) for place in range(0, len(slices), 2)]
        return slices[0]

    def _part(self, count: int, folded: Mapping[str, Any]) -> Part:
        if not self._sliced:
            folded = {name: one.table.one(0) for name, one in folded.items() if name != SAMPLES}
        return Part(count, {**folded}, {}, 0, {}, None)
