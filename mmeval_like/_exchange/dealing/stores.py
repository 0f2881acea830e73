"""The results of dealt rows: sums for states that add up, and dealt totals for others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._exchange.dealing.steps import Steps
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.column import Column, DealTable
from mmeval_like._states.layout import Layout
from mmeval_like._states.results import Results, make_results
from mmeval_like._states.rows import take

__all__ = ["dealt_results"]

Finish: TypeAlias = Callable[[], Results]


def dealt_results(
    store: Store,
    part: Part,
    kept: int,
    places: Callable[[], np.ndarray],
    wanted: Any,
    count: int,
    ranks: Steps,
) -> Finish:
    """Deal the rows of a store; return a function that makes its results without messages.

    Args:
        store: The store.
        part: This rank's rows, which are used up.
        kept: The number of rows that count.
        places: Returns the places of these rows among the rows of all ranks.
        wanted: What the metrics ask of the states that deal.
        count: The number of all ranks' rows.
        ranks: The ranks.
    """
    folded = partial(_folded, store.states, part, kept)
    sums = {name: state for name, state in store.states.items() if state.additive}
    layout, vector = Layout(sums), _NOTHING
    if sums:
        vector = ranks.total(lambda: layout.pack({n: folded(n) for n in sums}), layout.size)
    dealt: dict[str, Any] = {}
    tables: dict[DealTable, list[str]] = {}
    for name, state in store.states.items():
        if isinstance(state, Column):
            tables.setdefault(state.deal_table, []).append(name)
        elif not state.additive:
            dealt[name] = state.deal(partial(folded, name), wanted, ranks)
    for deal_table, names in tables.items():
        columns = partial(_each, folded, names)
        dealt |= dict.fromkeys(names, deal_table(columns, places, wanted, ranks))
    known = {name: (value, None) for name, value in dealt.items()}
    return lambda: make_results(sums, layout.unpack(vector), count, known)


def _folded(states: Mapping[str, State], part: Part, kept: int, name: str) -> Any:
    """Return a state's value of the first `kept` rows of a part."""
    if states[name].ordered:
        return take(part.ordered[name], slice(0, kept))
    value = part.folded[name]
    left = part.tail_count - (part.count - kept)
    if left:
        value = states[name].fold(value, take(part.tail[name], slice(0, left)))
    return value


def _each(folded: Callable[[str], Any], names: list[str]) -> dict[str, Any]:
    return {name: folded(name) for name in names}


_NOTHING = np.zeros(0, np.int64)
