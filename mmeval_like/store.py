"""One rank's rows of one statistic: append, fold early, keep the tail, cut parts to send."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like.launchers import detect_launcher
from mmeval_like.packing import Buffer
from mmeval_like.rows import Rows, concatenate, pack_rows, take, unpack_rows
from mmeval_like.state import AdditiveState, State, join

__all__ = ["Part", "Store"]

# Rows fold when this much of them waits: large enough that the cost of a fold vanishes, small
# enough to stay in the processor's cache.
_BLOCK_BYTES = 256 * 1024

# The number of ranks to expect where no launcher tells it (processes that a program spawned).
_RANKS = 64

_HEAD = struct.Struct("<qqB")


@dataclass
class Part:
    """What one rank contributes to one exchange.

    Attributes:
        count: The number of rows.
        folded: The folded value of the rows before the tail, of every state that folds.
        tail: The last rows of these states, one by one; the states' order, equal lengths.
        tail_count: How many they are.
        ordered: All rows of every ordered state.
        ids: The rows' dataset indices, int64 of shape (count,), or None.
    """

    count: int
    folded: dict[str, Any]
    tail: dict[str, Rows]
    tail_count: int
    ordered: dict[str, Rows]
    ids: np.ndarray | None

    def pack(self, states: dict[str, State]) -> list[Buffer]:
        """Return the pieces of a self-delimiting form."""
        pieces: list[Buffer] = [_HEAD.pack(self.count, self.tail_count, self.ids is not None)]
        if self.ids is not None:
            pieces += pack_rows(self.ids)
        for name, state in states.items():
            if state.ordered:
                pieces += state.pack(self.ordered[name])
            else:
                pieces += state.pack(self.folded[name])
                if self.tail_count:
                    pieces += pack_rows(self.tail[name])
        return pieces

    @classmethod
    def unpack(cls, states: dict[str, State], data: memoryview, offset: int) -> tuple[Part, int]:
        """Return the part packed at `offset`, and the offset behind it."""
        count, tail_count, has_ids = _HEAD.unpack_from(data, offset)
        part = cls(count, {}, {}, tail_count, {}, None)
        offset += _HEAD.size
        if has_ids:
            part.ids, offset = unpack_rows(data, offset)  # type: ignore[assignment]
        for name, state in states.items():
            if state.ordered:
                part.ordered[name], offset = state.unpack(data, offset)
            else:
                part.folded[name], offset = state.unpack(data, offset)
                if tail_count:
                    part.tail[name], offset = unpack_rows(data, offset)
        return part, offset


class Store:
    """One rank's rows of one statistic.

    Args:
        states: The statistic's states by name.
        max_padding: How many of the last rows stay unfolded, so that `size=` can drop them;
            None keeps what samplers of single samples and of contiguous shards can pad: the
            number of ranks, or the rows of the last append if these are more.
    """

    def __init__(self, states: dict[str, State], max_padding: int | None = None) -> None:
        self.states = states
        self.max_padding = max_padding
        self.count = 0
        self.waiting = 0  # how many of the last rows are not folded yet
        self.ids: list[np.ndarray] = []
        self.additive = {n: s for n, s in states.items() if isinstance(s, AdditiveState)}
        self._folded = {name: s.empty() for name, s in states.items() if not s.ordered}
        self._ordered: dict[str, list[Rows]] = {n: [] for n, s in states.items() if s.ordered}
        self._chunks: list[dict[str, Rows]] = []  # of the folding states, in arrival order
        self._sizes: list[int] = []
        self._waiting_bytes = 0
        self._last = 0

    @property
    def trimmable(self) -> int:
        """How many of the last rows `size=` can drop."""
        return self.waiting if self._folded else self.count

    def check(
        self, rows: dict[str, Any], ids: Any = None, borrowed: Sequence[Any] = ()
    ) -> tuple[dict[str, Rows], int, np.ndarray | None]:
        """Return rows, their number and ids, ready to append; nothing is kept yet.

        Args:
            rows: By state name; every state, all of one length.
            ids: The samples' dataset indices, or None.
            borrowed: The caller's own arrays: rows that are one of these are copied.

        Raises:
            TypeError: Rows or ids of a wrong type.
            ValueError: Other states than declared, rows of different length or bad shape, ids
                that are negative or not one per row, or only some appends with ids.
        """
        if rows.keys() != self.states.keys():
            raise ValueError(f"rows() must return the states {[*self.states]}, got {[*rows]}")
        count = -1
        checked: dict[str, Rows] = {}
        for name, state in self.states.items():
            chunk: Any = state.check(name, rows[name])
            length = len(chunk)
            if count < 0:
                count, first = length, name
            elif length != count:
                raise ValueError(
                    f"the states {first!r} and {name!r} must have rows for the same samples, "
                    f"got {count} and {length}"
                )
            if isinstance(chunk, np.ndarray):
                # A view may look into the caller's batch, which the caller may overwrite.
                if chunk.base is not None or any(chunk is array for array in borrowed):
                    chunk = chunk.copy()
            elif not isinstance(chunk, list):
                chunk = chunk.copy()
            checked[name] = chunk
        if ids is not None:
            ids = arrays.as_integers(ids, "ids")
            if ids.shape != (count,):
                raise ValueError(
                    f"ids must hold one dataset index for each of the {count} samples, "
                    f"got shape {ids.shape}"
                )
            if count and ids.min() < 0:
                raise ValueError(f"ids must not be negative, got {ids.min()}")
            ids = ids.copy()
        if count and self.count and (ids is not None) != bool(self.ids):
            raise ValueError("either all add() calls of a metric pass ids= or none does")
        return checked, count, ids

    def append(self, checked: dict[str, Rows], count: int, ids: np.ndarray | None = None) -> None:
        """Keep rows that `check` returned."""
        if count == 0:
            return
        self.count += count
        self._last = count
        if ids is not None:
            self.ids.append(ids)
        folding = checked
        if self._ordered:
            folding = {}
            for name, chunk in checked.items():
                if name in self._ordered:
                    self._ordered[name].append(chunk)
                else:
                    folding[name] = chunk
        if folding:
            self._push(folding, count)
            if self._waiting_bytes > _BLOCK_BYTES and not self.ids:
                self._fold_early()

    def part(self, tail: int | None = None, kept: int | None = None) -> Part:
        """Return a snapshot of the rows, for an exchange.

        Args:
            tail: How many of the last rows to leave unfolded; None: as many as there are.
            kept: Only the first so many rows; None: all. The rows dropped must be trimmable.
        """
        count = self.count if kept is None else kept
        ordered = {name: join(self.states[name], c) for name, c in self._ordered.items()}
        if kept is not None:
            ordered = {name: take(rows, slice(0, kept)) for name, rows in ordered.items()}
        ids = np.concatenate(self.ids)[:count] if self.ids else None
        folded = {name: self.states[name].copy(value) for name, value in self._folded.items()}
        if not self._chunks:
            return Part(count, folded, {}, 0, ordered, ids)
        waiting = self.waiting - (self.count - count)
        tail_count = waiting if tail is None else min(tail, waiting)
        tails: dict[str, Rows] = {}
        for name in folded:
            rows = concatenate(chunk[name] for chunk in self._chunks)
            head = take(rows, slice(0, waiting - tail_count))
            if len(head):
                folded[name] = self.states[name].fold(folded[name], head)
            tails[name] = take(rows, slice(waiting - tail_count, waiting))
        return Part(count, folded, tails if tail_count else {}, tail_count, ordered, ids)

    def merge(self, other: Part) -> None:
        """Append another rank's rows (or a saved part) behind this store's.

        Raises:
            ValueError: One has ids and the other has none.
        """
        if other.count == 0:
            return
        if self.count and (other.ids is not None) != bool(self.ids):
            raise ValueError("parts with ids and parts without cannot be merged")
        if other.tail_count < other.count:
            self._fold_chunks(len(self._chunks))
            for name in self._folded:
                self._folded[name] = self.states[name].merge(
                    self._folded[name], self.states[name].copy(other.folded[name])
                )
        for name in self._ordered:
            self._ordered[name].append(other.ordered[name])
        if other.tail_count:
            self._push(dict(other.tail), other.tail_count)
            self._last = max(self._last, other.tail_count)
        if other.ids is not None:
            self.ids.append(other.ids)
        self.count += other.count

    def _push(self, chunks: dict[str, Rows], count: int) -> None:
        self._chunks.append(chunks)
        self._sizes.append(count)
        self.waiting += count
        self._waiting_bytes += _size(chunks)

    def _fold_early(self) -> None:
        keep = self.max_padding
        if keep is None:
            place = detect_launcher()
            keep = max(place.size if place else _RANKS, self._last)
        waiting, folds = self.waiting, 0
        while folds < len(self._sizes) and waiting - self._sizes[folds] >= keep:
            waiting -= self._sizes[folds]
            folds += 1
        self._fold_chunks(folds)

    def _fold_chunks(self, folds: int) -> None:
        """Fold the oldest so many chunks."""
        if folds == 0:
            return
        oldest = self._chunks[:folds]
        for name in self._folded:
            rows = concatenate(chunk[name] for chunk in oldest)
            self._folded[name] = self.states[name].fold(self._folded[name], rows)
        self.waiting -= sum(self._sizes[:folds])
        self._waiting_bytes -= sum(map(_size, oldest))
        del self._chunks[:folds], self._sizes[:folds]


def _size(chunks: dict[str, Rows]) -> int:
    return sum(chunk.nbytes for chunk in chunks.values())  # type: ignore[union-attr]
