"""One `compute`: the ranks exchange their parts, agree, and all return the same or all raise.

Every compute begins with one all-gather of a slot whose size depends on the world size alone.
From the same headers every rank draws the same conclusion, so that no rank waits for a message
that another will not send:

- a rank failed, or the ranks hold different things: they exchange what happened and all raise;
- every payload was in its slot: done, in one exchange;
- states that add up: one all-reduce of int64;
- else: the payloads are gathered to rank 0.

Then rank 0 computes and broadcasts, unless every rank has all that it needs to do so itself.
A backend with the five members only does the same in one gather and one broadcast of objects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np

from mmeval_like import packing
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.errors import RemoteError
from mmeval_like.job import Job, Outcome
from mmeval_like.packing import Buffer
from mmeval_like.parts import Part
from mmeval_like.slot import Head, Terms, agreed, fits, sequence_of, slot_bytes, terms_of_failure
from mmeval_like.trouble import raise_trouble, trace

__all__ = ["synchronize"]


def synchronize(
    job: Job, size: int | None, backend: BaseDistBackend, failure: BaseException | None = None
) -> Outcome:
    """Combine the ranks' rows and return the metric dict, the same on every rank.

    Args:
        job: This rank's side.
        size: The number of samples of the dataset, or None to count every row.
        backend: Carries the messages.
        failure: What went wrong on this rank before; the exchange tells the others.

    Raises:
        RemoteError: Another rank failed.
        DisagreementError: The ranks hold different metrics, options, sizes or calls.
        ValueError: `size` does not fit the rows.
        Exception: What failed on this rank.
    """
    ranks = backend.world_size
    if ranks == 1:
        if failure is not None:
            raise failure
        parts = [store.part().private() for store in job.stores]
        return job.outcome(size, [parts], job.kept(size, [job.head(None)]))
    if _moves_bytes(type(backend)):
        return _Exchange(job, size, backend, ranks, failure).run()  # type: ignore[arg-type]
    return _exchange_objects(job, size, backend, failure)


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
    ) -> None:
        self.job, self.size, self.backend, self.failure = job, size, backend, failure
        self.ranks, self.room = ranks, slot_bytes(ranks)
        self.sequence = backend.sequence
        backend.sequence += 1
        self.parts: list[Part] | None = None  # this rank's, as sent

    def run(self) -> Outcome:
        """Go through the exchanges that the slots call for."""
        job, size = self.job, self.size
        terms, head, payload = self._prepare()
        slot = head.slot(terms, payload, self.room)
        slots = self.backend.all_gather_bytes(slot)
        total = head.total(slot, slots)
        if total is not None and size in (None, total[0]):
            return self._conclude(job.total, *total)
        if self.failure is not None or not agreed(slot, slots):
            self.backend.sequence = max(map(sequence_of, slots)) + 1
            self._trouble()
        heads = [Head.unpack(slot) for slot in slots]
        kept = job.kept(size, heads)
        if self._complete(heads, kept):
            payloads: Any = [head.payload(slot) for head, slot in zip(heads, slots, strict=True)]
            return self._conclude(self._merge, heads, payloads, kept)
        if job.is_sum(heads):
            return self._reduce(payload, heads, kept)
        mine = memoryview(payload).cast("B")  # type: ignore[arg-type]  # arrays are buffers
        payloads = self.backend.gather_bytes(mine, [head.length for head in heads], 0)
        return _broadcast_outcome(self.backend, self._merge, heads, payloads, kept)

    def _prepare(self) -> tuple[Terms, Head, Buffer | np.ndarray]:
        if self.failure is None:
            try:
                head, payload, self.parts = self.job.build(self.size, self.ranks, adding=True)
                return self.job.terms(self.size, self.sequence), head, payload
            except Exception as error:
                self.failure = error
        return terms_of_failure(self.sequence), Head(), b""

    def _complete(self, heads: Sequence[Head], kept: Sequence[int] | None) -> bool:
        """Whether the slots have all payloads, and these all rows to be dropped one by one."""
        if not fits(max([head.length for head in heads]), self.room):
            return False
        return kept is None or all(
            head.rows - keep <= head.tail for head, keep in zip(heads, kept, strict=True)
        )

    def _merge(
        self, heads: Sequence[Head], payloads: Sequence[Buffer], kept: Sequence[int] | None
    ) -> Outcome:
        parts = [
            # What is here already needs no unpacking: a million results take a while.
            [part.private() for part in self.parts]
            if rank == self.backend.rank and self.parts is not None
            else self.job.unpack(head, payload)
            for rank, (head, payload) in enumerate(zip(heads, payloads, strict=True))
        ]
        return self.job.outcome(self.size, parts, kept)

    def _reduce(
        self, payload: Buffer | np.ndarray, heads: Sequence[Head], kept: Sequence[int] | None
    ) -> Outcome:
        rank = self.backend.rank
        counts = [head.rows for head in heads] if kept is None else kept
        vector: Any = payload
        if not heads[rank].summed or counts[rank] != heads[rank].rows:
            vector = self.job.vector(counts[rank])
        total = self.backend.all_reduce(vector, "sum")
        return self._conclude(self.job.total, sum(counts), total)

    def _conclude(self, compute: Callable[..., Outcome], *arguments: Any) -> Outcome:
        """Every rank has everything: all compute, or rank 0 does for all."""
        if self.job.every_rank_computes:
            return compute(*arguments)
        return _broadcast_outcome(self.backend, compute, *arguments)

    def _trouble(self) -> NoReturn:
        """The terms show a failure or a disagreement: tell each other, and raise."""
        text = trace(self.failure) if self.failure is not None else None
        told = (text, None if text else _situation(self.job, self.size, self.sequence))
        raise_trouble(self.backend.all_gather_object(told), self.failure)


def _broadcast_outcome(
    backend: BaseDistBackend, compute: Callable[..., Outcome], *arguments: Any
) -> Outcome:
    """Compute on rank 0 and return its outcome, or raise, on every rank."""
    failure: Exception | None = None
    outcome: Any = None
    message: tuple[str | None, bytes] | None = None
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
    job: Job, size: int | None, backend: BaseDistBackend, failure: BaseException | None
) -> Outcome:
    """The exchange of a backend that has only the five members."""
    sequence = backend.sequence
    backend.sequence += 1
    terms, head = terms_of_failure(sequence), Head()
    payload: Buffer | np.ndarray = b""
    if failure is None:
        try:
            head, payload, _ = job.build(size, backend.world_size, adding=False)
            terms = job.terms(size, sequence)
        except Exception as error:
            failure = error
    text = trace(failure) if failure is not None else None
    told = (text, None if text else _situation(job, size, sequence))
    gathered = backend.all_gather_object((terms, head, payload, told))
    if failure is not None or any(entry[0] != terms for entry in gathered):
        backend.sequence = max(sequence for (_, _, sequence, *_), *_ in gathered) + 1
        raise_trouble([entry[3] for entry in gathered], failure)

    def compute() -> Outcome:
        heads = [entry[1] for entry in gathered]
        parts = [job.unpack(entry[1], entry[2]) for entry in gathered]
        return job.outcome(size, parts, job.kept(size, heads))

    return _broadcast_outcome(backend, compute)


def _situation(job: Job, size: int | None, sequence: int) -> str:
    missing = "" if job.missing == "raise" else f", missing={job.missing!r}"
    return f"compute call number {sequence + 1}, size={size}{missing}, of {job.identity.text}"
