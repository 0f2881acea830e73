"""The exchange for backends with only five members: one gather of objects, and one broadcast."""

from __future__ import annotations

from mmeval_like._exchange.conclusion import compute_on_rank_0
from mmeval_like._exchange.contribution import Contribution, Outcome, Sent
from mmeval_like._exchange.disagreement import compare_constructed, raise_disagreement, tell
from mmeval_like._exchange.envelope import Head, Terms, agree
from mmeval_like._exchange.group_lock import GroupLock
from mmeval_like._exchange.received import Received
from mmeval_like._exchange.repeated import are_repeated, warn_of_repeated
from mmeval_like._samples.rows_digest import NOTHING
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.errors import DisagreementError, mixed_calls

__all__ = ["exchange_objects"]


def exchange_objects(
    mine: Contribution,
    size: int | None,
    backend: BaseDistBackend,
    failure: BaseException | None,
    group: object,
    lock: GroupLock,
) -> Outcome:
    """Return the outcome on every rank; takes the arguments of `synchronize`, and the lock."""
    turn = lock.next_turn
    terms, sent, payload = Terms(), Sent(Head(turn=turn)), b""
    if failure is None:
        try:
            sent = mine.sent(size, backend.world_size, None, turn)
            payload = b"".join(sent.pieces)
            terms = mine.terms(size, group)
        except Exception as error:
            failure = error
    told = tell(mine, size, terms, failure)
    lock.begin(turn)
    try:
        gathered = backend.all_gather_object((terms, sent.head, payload, told))
    except DisagreementError:
        lock.end_mixed()
        raise
    if not all(isinstance(entry, tuple) and isinstance(entry[0], Terms) for entry in gathered):
        lock.end_mixed()
        raise mixed_calls()
    all_terms, heads, payloads, all_told = zip(*gathered, strict=True)
    lock.check_turns([head.turn for head in heads])
    if not agree(all_terms):
        compare_constructed(all_terms, mine, group, backend)
        lock.end()
        raise_disagreement(all_terms, all_told, failure)
    mine.occurrence.settle(group, mine.resets)

    def compute() -> Outcome:
        return Received(mine, size, heads).outcome(payloads, 0, sent.parts)

    outcome = compute_on_rank_0(backend, lock, compute)
    if sent.head.sample != NOTHING and are_repeated([*zip(heads, payloads, strict=True)]):
        warn_of_repeated(sent.head.rows, len(heads))
    return outcome
