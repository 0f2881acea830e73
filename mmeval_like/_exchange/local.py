"""The exchange of a single process: nothing is sent, and nothing is encoded."""

from __future__ import annotations

from functools import partial

from mmeval_like._exchange.contribution import Contribution, Outcome
from mmeval_like._exchange.received import Received
from mmeval_like._samples.locked import locked
from mmeval_like._samples.parts import Part
from mmeval_like._states.results import make_results

__all__ = ["compute_alone"]


def compute_alone(mine: Contribution, size: int | None) -> Outcome:
    """Return the outcome of this process's rows.

    Args:
        mine: The rows.
        size: As in `synchronize`.

    Raises:
        ValueError: `size` does not fit the rows.
    """
    parts, received = locked(mine.stores, partial(_taken, mine, size))
    if received is not None:
        return received.outcome_of([parts])
    results = []
    for store, part in zip(mine.stores, parts, strict=True):
        states = store.states_of(part.clustered)
        folded = {**part.folded, **part.ordered}
        for name, value in part.folded.items():
            folded[name] = states[name].merge_ranks([value], mine.mode)
        results.append(make_results(states, folded, part.count))
    return mine.finish(results), None, parts[0].count


def _taken(mine: Contribution, size: int | None) -> tuple[list[Part], Received | None]:
    """Return the parts and, if only some of their rows count, the object that selects these."""
    tail = 0 if size is None else None  # rows that `size` may drop stay unfolded
    parts, with_ids = [], False
    for store in mine.stores:
        part = store.part(tail).private()
        with_ids = with_ids or part.ids is not None
        parts.append(part)
    if size is None and not with_ids:
        return parts, None
    return parts, Received(mine, size, [mine.head(1, None)])
