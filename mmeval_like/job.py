"""One rank's side of one compute: what it sends, and how what all ranks sent becomes results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.exactly_once import IdsReport
from mmeval_like.identity import Identity
from mmeval_like.order import kept_rows
from mmeval_like.packing import Buffer
from mmeval_like.parts import Part
from mmeval_like.results import Results, combine, make_results
from mmeval_like.slot import MIXED, NO_ROWS, WITH_IDS, WITHOUT_IDS, Head, Terms
from mmeval_like.store import Store

__all__ = ["Job", "Outcome"]

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
        return all(store.adds_up for store in self.stores)

    # What this rank sends ----------------------------------------------------------------------

    def terms(self, size: int | None, sequence: int) -> Terms:
        """Return what all ranks must agree on."""
        wanted = -1 if size is None else size
        return False, self.missing == "raise", sequence, self.identity.digest, wanted

    def build(
        self, size: int | None, ranks: int, adding: bool
    ) -> tuple[Head, Buffer | np.ndarray, list[Part] | None]:
        """Return this rank's header and payload, and the parts in it; None: it is a vector.

        Args:
            size: As in `synchronize`.
            ranks: The number of ranks.
            adding: Whether states that add up may go as the vector that an all-reduce takes.
        """
        tail: int | None = None  # all rows that `size` may drop
        if size is None:
            tail = 0
            for store in self.stores:
                store.fold()
        elif adding and self.additive:
            # What `size` will drop if all ranks have as many rows as this one; if they have not,
            # the all-reduce comes next, before which every rank drops exactly its own.
            tail = max(0, self.stores[0].count * ranks - size)
        if adding and tail == 0 and (summed := self.summed()):
            return *summed, None
        parts = [store.part(tail) for store in self.stores]
        pieces: list[Buffer] = []
        for store, part in zip(self.stores, parts, strict=True):
            pieces += part.pack(store.states)
        payload = b"".join(pieces)
        return self.head(tail, len(payload)), payload, parts

    def summed(self) -> tuple[Head, np.ndarray] | None:
        """Return the header and the vector of this rank's rows; None where these do not add up.

        They do if they have no ids and are as many in every store.
        """
        rows = trimmable = self.stores[0].count
        for store in self.stores:
            if not store.adds_up or store.ids or store.count != rows:
                return None
            trimmable = min(trimmable, store.waiting)
        vector = self.vector()
        kind = WITHOUT_IDS if rows else NO_ROWS
        return Head(kind, True, 0, vector.nbytes, trimmable, rows), vector

    def head(self, tail: int | None, length: int = 0) -> Head:
        """Return the header of a payload of parts.

        Args:
            tail: How many rows it leaves unfolded.
            length: Its length in bytes.
        """
        counts = [store.count for store in self.stores]
        ids = NO_ROWS
        if any(counts):
            ids = WITH_IDS if any(store.ids for store in self.stores) else WITHOUT_IDS
        return Head(
            ids,
            False,
            min([store.tail_count(tail) for store in self.stores]),
            length,
            min([store.waiting for store in self.stores]),
            counts[0] if min(counts) == max(counts) else MIXED,
        )

    def vector(self, kept: int | None = None) -> np.ndarray:
        """Return the folded states, which are additive, as one vector of int64.

        Args:
            kept: Of only the first so many rows; None: all.
        """
        vectors: list[np.ndarray] = []
        for store in self.stores:
            vectors += store.vectors(kept)
        return vectors[0] if len(vectors) == 1 else np.concatenate(vectors)

    # What all ranks sent -------------------------------------------------------------------------

    def is_sum(self, heads: Sequence[Head]) -> bool:
        """Return whether what these ranks have is the sum of their vectors."""
        return self.additive and all(h.ids != WITH_IDS and h.rows != MIXED for h in heads)

    def kept(self, size: int | None, heads: Sequence[Head]) -> list[int] | None:
        """Return how many rows of each rank count; None: all, or the stores differ in it.

        Raises:
            ValueError: The same on every rank.
        """
        kinds = [head.ids for head in heads]
        if WITH_IDS in kinds and WITHOUT_IDS in kinds:
            raise ValueError("either all ranks pass ids= to add() or none does")
        if size is None or WITH_IDS in kinds or any(head.rows == MIXED for head in heads):
            return None
        return _trim([h.rows for h in heads], [h.trimmable for h in heads], size, self.mode)

    def unpack(self, head: Head, payload: Buffer) -> list[Part]:
        """Return a rank's parts, by store."""
        if head.summed:
            folded = self.from_vector(np.frombuffer(payload, "<i8"))
            return [Part(head.rows, values, {}, 0, {}, None) for values in folded]
        view, offset, parts = memoryview(payload), 0, []
        for store in self.stores:
            part, offset = Part.unpack(store.states, view, offset)
            parts.append(part)
        return parts

    def from_vector(self, vector: np.ndarray) -> list[dict[str, Any]]:
        """Return the folded values, by store and name, of a `vector` or the sum of several."""
        values, start = [], 0
        for store in self.stores:
            folded = {}
            for name, state in store.additive.items():
                stop = start + state.dense_size
                folded[name] = state.from_dense(vector[start:stop])
                start = stop
            values.append(folded)
        return values

    def total(self, count: int, vector: np.ndarray) -> Outcome:
        """Compute from the number of all ranks' rows and the sum of their vectors."""
        results = []
        for store, folded in zip(self.stores, self.from_vector(vector), strict=True):
            results.append(make_results(store.states, folded, count))
        return self.finish(results), None

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
            of_store = [rank_parts[index] for rank_parts in parts]
            own = kept
            if own is None and size is not None and not any(p.ids is not None for p in of_store):
                able = [p.tail_count if p.folded else p.count for p in of_store]
                own = _trim([p.count for p in of_store], able, size, self.mode)
            results, found = combine(
                store.states, of_store, kept=own, mode=self.mode, size=size, missing=self.missing
            )
            merged.append(results)
            report = report or found
        return self.finish(merged), report


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
