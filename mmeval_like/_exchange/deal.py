"""Large parts that are not gathered: the ranks reduce their rows together, each its share.

Every step ends in a message that also says whether a rank failed in it, so that all ranks go on or
all raise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from mmeval_like._exchange.failures import raise_trouble, trace
from mmeval_like._exchange.job import Job, alike
from mmeval_like._exchange.slot import Head
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.column import Column, DealTable
from mmeval_like._states.layout import Layout
from mmeval_like._states.results import Results, make_results
from mmeval_like._states.rows import take
from mmeval_like.arrays.rank_order import global_places
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.rounds import NoRoom, OtherLengths, Parts
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["deal_results", "may_deal"]

_GATHERED = 4 << 20  # bytes of all ranks' parts, up to which one rank computes sooner than all
_SHORT = 1 << 17  # how many numbers every rank has room for


def may_deal(job: Job, heads: Sequence[Head]) -> bool:
    """Return whether the ranks reduce their rows together: the same on every rank."""
    return sum(head.length for head in heads) > _GATHERED and job.deals and alike(heads)


def deal_results(
    job: Job, parts: Sequence[Part], kept: Sequence[int], backend: BaseDistBackend
) -> tuple[list[Results], int]:
    """Return the results of all ranks' rows, on every rank, and the number of samples.

    Args:
        job: This rank's side.
        parts: This rank's parts, by store.
        kept: How many of each rank's rows count.
        backend: Carries the messages.

    Raises:
        RemoteError: Another rank failed.
        Exception: What failed on this rank, or what is wrong with the rows of all ranks.
    """
    ranks = _Ranks(backend)
    places = partial(global_places, kept, ranks.rank, job.mode)
    results = [
        _results_of(store, part, asked, kept, places, ranks)
        for store, part, asked in zip(job.stores, parts, job.asked, strict=True)
    ]
    return results, sum(kept)


def _results_of(
    store: Store,
    part: Part,
    asked: Any,
    kept: Sequence[int],
    places: Callable[[], np.ndarray],
    ranks: _Ranks,
) -> Results:
    left = part.tail_count - (part.count - kept[ranks.rank])

    def folded(name: str) -> Any:
        if store.states[name].ordered:
            return take(part.ordered[name], slice(0, kept[ranks.rank]))
        value = part.folded[name]
        if left:
            value = store.states[name].fold(value, take(part.tail[name], slice(0, left)))
        return value

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
            dealt[name] = state.deal(partial(folded, name), asked, ranks)
    for deal_table, names in tables.items():
        columns = partial(_each, folded, names)
        dealt |= dict.fromkeys(names, deal_table(columns, places, asked, ranks))
    known = {name: (value, None) for name, value in dealt.items()}
    return make_results(sums, layout.unpack(vector), sum(kept), known)


def _each(folded: Callable[[str], Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: folded(name) for name in names}


class _Ranks:
    """The `Ranks` of a group; each call is one step."""

    def __init__(self, backend: BaseDistBackend) -> None:
        self._backend = backend
        self.rank, self.size = backend.rank, backend.world_size
        self._late: Exception | None = None  # what failed after a step: the next one tells it

    def gathered(self, work: Callable[[], Any]) -> list[Any]:
        """Return what every rank's work returns, by rank."""
        found, failure = None, None
        try:
            found = self._done(work)
        except Exception as error:
            failure = error
        told = self._backend.all_gather_object((failure and trace(failure), found))
        if any(text is not None for text, _ in told):
            raise_trouble([(text, "") for text, _ in told], failure)
        return [value for _, value in told]

    def total(self, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        """Return the sum of the ranks' vectors."""
        if length > _SHORT:
            return self._long_total(work, length)
        vector, failure = np.zeros(1 + length, np.int64), None
        try:
            vector[1:] = self._done(work)
        except Exception as error:
            vector[0], failure = 1, error
        total: np.ndarray = self._backend.all_reduce(vector, "sum")
        if total[0]:
            self._trouble(failure)
        return total[1:]

    def _long_total(self, work: Callable[[], np.ndarray], length: int) -> np.ndarray:
        # A rank without room for its vector can take part in nothing of this length: it says so
        # in a step of its own.
        vectors: list[np.ndarray] = []

        def make() -> np.ndarray:
            vector = _room_for(length)
            vector[:] = work()
            vectors.append(vector)
            return _NOTHING

        self.total(make, 0)
        total: np.ndarray = self._backend.all_reduce(vectors[0], "sum")
        return total

    def dealt(self, work: Callable[[], Parts]) -> tuple[np.ndarray, list[int]]:
        """Return what the ranks' works return for this rank, end to end, and of each how much."""
        parts: list[Buffer | list[Buffer]] = []

        def prepare() -> np.ndarray:
            parts.extend(work())
            return _NOTHING

        self.total(prepare, 0)
        try:
            return self._backend.all_to_all_joined(parts)
        except (NoRoom, OtherLengths) as error:
            self._late = error
            return np.empty(0, np.uint8), [0] * self.size

    def _done(self, work: Callable[[], Any]) -> Any:
        if self._late is not None:
            raise self._late
        return work()

    def _trouble(self, failure: Exception | None) -> NoReturn:
        told = self._backend.all_gather_object(failure and trace(failure))
        raise_trouble([(text, "") for text in told], failure)


def _room_for(length: int) -> np.ndarray:
    return np.empty(length, np.int64)


_NOTHING = np.zeros(0, np.int64)
