"""Received: the headers of all ranks, and how the outcome is computed from their payloads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmeval_like._exchange.contribution import Contribution, Outcome
from mmeval_like._exchange.envelope import IDS, MIXED, NO_ROWS, Head, fits
from mmeval_like._samples.combine import combine
from mmeval_like._samples.padding import keep_size
from mmeval_like._samples.parts import Part, of_one_kind
from mmeval_like._states.results import make_results
from mmeval_like.backends.wire.named import unpack_named
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["Received", "outcome_of_sum"]

_INT64 = np.dtype("<i8")


class Received:
    """The headers of all ranks, equal on every rank.

    Args:
        mine: This rank's contribution; the other ranks have stores of the same states.
        size: As in `synchronize`.
        heads: The headers of all ranks.

    Raises:
        ValueError: Ids, clusters or numbers of rows are inconsistent, or do not fit `size`.

    Attributes:
        kept: The number of rows of each rank that count; None: all.
    """

    def __init__(self, mine: Contribution, size: int | None, heads: Sequence[Head]) -> None:
        self.mine, self.size, self.heads = mine, size, heads
        self.kept = self._kept()

    def _kept(self) -> list[int] | None:
        heads, size = self.heads, self.size
        if len({head.clustered for head in heads if head.ids != NO_ROWS}) > 1:
            raise ValueError("either all ranks pass clusters= to add() or none does")
        kinds = {head.ids for head in heads} - {NO_ROWS}
        if kinds == IDS:
            raise ValueError("ids must be integers on all ranks, or strings on all ranks")
        if len(kinds) > 1:
            raise ValueError("either all ranks pass ids= to add() or none does")
        if size is None or kinds & IDS:
            return None
        if any(head.rows == MIXED for head in heads):
            raise ValueError(
                f"size={size} needs metrics that count the same samples, but the members of the "
                f"collection hold different numbers of samples or results"
            )
        counts, droppable = [h.rows for h in heads], [h.droppable for h in heads]
        padding = min([h.padding for h in heads])
        return keep_size(counts, droppable, padding, size, self.mine.mode)

    @property
    def lengths(self) -> list[int]:
        """The number of bytes of each rank's payload."""
        return [head.length for head in self.heads]

    @property
    def counts(self) -> list[int]:
        """The number of rows of each rank that count, if its stores have the same number."""
        return [head.rows for head in self.heads] if self.kept is None else self.kept

    @property
    def alike(self) -> bool:
        """Whether no rank has ids, clusters or stores of different lengths."""
        return all(h.ids not in IDS and not h.clustered and h.rows != MIXED for h in self.heads)

    def complete_in(self, room: int) -> bool:
        """Return whether all payloads fit into slots of this size, with rows to drop unfolded."""
        if not fits(max(self.lengths), room):
            return False
        return self.kept is None or all(
            head.rows - keep <= head.tail for head, keep in zip(self.heads, self.kept, strict=True)
        )

    def outcome(self, payloads: Sequence[Buffer], rank: int, own: Sequence[Part] | None) -> Outcome:
        """Merge what all ranks sent and compute.

        Args:
            payloads: The payload of each rank.
            rank: This rank.
            own: This rank's parts, which are used up; None: unpack them from its payload.
        """
        parts = [
            [part.private() for part in own]
            if place == rank and own is not None
            else self._unpack(head, payload)
            for place, (head, payload) in enumerate(zip(self.heads, payloads, strict=True))
        ]
        return self.outcome_of(parts)

    def outcome_of(self, parts: Sequence[Sequence[Part]]) -> Outcome:
        """Merge parts and compute.

        Args:
            parts: For each rank, the part of each store; they are used up.
        """
        mine, merged, report = self.mine, [], None
        for index, store in enumerate(mine.stores):
            sent = [rank_parts[index] for rank_parts in parts]
            states, of_store = of_one_kind(store.states_of, sent)
            results, found = combine(
                states,
                of_store,
                kept=self.kept,
                mode=mine.mode,
                size=self.size,
                missing=mine.missing,
            )
            merged.append(results)
            report = report or found
        samples = len(merged[0])  # counted before `finish`, which may use the results up
        return mine.finish(merged), report, samples

    def _unpack(self, head: Head, payload: Buffer) -> list[Part]:
        """Return the part of each store of a rank."""
        view, offset, parts = memoryview(payload), 0, []
        for store in self.mine.stores:
            if head.summed:
                vector = np.frombuffer(view, _INT64, store.layout.size, offset)
                offset += vector.nbytes
                part = Part(head.rows, store.layout.unpack(vector), {}, 0, {}, None)
            else:
                found, offset = unpack_named(view, offset)
                part = store.part_of(found)
            parts.append(part)
        return parts


def outcome_of_sum(mine: Contribution, count: int, vector: np.ndarray) -> Outcome:
    """Compute from the number of all ranks' rows and the sum of their vectors.

    Args:
        mine: This rank's contribution.
        count: The number of rows.
        vector: The sum.
    """
    results, start = [], 0
    for store in mine.stores:
        stop = start + store.layout.size
        folded = store.layout.unpack(vector[start:stop])
        results.append(make_results(store.states, folded, count))
        start = stop
    return mine.finish(results), None, count
