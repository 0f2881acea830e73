"""One `compute`: the ranks exchange their parts, and all return the same or all raise.

Every compute begins with one all-gather of a slot whose size depends only on the world size.
From the same headers every rank draws the same conclusion, so that no rank waits for a message
that another will not send:

- a rank failed, or the ranks hold different things: they exchange what happened and all raise;
- every payload was in its slot: done, in one exchange;
- `reduce`, for states that add up: one all-reduce of int64;
- `deal`, for large states whose values are dealt: each rank reduces a share of them;
- `gather`, for all others: the payloads are gathered to rank 0.

Then rank 0 computes and broadcasts, unless every rank has all that it needs to compute itself.
A single process sends nothing (`local`). A backend with only five members does the same in one
gather and one broadcast of objects (`objects`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NoReturn

from mmeval_like._exchange.conclusion import conclude
from mmeval_like._exchange.contribution import Contribution, Outcome, Sent
from mmeval_like._exchange.deal import deal, may_deal, outcome_of_dealt
from mmeval_like._exchange.disagreement import compare_constructed, raise_disagreement, tell
from mmeval_like._exchange.envelope import (
    Head,
    Terms,
    agree,
    read_terms,
    sum_of,
)
from mmeval_like._exchange.form import Form
from mmeval_like._exchange.gather import gathered_outcome
from mmeval_like._exchange.group_lock import GroupLock, lock_of
from mmeval_like._exchange.local import compute_alone
from mmeval_like._exchange.objects import exchange_objects
from mmeval_like._exchange.received import Received, outcome_of_sum
from mmeval_like._exchange.reduce import all_reduced, may_reduce
from mmeval_like._exchange.repeated import are_repeated, warn_of_repeated
from mmeval_like._samples.locked import locked
from mmeval_like._samples.rows_digest import NOTHING
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.wire.slot_size import slot_bytes
from mmeval_like.errors import DisagreementError

__all__ = ["synchronize"]


def synchronize(
    contribution: Contribution,
    size: int | None,
    backend: BaseDistBackend,
    failure: BaseException | None = None,
    group: object = None,
) -> Outcome:
    """Combine the ranks' rows and return the metric dict, the same on every rank.

    Args:
        contribution: This rank's rows, and what the exchange must know about them.
        size: The number of samples of the dataset, or None to count every row.
        backend: Carries the messages.
        failure: An earlier error of this rank; the exchange reports it to the others.
        group: The group in which the ranks count their computes; None: the backend's.

    Raises:
        RemoteError: Another rank failed.
        DisagreementError: The ranks hold different metrics, options, sizes or calls.
        ValueError: `size` does not fit the rows.
        RuntimeError: An earlier compute was interrupted on this rank between its messages.
        Exception: What failed on this rank.
    """
    if backend.world_size == 1:
        if failure is not None:
            raise failure
        return compute_alone(contribution, size)
    own = backend.group
    group, lock = own if group is None else group, lock_of(backend, own)
    way: Callable[..., Outcome] = (
        _exchange_slots if _moves_bytes(type(backend)) else exchange_objects
    )
    work = partial(way, contribution, size, backend, failure, group, lock)
    if size is not None:
        # Which rows `size` drops is known only after the first message: until then no thread adds
        # rows.
        work = partial(locked, contribution.stores, work)
    return lock.run(work)


@cache  # called at every compute, and slow for abstract classes
def _moves_bytes(cls: type) -> bool:
    return issubclass(cls, BytesDistBackend)


def _exchange_slots(
    mine: Contribution,
    size: int | None,
    backend: BytesDistBackend,
    failure: BaseException | None,
    group: object,
    lock: GroupLock,
) -> Outcome:
    """Return the outcome on every rank; takes the arguments of `synchronize`, and the lock."""
    line, turn = backend.slot_line(), lock.next_turn
    room = slot_bytes(line.ranks)
    if failure is None:
        try:
            sent = mine.sent(size, line.ranks, room, turn)
            terms = mine.terms(size, group)
        except Exception as error:
            failure = error
    if failure is not None:
        sent, terms = Sent(Head(turn=turn)), Terms()
    slot = sent.head.slot(terms, sent.pieces, room)
    lock.begin(turn)
    try:
        slots = line.exchange(slot)
    except DisagreementError:
        lock.end_mixed()
        raise
    total = sum_of(sent.head.length, slot, slots) if sent.form is Form.SLOT else None
    if total is not None and size not in (None, total[0]):
        total = None  # some rows do not count
    repeated = sent.head.sample != NOTHING and are_repeated(slots)
    if total is None:
        slots = [bytes(one) for one in slots]
    line.free()
    if total is not None:
        mine.occurrence.settle(group, mine.resets)
        compute: Any = partial(outcome_of_sum, mine, *total)
        outcome = conclude(mine.every_rank_computes, backend, lock, compute)
    else:
        received = _received(mine, size, backend, failure, group, lock, slots)
        outcome = _by_way(received, sent, backend, lock, slots)
    if repeated:
        warn_of_repeated(sent.head.rows, line.ranks)
    return outcome


def _received(
    mine: Contribution,
    size: int | None,
    backend: BaseDistBackend,
    failure: BaseException | None,
    group: object,
    lock: GroupLock,
    slots: Sequence[Buffer],
) -> Received:
    """Read the slots; raise on every rank if the ranks do not agree."""
    try:
        found = [read_terms(slot) for slot in slots]
    except DisagreementError:
        lock.end_mixed()
        raise
    heads = [Head.unpack(slot) for slot in slots]
    lock.check_turns([head.turn for head in heads])
    if not agree(found):
        _raise_trouble(mine, size, backend, failure, group, lock, found)
    mine.occurrence.settle(group, mine.resets)
    try:
        return Received(mine, size, heads)
    except ValueError:
        lock.end()
        raise


def _by_way(
    received: Received,
    sent: Sent,
    backend: BytesDistBackend,
    lock: GroupLock,
    slots: Sequence[Buffer],
) -> Outcome:
    """Return the outcome of the exchange that the headers select."""
    mine = received.mine
    if received.complete_in(len(slots[0])):
        pairs = zip(received.heads, slots, strict=True)
        payloads = [head.payload(slot) for head, slot in pairs]
        compute: Any = partial(received.outcome, payloads, backend.rank, sent.parts)
    elif may_reduce(received):
        compute = partial(outcome_of_sum, mine, *all_reduced(received, sent, backend, lock))
    elif may_deal(received):
        compute = partial(outcome_of_dealt, received, deal(received, sent, backend, lock))
    else:
        return gathered_outcome(received, sent, backend, lock)
    return conclude(mine.every_rank_computes, backend, lock, compute)


def _raise_trouble(
    mine: Contribution,
    size: int | None,
    backend: BaseDistBackend,
    failure: BaseException | None,
    group: object,
    lock: GroupLock,
    found: Sequence[Terms],
) -> NoReturn:
    """Exchange what happened after a failure or a disagreement, and raise it on every rank."""
    told = tell(mine, size, found[backend.rank], failure)
    gathered = backend.all_gather_object(told)
    compare_constructed(found, mine, group, backend)
    lock.end()
    raise_disagreement(found, gathered, failure)
