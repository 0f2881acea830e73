"""The exchange for large values: every rank reduces a share of them."""

from __future__ import annotations

from functools import partial

from mmeval_like._exchange.contribution import Outcome, Sent
from mmeval_like._exchange.dealing.steps import Steps
from mmeval_like._exchange.dealing.stores import Finish, dealt_results
from mmeval_like._exchange.group_lock import GroupLock
from mmeval_like._exchange.received import Received
from mmeval_like.arrays.rank_order import global_places
from mmeval_like.backends.base import BaseDistBackend

__all__ = ["deal", "may_deal", "outcome_of_dealt"]

_GATHERED = 4 << 20  # up to this many bytes of all parts, one rank computes faster than all


def may_deal(received: Received) -> bool:
    """Return whether the ranks reduce their rows together; equal on every rank."""
    return sum(received.lengths) > _GATHERED and received.mine.deals and received.alike


def deal(received: Received, sent: Sent, backend: BaseDistBackend, lock: GroupLock) -> list[Finish]:
    """Deal the rows of every store; return the function that makes the results, equal on all ranks.

    Args:
        received: The headers of all ranks.
        sent: This rank's message; its rows are used up.
        backend: Carries the messages.
        lock: The lock of the exchange.

    Raises:
        RemoteError: Another rank failed.
        Exception: What failed on this rank, or what is wrong with the rows of all ranks.
    """
    ranks, mine, counts = Steps(backend, lock), received.mine, received.counts
    parts, sent.pieces, sent.parts = sent.parts or [], (), None  # the pieces are views of the parts
    places, kept = partial(global_places, counts, ranks.rank, mine.mode), counts[ranks.rank]
    return [
        dealt_results(store, part, kept, places, wanted, sum(counts), ranks)
        for store, part, wanted in zip(mine.stores, parts, mine.wanted, strict=True)
    ]


def outcome_of_dealt(received: Received, made: list[Finish]) -> Outcome:
    """Return the outcome, computed from what `deal` returned."""
    return received.mine.finish([make() for make in made]), None, sum(received.counts)
