"""Contribution: one rank's rows in one compute, and the message made of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._exchange.envelope import (
    IDS,
    MIXED,
    NO_ROWS,
    TEXT_IDS,
    WITH_IDS,
    WITHOUT_IDS,
    Head,
    Terms,
)
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._exchange.form import Facts, Form, form
from mmeval_like._exchange.group_lock import stamp_of
from mmeval_like._exchange.occurrence import Occurrence
from mmeval_like._samples.exactly_once import IdsReport
from mmeval_like._samples.ids import NO_IDS, TEXTS
from mmeval_like._samples.locked import locked
from mmeval_like._samples.parts import Part
from mmeval_like._samples.rows_digest import NOTHING
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.column import Column
from mmeval_like._states.results import Results
from mmeval_like.backends.wire.named import pack_named

__all__ = ["Contribution", "Outcome", "Sent"]

_FEW = 16  # few rows wait if they are fewer than one in this many

Outcome: TypeAlias = tuple[Any, IdsReport | None, int]
"""The metric dict, the report on the ids, and the number of samples."""


@dataclass
class Sent:
    """A rank's message: a header and a payload, which is a vector or parts.

    Attributes:
        head: What the other ranks must know before they can read the payload.
        pieces: The payload, in pieces that are sent end to end.
        parts: The part of each store in the payload; None if the payload is a vector.
        second: Memory for the message after the slot, as int64: a stamp, and a vector or, if
            states do not add up, the payload. A rank without memory for it fails before the slot,
            which informs the other ranks. None if nothing long may follow.
        spare: Memory of the same size, which is freed before the backend needs it for the sum.
        form: The form of the payload.
    """

    head: Head
    pieces: Sequence[Any] = ()
    parts: list[Part] | None = None
    second: np.ndarray | None = None
    spare: np.ndarray | None = None
    form: Form = Form.PARTS


@dataclass
class Contribution:
    """One rank's rows in one compute, and what the exchange must know about them.

    Attributes:
        stores: This rank's rows of each distinct statistic.
        finish: Computes the values from the merged results of these statistics.
        mode: "unzip" or "cat".
        missing: "raise" or "report", for ids.
        identify: Returns the fingerprint of the metrics and their options.
        every_rank_computes: `finish` gives the same bits on every machine and has no side effects.
        occurrence: The metric's number among equal ones.
        ask: Returns the value of `wanted`.
        resets: The number of resets before these samples were taken.
        in_order: Whether the rows are in the order in which this rank added them; if not, none is
            known to be padding.
    """

    stores: list[Store]
    finish: Callable[[list[Results]], Any]
    mode: str
    missing: str
    identify: Callable[[], Identity]
    every_rank_computes: bool
    occurrence: Occurrence
    ask: Callable[[], list[frozenset[Any] | None]]
    resets: int
    in_order: bool = True

    def detach(self) -> None:
        """Replace the stores by copies, so that rows added later do not count."""
        self.stores = locked(self.stores, self._snapshots)

    def _snapshots(self) -> list[Store]:
        found = [store.snapshot() for store in self.stores]
        for one in found[1:]:
            one.lock = found[0].lock  # all are locked at once
        return found

    @cached_property
    def identity(self) -> Identity:
        """The fingerprint of the metrics and their options; a single process needs none."""
        return self.identify()

    @cached_property
    def wanted(self) -> list[frozenset[Any] | None]:
        """For each store, what the metrics ask of states that deal; None: all rows."""
        return self.ask()

    @property
    def additive(self) -> bool:
        """Whether the folded states of all stores add up as vectors of int64."""
        for store in self.stores:  # noqa: SIM110  every compute asks
            if not store.additive:
                return False
        return True

    @property
    def deals(self) -> bool:
        """Whether some values do not add up, and the ranks can deal all of these."""
        additive = True
        for store, wanted in zip(self.stores, self.wanted, strict=True):
            for state in store.states.values():
                for_all = self.every_rank_computes and isinstance(state, Column)
                if not state.additive and (not state.deals or wanted is None or for_all):
                    return False
                additive = additive and state.additive
        return not additive

    def terms(self, size: int | None, group: object) -> Terms:
        """Return what all ranks of a group must agree on."""
        dataset = -1 if size is None else size
        resets = self.occurrence.resets_in(group, self.resets)
        strict, number = self.missing == "raise", self.occurrence.number
        return Terms(False, strict, number, resets, self.identity.digest, dataset)

    def sent(self, size: int | None, ranks: int, room: int | None, turn: int) -> Sent:
        """Return this rank's message.

        Args:
            size: As in `synchronize`.
            ranks: The number of ranks.
            room: The size of a slot, in which states that add up may go as a vector; None: they
                may not.
            turn: The number that this rank gives to the exchange.
        """
        return locked(self.stores, partial(self._sent, size, ranks, room, turn))

    def _sent(self, size: int | None, ranks: int, room: int | None, turn: int) -> Sent:
        facts = self._facts(size, ranks, room)
        chosen = form(facts)
        sent = self._packed(chosen, facts, size, turn)
        if chosen is Form.PARTS:
            facts = facts._replace(packed=sent.head.length)
            if (then := form(facts)) is not chosen:
                del sent  # before the vector takes its memory
                return self._packed(then, facts, size, turn)
        return sent

    def _facts(self, size: int | None, ranks: int, room: int | None) -> Facts:
        """Return what the form of the message depends on; fold rows that `size` cannot drop."""
        stores, additive, alike, length = self.stores, True, True, 0
        rows = stores[0].count
        for store in stores:
            if size is None:
                store.fold()
            alike = alike and store.count == rows and store.kind_of_ids == NO_IDS
            additive = additive and store.additive
            length += 8 * store.layout.size if additive else 0
        tail: int | None = None
        if size is None:
            tail = 0
            if not additive and self.deals and all(_FEW * s.waiting < s.count for s in stores):
                tail = None  # large values are sent as they are: folding more rows copies them
        elif room is not None and additive:
            # This rank drops these rows if all ranks have the same number of rows. Otherwise an
            # all-reduce follows, before which every rank drops its own padding.
            tail = max(0, rows * ranks - size)
        return Facts(additive, alike, tail, length if additive else 0, ranks, room)

    def _packed(self, chosen: Form, facts: Facts, size: int | None, turn: int) -> Sent:
        """Return the message in this form, with the memory for the messages that may follow."""
        if chosen is Form.PARTS:
            sent = self._parts(facts.ranks, facts.tail, turn)
            self._take_room(sent, facts, turn)
            return sent
        rows, second, spare, vector = self.stores[0].count, None, None, None
        if chosen is Form.VECTOR:
            second = np.empty(1 + facts.length // 8, np.int64)
            second[:1], vector, spare = _mark(turn), second[1:], np.empty_like(second)
        vector = self.vector(None, vector)
        # The limits of padding matter only with `size`.
        padding, droppable = (0, 0) if size is None else self._droppable(facts.ranks)
        kind, sample = WITHOUT_IDS if rows else NO_ROWS, self._sample()
        head = Head(kind, False, True, turn, 0, facts.length, padding, sample, droppable, rows)
        return Sent(head, [vector], None, second, spare, chosen)

    def _take_room(self, sent: Sent, facts: Facts, turn: int) -> None:
        """Allocate memory for what may follow the slot, for a payload of parts."""
        length = max(sent.head.length, facts.length)
        if facts.room is None or length <= facts.room:
            return  # nothing follows, or only what is short
        alone = sent.head.ids in IDS or sent.head.clustered
        if not facts.additive and self.deals and not alone:
            return  # dealing reports its own failures
        sent.second = np.empty(1 + -(-length // 8), np.int64)
        sent.second[:1] = _mark(turn)
        sent.spare = np.empty_like(sent.second) if facts.additive else None

    def _parts(self, ranks: int, tail: int | None, turn: int) -> Sent:
        """Return the message whose payload is parts."""
        parts = [store.part(tail) for store in self.stores]
        pieces: list[Any] = []
        for store, part in zip(self.stores, parts, strict=True):
            pieces += pack_named(part.to_dict(store.states))
        length = sum([memoryview(piece).nbytes for piece in pieces])
        return Sent(self.head(ranks, tail, turn, length), pieces, parts)

    def head(self, ranks: int, tail: int | None, turn: int = 0, length: int = 0) -> Head:
        """Return the header of a payload of parts.

        Args:
            ranks: The number of ranks.
            tail: How many of the last rows the parts leave unfolded; None: all that are unfolded.
            turn: The number that this rank gives to the exchange.
            length: The payload's length in bytes.
        """
        counts = [store.count for store in self.stores]
        ids = NO_ROWS
        if any(counts):
            kinds = {store.kind_of_ids for store in self.stores if store.count}
            ids = WITHOUT_IDS if NO_IDS in kinds else TEXT_IDS if TEXTS in kinds else WITH_IDS
        padding, droppable = self._droppable(ranks)
        return Head(
            ids,
            any(store.clustered for store in self.stores if store.count),
            False,
            turn,
            min([store.tail_count(tail) for store in self.stores]),
            length,
            padding,
            NOTHING if ids in IDS else self._sample(),
            droppable,
            counts[0] if min(counts) == max(counts) else MIXED,
        )

    def _droppable(self, ranks: int) -> tuple[int, int]:
        """Return the most padding of all ranks together, and the droppable rows of this rank."""
        if not self.in_order:
            return 0, 0
        padding = min([store.padding(ranks) for store in self.stores])
        return padding, min([store.droppable for store in self.stores])

    def _sample(self) -> bytes:
        if len(self.stores) == 1:
            return self.stores[0].sample.digest()
        digests = [store.sample.digest() for store in self.stores]
        if NOTHING in digests:
            return max(digests)
        return hashlib.blake2b(b"".join(digests), digest_size=8).digest()

    def vector(self, kept: int | None = None, out: np.ndarray | None = None) -> np.ndarray:
        """Return the folded states, which are additive, as one vector of int64.

        Args:
            kept: Count only this many of the first rows; None: all.
            out: The memory for the vector; None: any.
        """
        if len(self.stores) == 1:
            return self.stores[0].vector(kept, out)
        if out is None:
            return np.concatenate([store.vector(kept) for store in self.stores])
        start = 0
        for store in self.stores:
            stop = start + store.layout.size
            store.vector(kept, out[start:stop])
            start = stop
        return out


def _mark(turn: int) -> np.ndarray:
    """Return the stamp of an exchange as an integer."""
    return np.frombuffer(stamp_of(turn), np.int64)
