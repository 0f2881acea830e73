"""The parts of all ranks merged into results; and the results of each single sample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like._samples.exactly_once import IdsReport, first_copies
from mmeval_like._samples.ids import missing_ids
from mmeval_like._samples.parts import Part
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.ordered import join
from mmeval_like._states.results import Results, make_results, with_rows
from mmeval_like._states.rows import Rows, concatenate, interleave, take

__all__ = ["columns", "combine", "one_by_one"]


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


def _combine_ids(
    states: dict[str, State], parts: Sequence[Part], size: int | None, missing: str
) -> tuple[Results, IdsReport]:
    ids = np.concatenate([part.ids for part in parts if part.ids is not None])
    rows = {
        name: concatenate([p.ordered[name] if s.ordered else p.tail[name] for p in parts])
        for name, s in states.items()
    }
    name, state = next(iter(states.items()))
    unscored = state.unscored(rows[name])
    chosen, report = first_copies(ids, rows, size, missing, unscored)
    unique = {name: take(rows[name], chosen) for name in states}
    known: np.ndarray | None = ids[chosen]
    number = len(chosen)
    if unscored is not None and report.missing:  # these have no score either
        number += report.missing
        order: Any = slice(None)
        if known is not None and known.ndim == 1:
            known = np.concatenate([known, missing_ids(known, size or 0)])
            order = np.argsort(known)
            known = known[order]
        else:
            known = None
        for name, own in unique.items():
            every = concatenate([own, states[name].absent(own, report.missing)])
            unique[name] = take(every, order)
    folded: dict[str, Any] = {}
    for name, state in states.items():
        ordered = state.ordered
        folded[name] = unique[name] if ordered else state.fold(state.empty(), unique[name])
    results = make_results(states, folded, number)
    return results if known is None else with_rows(results, known, unique), report


def one_by_one(states: dict[str, State], part: Part) -> Iterator[Results]:
    """Yield the results of each single row of a part; its tail must contain all rows."""
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
    """Merge dicts, one for each sample, into a dict of arrays, or of lists if not numeric.

    A sample without a key has nan in its place.

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
