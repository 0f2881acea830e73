"""The merged states of all ranks, as `compute_metric` sees them."""

from __future__ import annotations

import copy
import math
import reprlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from mmeval_like._accumulate.exact import ExactSum
from mmeval_like._accumulate.exactly_once import IdsReport, first_copies
from mmeval_like._accumulate.parts import Part
from mmeval_like._accumulate.rows import Rows, concatenate, interleave, take
from mmeval_like._accumulate.states.base import State
from mmeval_like._accumulate.states.ordered import join

__all__ = ["Results", "check_state_names", "columns", "combine", "make_results", "one_by_one"]

T = TypeVar("T")


class Results:
    """The merged states of one statistic: an attribute per state; `len()` is the sample count.

    Args:
        values: What each state's name stands for.
        count: The number of samples.
        sums: The unrounded sums of the float states.

    Example:
        >>> results = Results({"correct": 3}, 4)
        >>> results.correct / len(results)
        0.75
    """

    _rows: tuple[np.ndarray, Mapping[str, Rows]] | None = None
    _source: Results | None = None
    _clusters: Any = None  # `Clusters`, where samples were added with `clusters=`

    def __init__(
        self, values: Mapping[str, Any], count: int, sums: Mapping[str, ExactSum] | None = None
    ) -> None:
        self._count = count
        self._sums = sums or {}
        self._known: dict[str, Any] = {}
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:  # what `private` has not copied yet
        if name.startswith("_"):
            raise AttributeError(name)
        if self._source is None:
            raise AttributeError(f"no state {name!r}; the states are {self._names()}")
        value = copy.deepcopy(getattr(self._source, name))
        self.__dict__[name] = value
        return value

    def __repr__(self) -> str:
        named = [f"{name}={reprlib.repr(getattr(self, name))}" for name in self._names()]
        return f"<Results({', '.join(named)}): {len(self)} samples>"

    def _names(self) -> list[str]:
        if self._source is not None:
            return self._source._names()
        return [name for name in vars(self) if not name.startswith("_")]

    def private(self) -> Results:
        """Return equal results; what is changed in these in place is not changed in the others.

        Values are copied when they are asked for. What `once` computes is shared.
        """
        twin = Results({}, self._count, self._sums)
        twin._known, twin._source, twin._clusters = self._known, self, self._clusters
        return twin

    def __len__(self) -> int:
        return self._count

    def once(self, name: str, function: Callable[[Results], T]) -> T:
        """Return `function(results)`, computed once for all metrics that share these results.

        Args:
            name: What is computed: metrics of one statistic mean the same by the same name.
            function: Pure; its value is handed to several metrics, and must not be changed.

        Example:
            >>> results = Results({"correct": 3}, 4)
            >>> results.once("share", lambda results: results.correct / len(results))
            0.75
        """
        if name not in self._known:
            # Of what nobody has changed in place.
            self._known[name] = function(self if self._source is None else self._source)
        found: T = self._known[name]
        return found

    def exact(self, name: str) -> Fraction | np.ndarray:
        """Return a float sum unrounded: a Fraction, or an object array of them.

        Formulas that subtract sums lose all digits when these were rounded first.

        Raises:
            KeyError: There is no float sum of this name.
            ValueError: A nan was added.
            OverflowError: An infinity was added, and no nan.
        """
        exact: Fraction | np.ndarray = self._sums[name].fraction()
        return exact


_OWN = {*dir(Results({}, 0))}


def check_state_names(names: Collection[str]) -> None:
    """Refuse names of states that cannot be attributes of `Results`.

    Raises:
        ValueError: A name is that of an attribute of `Results`, or no attribute can have it.
    """
    taken = [name for name in names if name in _OWN]
    if taken:
        raise ValueError(f"states must not be named as what `Results` has itself: {taken}")
    odd = [name for name in names if not name.isidentifier()]
    if odd:
        raise ValueError(f"states are attributes of `Results`, and must be so named: {odd}")


def combine(
    states: dict[str, State],
    parts: Sequence[Part],
    *,
    kept: Sequence[int] | None,
    mode: str,
    size: int | None,
    missing: str = "raise",
) -> tuple[Results, IdsReport | None]:
    """Merge the ranks' parts, in rank order, into results.

    Args:
        states: The states by name.
        parts: One part per rank; they are used up.
        kept: How many of each rank's rows count; None: all. Unused with ids.
        mode: "unzip" or "cat".
        size: The number of samples of the dataset, for the check of the ids.
        missing: With ids, what to do about indices that no rank has: "raise" or "report".

    Raises:
        ValueError: An id is missing, or not below `size`.
    """
    if any(part.ids is not None for part in parts):
        return _combine_ids(states, [part for part in parts if part.count], size, missing)
    counts = list(kept) if kept is not None else [part.count for part in parts]
    folded: dict[str, Any] = {}
    for name, state in states.items():
        if state.ordered:
            rows = [take(p.ordered[name], slice(0, n)) for p, n in zip(parts, counts, strict=True)]
            folded[name] = join(state, rows, interleave if mode == "unzip" else concatenate)
            continue
        values = []
        for part, count in zip(parts, counts, strict=True):
            value = part.folded[name]
            left = part.tail_count - (part.count - count)
            if left:
                value = state.fold(value, take(part.tail[name], slice(0, left)))
            values.append(value)
        folded[name] = state.merge_ranks(values, mode)
    return make_results(states, folded, sum(counts)), None


def make_results(
    states: dict[str, State],
    folded: dict[str, Any],
    count: int,
    known: Mapping[str, tuple[Any, Any]] | None = None,
) -> Results:
    """Return the results of folded values.

    Args:
        states: The states by name.
        folded: Their folded values.
        count: The number of samples.
        known: Values beside them: what they are, and of float sums what knows them exactly.
    """
    values: dict[str, Any] = {}
    sums: dict[str, Any] = {}
    for name, (value, exact) in (known or {}).items():
        values[name] = value
        if exact is not None:
            sums[name] = exact
    for name, state in states.items():
        value = folded[name]
        values[name] = state.value(value)
        if type(value) is ExactSum:
            sums[name] = value
    return Results(values, count, sums)


def one_by_one(states: dict[str, State], part: Part) -> Iterator[Results]:
    """Yield the results of every single row of a part whose rows all are in its tail."""
    for index in range(part.count):
        row = slice(index, index + 1)
        folded = {
            name: join(state, [_row(part.ordered[name], row)])
            if state.ordered
            else state.fold(state.empty(), _row(part.tail[name], row))
            for name, state in states.items()
        }
        yield make_results(states, folded, 1)


def _row(rows: Rows, row: slice) -> Rows:
    chosen = take(rows, row)
    return chosen.copy()  # `compute_metric` may change it in place


def columns(values: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return dicts of one sample each as one dict: an array by key, or a list of what is no number.

    A key that a sample's dict lacks is nan there.

    Example:
        >>> columns([{"loss": 0.5, "curve": [1]}, {"loss": 1.5, "curve": [2]}])
        {'loss': array([0.5, 1.5]), 'curve': [[1], [2]]}
    """
    found: dict[str, Any] = {}
    for key in dict.fromkeys(key for value in values for key in value):
        column = [value.get(key, math.nan) for value in values]
        numbers = all(isinstance(entry, bool | int | float) for entry in column)
        found[key] = np.array(column) if numbers else column
    return found


def _combine_ids(
    states: dict[str, State], parts: Sequence[Part], size: int | None, missing: str
) -> tuple[Results, IdsReport]:
    ids = np.concatenate([part.ids for part in parts if part.ids is not None])
    rows = {
        name: concatenate([p.ordered[name] if s.ordered else p.tail[name] for p in parts])
        for name, s in states.items()
    }
    chosen, report = first_copies(ids, rows, size, missing)
    unique = {name: take(rows[name], chosen) for name in states}
    folded: dict[str, Any] = {}
    for name, state in states.items():
        ordered = state.ordered
        folded[name] = unique[name] if ordered else state.fold(state.empty(), unique[name])
    results = make_results(states, folded, len(chosen))
    results._rows = ids[chosen], unique
    return results, report
