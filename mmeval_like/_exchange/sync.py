"""One `compute`: the ranks exchange their parts, agree, and all return the same or all raise.

Every compute begins with one all-gather of a slot whose size depends on the world size alone.
From the same headers every rank draws the same conclusion, so that no rank waits for a message
that another will not send:

- a rank failed, or the ranks hold different things: they exchange what happened and all raise;
- every payload was in its slot: done, in one exchange;
- states that add up: one all-reduce of int64;
- large states whose values are dealt: each rank reduces a share of them, see `deal`;
- else: the payloads are gathered to rank 0.

Then rank 0 computes and broadcasts, unless every rank has all that it needs to do so itself.
A backend with the five members only does the same in one gather and one broadcast of objects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np

from mmeval_like._exchange.deal import deal_results, may_deal
from mmeval_like._exchange.disagreement import compare_constructed, raise_disagreement, tell
from mmeval_like._exchange.failures import trace
from mmeval_like._exchange.job import Job, Outcome
from mmeval_like._exchange.slot import (
    Head,
    Terms,
    agree,
    fits,
    read_terms,
)
from mmeval_like._exchange.turns import Turn, turn_of
from mmeval_like._samples.locked import locked
from mmeval_like._samples.parts import Part
from mmeval_like._samples.rows_digest import NOTHING
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.backends.wire import packing
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.wire.slot_size import slot_bytes
from mmeval_like.errors import RemoteError, mixed_calls, warn

__all__ = ["synchronize"]


def synchronize(
    job: Job,
    size: int | None,
    backend: BaseDistBackend,
    failure: BaseException | None = None,
    group: object = None,
) -> Outcome:
    """Combine the ranks' rows and return the metric dict, the same on every rank.

    Args:
        job: This rank's side.
        size: The number of samples of the dataset, or None to count every row.
        backend: Carries the messages.
        failure: What went wrong on this rank before; the exchange tells the others.
        group: The group in which the ranks count their computes; None: the backend's.

    Raises:
        RemoteError: Another rank failed.
        DisagreementError: The ranks hold different metrics, options, sizes or calls.
        ValueError: `size` does not fit the rows.
        RuntimeError: An earlier compute was interrupted on this rank between its messages.
        Exception: What failed on this rank.
    """
    ranks = backend.world_size
    if ranks == 1:
        if failure is not None:
            raise failure
        with locked(job.stores):
            tail = 0 if size is None else None  # rows that `size` may drop stay unfolded
            parts = [store.part(tail).private() for store in job.stores]
            kept = None if size is None else job.kept(size, [job.head(1, None)])
        return job.outcome(size, [parts], kept)
    group = backend.group if group is None else group
    # Which rows `size` drops is known only after the first message: until then no thread adds rows.
    with turn_of(backend) as turn, locked(job.stores if size is not None else []):
        if _moves_bytes(type(backend)):
            return _Exchange(job, size, backend, ranks, failure, group, turn).run()  # type: ignore[arg-type]
        return _exchange_objects(job, size, backend, failure, group, turn)


@cache  # asked at every compute, and slow to answer for abstract classes
def _moves_bytes(cls: type) -> bool:
    return issubclass(cls, BytesDistBackend)


class _Exchange:
    """The exchanges of one compute over a backend that moves bytes."""

    def __init__(
        self,
        job: Job,
        size: int | None,
        backend: BytesDistBackend,
        ranks: int,
        failure: BaseException | None,
        group: object,
        turn: Turn,
    ) -> None:
        self.job, self.size, self.backend, self.failure = job, size, backend, failure
        self.ranks, self.room, self.group, self.turn = ranks, slot_bytes(ranks), group, turn
        self.parts: list[Part] | None = None  # the parts that this rank sent

    def run(self) -> Outcome:
        """Go through the exchanges that the slots call for."""
        job, size = self.job, self.size
        terms, head, payload = self._prepare()
        slot = head.slot(terms, payload, self.room)
        slots = self.backend.all_gather_bytes(slot)
        _warn_if_repeated(head, slots)
        total = head.total(slot, slots)
        if total is not None and size in (None, total[0]):
            job.instance.settle(self.group, job.resets)
            return self._conclude(job.total, *total)
        found = [read_terms(slot) for slot in slots]
        if not agree(found):
            with self.turn.between_messages():
                self._trouble(found)
        job.instance.settle(self.group, job.resets)
        heads = [Head.unpack(slot) for slot in slots]
        kept = job.kept(size, heads)
        if self._complete(heads, kept):
            payloads: Any = [head.payload(slot) for head, slot in zip(heads, slots, strict=True)]
            return self._conclude(self._merge, heads, payloads, kept)
        with self.turn.between_messages():
            if job.is_sum(heads):
                conclusion: Any = (job.total, *self._reduce(payload, heads, kept))
            elif may_deal(job, heads):
                rows = [head.rows for head in heads] if kept is None else kept
                del payload  # which looks into the parts
                results, count = deal_results(job, self.parts or [], rows, self.backend)
                conclusion = (lambda: (job.finish(results), None, count),)
            else:
                mine = b"".join(payload)
                payloads = self.backend.gather_bytes(mine, [head.length for head in heads], 0)
                return self._broadcast(self._merge, heads, payloads, kept)
        return self._conclude(*conclusion)

    def _prepare(self) -> tuple[Terms, Head, Sequence[Any]]:
        if self.failure is None:
            try:
                head, payload, self.parts = self.job.build(self.size, self.ranks, adding=True)
                return self.job.terms(self.size, self.group), head, payload
            except Exception as error:
                self.failure = error
        return Terms(), Head(), []

    def _complete(self, heads: Sequence[Head], kept: Sequence[int] | None) -> bool:
        """Whether every payload is in its slot, and has the rows that are dropped unfolded."""
        if not fits(max([head.length for head in heads]), self.room):
            return False
        return kept is None or all(
            head.rows - keep <= head.tail for head, keep in zip(heads, kept, strict=True)
        )

    def _merge(
        self, heads: Sequence[Head], payloads: Sequence[Buffer], kept: Sequence[int] | None
    ) -> Outcome:
        parts = [
            # This rank's own parts need no unpacking, which takes long for a million rows.
            [part.private() for part in self.parts]
            if rank == self.backend.rank and self.parts is not None
            else self.job.unpack(head, payload)
            for rank, (head, payload) in enumerate(zip(heads, payloads, strict=True))
        ]
        return self.job.outcome(self.size, parts, kept)

    def _reduce(
        self, payload: Sequence[Any], heads: Sequence[Head], kept: Sequence[int] | None
    ) -> tuple[int, np.ndarray]:
        """Return the number of samples and the sum of what the ranks' states pack into."""
        rank = self.backend.rank
        counts = [head.rows for head in heads] if kept is None else kept
        [vector] = payload if heads[rank].summed else [None]
        if not heads[rank].summed or counts[rank] != heads[rank].rows:
            vector = self.job.vector(counts[rank])
        total = self.backend.all_reduce(vector, "sum")
        return sum(counts), total

    def _conclude(self, compute: Callable[..., Outcome], *arguments: Any) -> Outcome:
        """Compute on every rank, or on rank 0 for all; every rank has all that it needs."""
        if self.job.every_rank_computes:
            return compute(*arguments)
        return self._broadcast(compute, *arguments)

    def _broadcast(self, compute: Callable[..., Outcome], *arguments: Any) -> Outcome:
        return _broadcast_outcome(self.backend, self.turn, compute, *arguments)

    def _trouble(self, found: Sequence[Terms]) -> NoReturn:
        """The terms show a failure or a disagreement: tell each other, and raise."""
        told = tell(self.job, self.size, found[self.backend.rank], self.failure)
        gathered = self.backend.all_gather_object(told)
        compare_constructed(found, self.job, self.group, self.backend)
        raise_disagreement(found, gathered, self.failure)


def _broadcast_outcome(
    backend: BaseDistBackend, turn: Turn, compute: Callable[..., Outcome], *arguments: Any
) -> Outcome:
    """Compute on rank 0 and return its outcome, or raise, on every rank."""
    failure: Exception | None = None
    outcome: Any = None
    message: tuple[str | None, bytes] | None = None
    with turn.between_messages():
        if backend.rank == 0:
            try:
                outcome = compute(*arguments)
                message = (None, packing.dumps(outcome))
            except Exception as error:
                failure = error
                message = (trace(error), b"")
        text, data = backend.broadcast_object(message, 0)
    if failure is not None:
        raise failure
    if text is not None:
        raise RemoteError([0], [text])
    received: Outcome = outcome if backend.rank == 0 else packing.loads(data)
    return received


def _exchange_objects(
    job: Job,
    size: int | None,
    backend: BaseDistBackend,
    failure: BaseException | None,
    group: object,
    turn: Turn,
) -> Outcome:
    """The exchange of a backend that has only the five members."""
    terms, head, payload = Terms(), Head(), b""
    if failure is None:
        try:
            head, pieces, _ = job.build(size, backend.world_size, adding=False)
            payload = b"".join(pieces)
            terms = job.terms(size, group)
        except Exception as error:
            failure = error
    told = tell(job, size, terms, failure)
    gathered = backend.all_gather_object((terms, head, payload, told))
    if not all(isinstance(entry, tuple) and isinstance(entry[0], Terms) for entry in gathered):
        raise mixed_calls()
    found = [entry[0] for entry in gathered]
    if not agree(found):
        compare_constructed(found, job, group, backend)
        raise_disagreement(found, [entry[3] for entry in gathered], failure)
    job.instance.settle(group, job.resets)
    _warn_if_repeated(head, [(entry[1], bytes(entry[2])) for entry in gathered])

    def compute() -> Outcome:
        heads = [entry[1] for entry in gathered]
        parts = [job.unpack(entry[1], entry[2]) for entry in gathered]
        return job.outcome(size, parts, job.kept(size, heads))

    return _broadcast_outcome(backend, turn, compute)


def _warn_if_repeated(head: Head, contents: Sequence[Any]) -> None:
    """Warn where all ranks added the same samples, as after a framework that gathered them.

    Args:
        head: This rank's.
        contents: What the ranks sent: their heads, and behind them the payloads.
    """
    if head.sample != NOTHING and all(content == contents[0] for content in contents[1:]):
        warn(
            f"all {len(contents)} ranks added the same {head.rows} samples, each of which counts "
            f"{len(contents)} times. If the program gathers predictions before add(), as "
            f'transformers\' Trainer does, construct the metric with dist_backend="non_dist"'
        )
