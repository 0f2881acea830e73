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
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from mmeval_like import packing
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.errors import RemoteError
from mmeval_like.exactly_once import IdsReport
from mmeval_like.identity import Identity
from mmeval_like.order import kept_rows
from mmeval_like.packing import Buffer
from mmeval_like.results import Results, combine, make_results
from mmeval_like.slot import MIXED, NO_ROWS, WITH_IDS, WITHOUT_IDS, Head, differ
from mmeval_like.store import Part, Store
from mmeval_like.trouble import raise_trouble, trace

__all__ = ["Job", "Outcome", "synchronize"]

Outcome = tuple[Any, IdsReport | None]


@dataclass
class Job:
    """What one compute is about.

    Attributes:
        stores: This rank's rows, of every different statistic.
        finish: Merged results of these statistics to the metric dict.
        mode: "unzip" or "cat".
        missing: "raise" or "report", for ids.
        identity: Equal on two ranks if they hold the same metrics and options.
        every_rank_computes: `finish` gives the same bits on every machine and writes nothing.
    """

    stores: list[Store]
    finish: Callable[[list[Results]], Any]
    mode: str
    missing: str
    identity: Identity
    every_rank_computes: bool

    @property
    def additive(self) -> bool:
        """Whether the folded states of all stores add up as vectors of int64."""
        return all(len(store.additive) == len(store.states) for store in self.stores)


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
    if not backend.is_initialized or backend.world_size == 1:
        if failure is not None:
            raise failure
        parts = [[store.part().private() for store in job.stores]]
        heads = [_head(job, size, parts[0], b"", 0)]
        return _finish(job, size, parts, _kept(job, size, heads))
    if isinstance(backend, BytesDistBackend):
        return _Exchange(job, size, backend, failure).run()
    return _exchange_objects(job, size, backend, failure)


# Parts and heads ---------------------------------------------------------------------------


def _head(
    job: Job, size: int | None, parts: Sequence[Part], payload: Buffer, sequence: int
) -> Head:
    counts = {part.count for part in parts}
    ids = NO_ROWS
    if any(counts):
        ids = WITH_IDS if any(part.ids is not None for part in parts) else WITHOUT_IDS
    return Head(
        failed=False,
        ids=ids,
        strict=job.missing == "raise",
        sequence=sequence,
        fingerprint=job.identity.digest,
        size=-1 if size is None else size,
        count=counts.pop() if len(counts) == 1 else MIXED,
        trimmable=min(store.waiting for store in job.stores),
        tail=min((p.tail_count if p.folded else p.count for p in parts), default=0),
        length=len(payload),
    )


def _build(job: Job, size: int | None, sequence: int, ranks: int | None) -> tuple[Head, bytes]:
    """Return this rank's header and payload.

    Args:
        job: This rank's side.
        size: As in `synchronize`.
        sequence: The number of this compute.
        ranks: The world size, if an all-reduce can follow; else None.
    """
    tail: int | None = None  # all rows that `size` may drop
    if size is None:
        tail = 0
    elif job.additive and ranks is not None:
        # What `size` will drop if all ranks have as many rows as this one; if they have not,
        # the all-reduce comes next, before which every rank drops exactly its own.
        tail = max(0, job.stores[0].count * ranks - size)
    parts = [store.part(None if store.ids else tail) for store in job.stores]
    pieces = [p for s, part in zip(job.stores, parts, strict=True) for p in part.pack(s.states)]
    payload = b"".join(pieces)
    return _head(job, size, parts, payload, sequence), payload


def _unpack(job: Job, payload: Buffer) -> list[Part]:
    view, offset, parts = memoryview(payload), 0, []
    for store in job.stores:
        part, offset = Part.unpack(store.states, view, offset)
        parts.append(part)
    return parts


def _kept(job: Job, size: int | None, heads: Sequence[Head]) -> list[int] | None:
    """Return how many rows of each rank count; None: all, or the stores differ in it.

    Raises:
        ValueError: The same on every rank.
    """
    if {WITH_IDS, WITHOUT_IDS} <= {head.ids for head in heads}:
        raise ValueError("either all ranks pass ids= to add() or none does")
    if size is None or any(h.ids == WITH_IDS or h.count == MIXED for h in heads):
        return None
    return _trim([h.count for h in heads], [h.trimmable for h in heads], size, job.mode)


def _trim(counts: list[int], trimmable: list[int], size: int, mode: str) -> list[int]:
    if size > sum(counts):
        raise ValueError(
            f"size must be at most the number of samples added, got size={size} with "
            f"{sum(counts)} samples on {len(counts)} rank(s): some samples were lost"
        )
    kept = kept_rows(counts, size, mode)
    for rank, (count, keep, able) in enumerate(zip(counts, kept, trimmable, strict=True)):
        if count - keep > able:
            raise ValueError(
                f"size={size} drops the last {count - keep} of rank {rank}'s {count} samples, "
                f"but only {able} are kept one by one. Pass max_padding={count - keep} to the "
                f"metric's constructor, or ids= to add() if the sampler deals whole batches."
            )
    return kept


def _finish(
    job: Job, size: int | None, parts: Sequence[Sequence[Part]], kept: list[int] | None
) -> Outcome:
    """Merge the ranks' parts and compute. `parts` is by rank, then by store."""
    merged = []
    report = None
    for index, store in enumerate(job.stores):
        of_store = [rank_parts[index] for rank_parts in parts]
        own = kept
        if own is None and size is not None and not any(p.ids is not None for p in of_store):
            able = [p.tail_count if p.folded else p.count for p in of_store]
            own = _trim([p.count for p in of_store], able, size, job.mode)
        results, found = combine(
            store.states, of_store, kept=own, mode=job.mode, size=size, missing=job.missing
        )
        merged.append(results)
        report = report or found
    return job.finish(merged), report


# The exchanges -----------------------------------------------------------------------------


class _Exchange:
    """The exchanges of one compute over a backend that moves bytes."""

    def __init__(
        self,
        job: Job,
        size: int | None,
        backend: BytesDistBackend,
        failure: BaseException | None,
    ) -> None:
        self.job, self.size, self.backend, self.failure = job, size, backend, failure
        self.rank, self.ranks = backend.rank, backend.world_size
        self.sequence = backend.sequence
        backend.sequence += 1

    def run(self) -> Outcome:
        job, backend = self.job, self.backend
        head, payload = self._prepare()
        slots = backend.all_gather_bytes(head.slot(self.ranks, payload))
        heads = [Head.unpack(other) for other in slots]
        if any(h.failed for h in heads) or differ(heads):
            backend.sequence = max(h.sequence for h in heads) + 1
            self._trouble()
        kept = _kept(job, self.size, heads)
        reducible = job.additive and all(h.ids != WITH_IDS and h.count != MIXED for h in heads)
        dropped = [h.count - k for h, k in zip(heads, kept, strict=True)] if kept else []
        in_tails = all(drop <= h.tail for drop, h in zip(dropped, heads, strict=False))
        pairs = list(zip(heads, slots, strict=True))
        if in_tails and all(h.fits(slot) for h, slot in pairs):
            payloads: Any = [h.payload(slot) for h, slot in pairs]
            return self._conclude(lambda: self._combine(payloads, kept))
        if reducible:
            return self._reduce(heads, kept)
        payloads = backend.gather_bytes(payload, [h.length for h in heads], 0)
        return self._broadcast(lambda: self._combine(payloads, kept))

    def _prepare(self) -> tuple[Head, bytes]:
        if self.failure is None:
            try:
                return _build(self.job, self.size, self.sequence, self.ranks)
            except Exception as error:
                self.failure = error
        return Head.of_failure(self.sequence), b""

    def _combine(self, payloads: Sequence[Buffer], kept: list[int] | None) -> Outcome:
        parts = [_unpack(self.job, payload) for payload in payloads]
        return _finish(self.job, self.size, parts, kept)

    def _reduce(self, heads: list[Head], kept: list[int] | None) -> Outcome:
        own = None if kept is None else kept[self.rank]
        parts = [store.part(0, own) for store in self.job.stores]
        vectors = [
            state.to_dense(part.folded[name])
            for store, part in zip(self.job.stores, parts, strict=True)
            for name, state in store.additive.items()
        ]
        total = self.backend.all_reduce(np.concatenate(vectors), "sum")
        count = sum(kept) if kept is not None else sum(h.count for h in heads)
        return self._conclude(lambda: self._split(total, count))

    def _split(self, total: np.ndarray, count: int) -> Outcome:
        merged, start = [], 0
        for store in self.job.stores:
            folded: dict[str, Any] = {}
            for name, state in store.additive.items():
                stop = start + state.dense_size()
                folded[name] = state.from_dense(total[start:stop])
                start = stop
            merged.append(make_results(store.states, folded, count))
        return self.job.finish(merged), None

    def _conclude(self, compute: Callable[[], Outcome]) -> Outcome:
        """Every rank has everything: all compute, or rank 0 does for all."""
        return compute() if self.job.every_rank_computes else self._broadcast(compute)

    def _broadcast(self, compute: Callable[[], Outcome]) -> Outcome:
        return _broadcast_outcome(self.backend, compute)

    def _trouble(self) -> NoReturn:
        """The headers show a failure or a disagreement: tell each other, and raise."""
        text = trace(self.failure) if self.failure is not None else None
        told = (text, None if text else _situation(self.job, self.size, self.sequence))
        raise_trouble(self.backend.all_gather_object(told), self.failure)


def _broadcast_outcome(backend: BaseDistBackend, compute: Callable[[], Outcome]) -> Outcome:
    """Compute on rank 0 and return its outcome, or raise, on every rank."""
    failure: Exception | None = None
    outcome: Any = None
    message: tuple[str | None, bytes] | None = None
    if backend.rank == 0:
        try:
            outcome = compute()
            message = (None, packing.dumps(outcome))
        except Exception as error:
            failure = error
            message = (trace(error), b"")
    text, data = backend.broadcast_object(message, 0)
    if failure is not None:
        raise failure
    if text is not None:
        raise RemoteError([0], [text])
    return outcome if backend.rank == 0 else packing.loads(data)


def _exchange_objects(
    job: Job, size: int | None, backend: BaseDistBackend, failure: BaseException | None
) -> Outcome:
    """The exchange of a backend that has only the five members."""
    sequence = backend.sequence
    backend.sequence += 1
    payload = b""
    head = Head.of_failure(sequence)
    if failure is None:
        try:
            head, payload = _build(job, size, sequence, None)
        except Exception as error:
            failure = error
    text = trace(failure) if failure is not None else None
    told = (text, None if text else _situation(job, size, sequence))
    gathered = backend.all_gather_object((head, payload, told))
    heads = [entry[0] for entry in gathered]
    if any(h.failed for h in heads) or differ(heads):
        backend.sequence = max(h.sequence for h in heads) + 1
        raise_trouble([entry[2] for entry in gathered], failure)

    def compute() -> Outcome:
        parts = [_unpack(job, entry[1]) for entry in gathered]
        return _finish(job, size, parts, _kept(job, size, heads))

    return _broadcast_outcome(backend, compute)


def _situation(job: Job, size: int | None, sequence: int) -> str:
    missing = "" if job.missing == "raise" else f", missing={job.missing!r}"
    return f"compute call number {sequence + 1}, size={size}{missing}, of {job.identity.text}"
