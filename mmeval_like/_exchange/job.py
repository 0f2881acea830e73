"""One rank's side of one compute: what it sends, and how what all ranks sent becomes results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._exchange.instance import Instance
from mmeval_like._exchange.slot import (
    MIXED,
    NO_ROWS,
    TEXT_IDS,
    WITH_IDS,
    WITHOUT_IDS,
    Head,
    Terms,
    fits,
)
from mmeval_like._samples.combine import combine
from mmeval_like._samples.exactly_once import IdsReport
from mmeval_like._samples.ids import NO_IDS, TEXTS
from mmeval_like._samples.locked import locked
from mmeval_like._samples.padding import keep_size
from mmeval_like._samples.parts import Part, of_one_kind
from mmeval_like._samples.rows_digest import NOTHING
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.column import Column
from mmeval_like._states.results import Results, make_results
from mmeval_like.backends.wire.named import pack_named, unpack_named
from mmeval_like.backends.wire.packing import Buffer
from mmeval_like.backends.wire.slot_size import slot_bytes

__all__ = ["Job", "Outcome", "alike"]

_IDS = {WITH_IDS, TEXT_IDS}
_FEW = 16  # one row in so many

# The metric dict, the report on the ids, and the number of samples.
Outcome = tuple[Any, IdsReport | None, int]


@dataclass
class Job:
    """What one rank needs for one compute.

    Attributes:
        stores: This rank's rows, of every different statistic.
        finish: Turns the merged results of these statistics into the metric dict.
        mode: "unzip" or "cat".
        missing: "raise" or "report", for ids.
        identify: Returns the fingerprint of the metrics and their options.
        every_rank_computes: `finish` gives the same bits on every machine and has no side effects.
        instance: Which of the equal metrics it is.
        asked: By store, what its metrics ask of states that deal; None: all rows.
        resets: How often its samples had been forgotten when these were taken.
    """

    stores: list[Store]
    finish: Callable[[list[Results]], Any]
    mode: str
    missing: str
    identify: Callable[[], Identity]
    every_rank_computes: bool
    instance: Instance
    asked: list[frozenset[Any] | None]
    resets: int = field(init=False)

    def __post_init__(self) -> None:
        self.resets = self.instance.resets

    def detach(self) -> None:
        """Take the rows so far: what is added later is not computed."""
        with locked(self.stores):
            self.stores = [store.snapshot() for store in self.stores]

    @cached_property
    def identity(self) -> Identity:
        """The fingerprint of the metrics and their options; one process alone needs none."""
        return self.identify()

    @property
    def additive(self) -> bool:
        """Whether the folded states of all stores add up as vectors of int64."""
        return all(store.additive for store in self.stores)

    @property
    def deals(self) -> bool:
        """Whether the ranks can deal the values of all rows, so that no rank gets them all."""
        for store, asked in zip(self.stores, self.asked, strict=True):
            for state in store.states.values():
                for_all = self.every_rank_computes and isinstance(state, Column)
                if not state.additive and (not state.deals or asked is None or for_all):
                    return False
        return not self.additive

    # What this rank sends ----------------------------------------------------------------------

    def terms(self, size: int | None, group: object) -> Terms:
        """Return what all ranks of a group must agree on."""
        wanted = -1 if size is None else size
        resets = self.instance.resets_in(group, self.resets)
        strict, number = self.missing == "raise", self.instance.number
        return Terms(False, strict, number, resets, self.identity.digest, wanted)

    def build(
        self, size: int | None, ranks: int, adding: bool
    ) -> tuple[Head, Sequence[Any], list[Part] | None]:
        """Return this rank's header, the pieces of its payload, and its parts; of a vector None.

        Args:
            size: As in `synchronize`.
            ranks: The number of ranks.
            adding: Whether states that add up may go as the vector that an all-reduce takes.
        """
        with locked(self.stores):
            return self._build(size, ranks, adding)

    def _build(
        self, size: int | None, ranks: int, adding: bool
    ) -> tuple[Head, Sequence[Any], list[Part] | None]:
        tail: int | None = None  # None: every row that `size` may drop stays unfolded
        if size is None:
            tail = 0
            for store in self.stores:
                store.fold()
            if self.deals and all(_FEW * s.waiting < s.count for s in self.stores):
                tail = None  # large values go as they are: a few rows more would copy them
        elif adding and self.additive:
            # So many rows are dropped if all ranks have as many rows as this one. If they have
            # not, an all-reduce follows, before which every rank drops its own padding.
            tail = max(0, self.stores[0].count * ranks - size)
        sums = adding and tail == 0 and self._adds_up()
        if sums and not self._packs_into_slot(ranks):
            return *self.summed(ranks), None
        parts = [store.part(tail) for store in self.stores]
        pieces: list[Buffer] = []
        for store, part in zip(self.stores, parts, strict=True):
            pieces += pack_named(part.to_dict(store.states))
        length = sum([memoryview(piece).nbytes for piece in pieces])
        if sums and not fits(length, slot_bytes(ranks)):
            return *self.summed(ranks), None
        return self.head(ranks, tail, length), pieces, parts

    def _adds_up(self) -> bool:
        """Whether this rank's rows are a vector: without ids, and as many in every store."""
        rows = self.stores[0].count
        return all(s.additive and not s.with_ids and s.count == rows for s in self.stores)

    def _packs_into_slot(self, ranks: int) -> bool:
        """Whether a vector that is too long for the slot may fit into it when it is packed.

        The all-reduce is then left out. Packing makes a vector up to twenty times shorter, and
        merging packed parts takes longer than adding vectors, which many ranks would feel.
        """
        room, length = slot_bytes(ranks), sum([8 * store.layout.size for store in self.stores])
        return not fits(length, room) and length <= 20 * room and ranks <= 16

    def summed(self, ranks: int) -> tuple[Head, list[np.ndarray]]:
        """Return the header and, as its payload, the vector of this rank's rows."""
        vector, rows = self.vector(), self.stores[0].count
        droppable = min([store.droppable for store in self.stores])
        kind = WITHOUT_IDS if rows else NO_ROWS
        padding = self._padding(ranks)
        head = Head(kind, False, True, 0, vector.nbytes, padding, self._sample(), droppable, rows)
        return head, [vector]

    def head(self, ranks: int, tail: int | None, length: int = 0) -> Head:
        """Return the header of a payload of parts.

        Args:
            ranks: The number of ranks.
            tail: How many of the last rows the payload leaves unfolded.
            length: The payload's length in bytes.
        """
        counts = [store.count for store in self.stores]
        ids = NO_ROWS
        if any(counts):
            kinds = {store.kind_of_ids for store in self.stores if store.count}
            ids = WITHOUT_IDS if NO_IDS in kinds else TEXT_IDS if TEXTS in kinds else WITH_IDS
        return Head(
            ids,
            any(store.clustered for store in self.stores if store.count),
            False,
            min([store.tail_count(tail) for store in self.stores]),
            length,
            self._padding(ranks),
            NOTHING if ids in _IDS else self._sample(),
            min([store.droppable for store in self.stores]),
            counts[0] if min(counts) == max(counts) else MIXED,
        )

    def _sample(self) -> bytes:
        digests = [store.sample.digest() for store in self.stores]
        if NOTHING in digests:
            return max(digests)
        return hashlib.blake2b(b"".join(digests), digest_size=8).digest()

    def _padding(self, ranks: int) -> int:
        return min([store.padding(ranks) for store in self.stores])

    def vector(self, kept: int | None = None) -> np.ndarray:
        """Return the folded states, which are additive, as one vector of int64.

        Args:
            kept: Of only the first so many rows; None: all.
        """
        vectors = [store.vector(kept) for store in self.stores]
        return vectors[0] if len(vectors) == 1 else np.concatenate(vectors)

    # What all ranks sent -------------------------------------------------------------------------

    def is_sum(self, heads: Sequence[Head]) -> bool:
        """Return whether the merged state of these ranks is the sum of their vectors."""
        return self.additive and alike(heads)

    def kept(self, size: int | None, heads: Sequence[Head]) -> list[int] | None:
        """Return how many rows of each rank count; None: all.

        Raises:
            ValueError: It is the same on every rank.
        """
        if len({head.clustered for head in heads if head.ids != NO_ROWS}) > 1:
            raise ValueError("either all ranks pass clusters= to add() or none does")
        kinds = {head.ids for head in heads} - {NO_ROWS}
        if kinds == _IDS:
            raise ValueError("ids must be integers on all ranks, or texts on all ranks")
        if len(kinds) > 1:
            raise ValueError("either all ranks pass ids= to add() or none does")
        if size is None or kinds & _IDS:
            return None
        if any(head.rows == MIXED for head in heads):
            raise ValueError(
                f"size={size} needs metrics that count the same samples, but the members of the "
                f"collection hold different numbers of samples or results"
            )
        counts, droppable = [h.rows for h in heads], [h.droppable for h in heads]
        padding = min([h.padding for h in heads])
        return keep_size(counts, droppable, padding, size, self.mode)

    def unpack(self, head: Head, payload: Buffer) -> list[Part]:
        """Return a rank's parts, by store."""
        if head.summed:
            folded = self.from_vector(np.frombuffer(payload, "<i8"))
            return [Part(head.rows, values, {}, 0, {}, None) for values in folded]
        view, offset, parts = memoryview(payload), 0, []
        for store in self.stores:
            found, offset = unpack_named(view, offset)
            parts.append(store.part_of(found))
        return parts

    def from_vector(self, vector: np.ndarray) -> list[dict[str, Any]]:
        """Return the folded values, by store and name, of a `vector` or the sum of several."""
        values, start = [], 0
        for store in self.stores:
            stop = start + store.layout.size
            values.append(store.layout.unpack(vector[start:stop]))
            start = stop
        return values

    def total(self, count: int, vector: np.ndarray) -> Outcome:
        """Compute from the number of all ranks' rows and the sum of their vectors."""
        results = []
        for store, folded in zip(self.stores, self.from_vector(vector), strict=True):
            results.append(make_results(store.states, folded, count))
        return self.finish(results), None, count

    def outcome(
        self, size: int | None, parts: Sequence[Sequence[Part]], kept: Sequence[int] | None
    ) -> Outcome:
        """Merge the ranks' parts and compute.

        Args:
            size: As in `synchronize`.
            parts: By rank, then by store; they are used up.
            kept: As `kept` returned it.
        """
        merged, report = [], None
        for index, store in enumerate(self.stores):
            states, of_store = of_one_kind(
                store.states_of, [rank_parts[index] for rank_parts in parts]
            )
            results, found = combine(
                states, of_store, kept=kept, mode=self.mode, size=size, missing=self.missing
            )
            merged.append(results)
            report = report or found
        samples = len(merged[0])  # counted before `finish`, which may use the results up
        return self.finish(merged), report, samples


def alike(heads: Sequence[Head]) -> bool:
    """Return whether every row counts for what it is: without ids and clusters, in every store."""
    return all(h.ids not in _IDS and not h.clustered and h.rows != MIXED for h in heads)
