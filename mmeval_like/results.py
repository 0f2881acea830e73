"""The merged states of all ranks, as `compute_metric` sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from mmeval_like._ordered_states import join
from mmeval_like._state_base import State
from mmeval_like.exact import ExactSum
from mmeval_like.exactly_once import IdsReport, first_copies
from mmeval_like.parts import Part
from mmeval_like.rows import concatenate, interleave, take

__all__ = ["Results", "combine", "make_results"]

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

    def __init__(
        self, values: Mapping[str, Any], count: int, sums: Mapping[str, ExactSum] | None = None
    ) -> None:
        self._count = count
        self._sums = sums or {}
        self._known: dict[str, Any] = {}
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no state {name!r}")

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
            self._known[name] = function(self)
        found: T = self._known[name]
        return found

    def exact(self, name: str) -> Fraction | np.ndarray:
        """Return a float sum unrounded: a Fraction, or an object array of them.

        Formulas that subtract sums lose all digits when these were rounded first.

        Raises:
            KeyError: No float sum of this name.
            OverflowError: The sum is nan or infinite.
        """
        exact: Fraction | np.ndarray = self._sums[name].fraction()
        return exact


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
        ValueError: Ids that are missing or not below `size`.
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
        folded[name] = reduce(state.merge, values)
    return make_results(states, folded, sum(counts)), None


def make_results(states: dict[str, State], folded: dict[str, Any], count: int) -> Results:
    """Return the results of folded values."""
    values, sums = {}, {}
    for name, state in states.items():
        value = folded[name]
        values[name] = state.value(value)
        if type(value) is ExactSum:
            sums[name] = value
    return Results(values, count, sums)


def _combine_ids(
    states: dict[str, State], parts: Sequence[Part], size: int | None, missing: str
) -> tuple[Results, IdsReport]:
    ids = np.concatenate([part.ids for part in parts if part.ids is not None])
    rows = {
        name: concatenate([p.ordered[name] if s.ordered else p.tail[name] for p in parts])
        for name, s in states.items()
    }
    chosen, report = first_copies(ids, rows, size, missing)
    folded: dict[str, Any] = {}
    for name, state in states.items():
        unique = take(rows[name], chosen)
        folded[name] = unique if state.ordered else state.fold(state.empty(), unique)
    return make_results(states, folded, len(chosen)), report
