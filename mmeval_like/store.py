"""One rank's rows of one statistic: append, fold early, keep the tail, cut parts to send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from mmeval_like import arrays
from mmeval_like._ordered_states import join
from mmeval_like._state_base import FEW, AdditiveState, State
from mmeval_like.accelerator import DeviceArray, fetch, is_device, raise_faults
from mmeval_like.exactly_once import check_ids
from mmeval_like.launchers import detect_launcher
from mmeval_like.parts import Part
from mmeval_like.results import Results
from mmeval_like.rows import Rows, concatenate, take

__all__ = ["Batch", "Store"]

# On an accelerator more may wait than the states ask for: few launches, and few fetches.
_DEVICE_BLOCK_BYTES = 8 << 20
_CHUNK_BYTES = 64  # what an array costs beside its numbers: batches may be single samples

# The number of ranks to expect where no launcher tells it (processes that a program spawned).
_RANKS = 64

_NO_RESULTS = Results({}, 0)

# How many rows, the rows by state, and the memory of these.
Chunk: TypeAlias = "tuple[int, dict[str, Rows], int]"
# One `add`: its rows, their ids, and what an accelerator found wrong.
Batch: TypeAlias = "tuple[Chunk, np.ndarray | None, dict[str, Any] | None]"


class Store:
    """One rank's rows of one statistic.

    Args:
        states: The statistic's states by name.
        max_padding: How many of the last rows stay unfolded, so that `size=` can drop them;
            None keeps what samplers of single samples and of contiguous shards can pad: the
            number of ranks, or the rows of the last append if these are more.

    Raises:
        ValueError: A state's name hides an attribute of `Results`.
    """

    def __init__(self, states: dict[str, State], max_padding: int | None = None) -> None:
        taken = [name for name in states if hasattr(_NO_RESULTS, name)]
        if taken:
            raise ValueError(f"states must not be named as what `Results` has itself: {taken}")
        self.states = states
        self.max_padding = max_padding
        self.count = 0
        self.ids: list[np.ndarray] = []
        self.additive = {n: s for n, s in states.items() if isinstance(s, AdditiveState)}
        self.adds_up = len(self.additive) == len(states)
        # The oldest chunks are folded, or, where every row is needed, joined to blocks.
        self._chunks: list[Chunk] = []
        self._chunk_bytes = 0
        self._block = sum(state.block for state in states.values())
        self._limit = self._block
        self._folded = {name: s.empty() for name, s in states.items() if not s.ordered}
        self._folded_count = 0
        self._blocks: dict[str, list[Rows]] = {name: [] for name in states}
        self._last = 0
        self._faults: dict[str, Any] = {}  # how many rows on an accelerator broke which rule

    @property
    def waiting(self) -> int:
        """How many of the last rows are not folded: `size=` can drop so many."""
        return self.count - self._folded_count

    def check(
        self, rows: Mapping[str, Any], ids: Any = None, borrowed: Sequence[Any] = ()
    ) -> Batch:
        """Return a batch that is ready to append; nothing is kept yet.

        Args:
            rows: By state name; every state, all of one length.
            ids: The samples' dataset indices, or None.
            borrowed: The caller's own arrays: rows that are one of these are copied.

        Raises:
            TypeError: Rows or ids of a wrong type.
            ValueError: Other states than declared, rows of different length or bad shape, ids
                that are negative or not one per row, or only some appends with ids.
        """
        try:
            names = rows.keys()
        except AttributeError:
            text = f"rows() must return a dict of states, got {arrays.describe(rows)}"
            raise TypeError(text) from None
        if names != self.states.keys():
            raise ValueError(f"rows() must return the states {[*self.states]}, got {[*rows]}")
        count, size = -1, _CHUNK_BYTES
        checked: dict[str, Rows] = {}
        faults: dict[str, Any] | None = None
        for name, state in self.states.items():
            chunk: Any = state.check(name, rows[name])
            if count < 0:
                count, first = len(chunk), name
            elif len(chunk) != count:
                raise ValueError(
                    f"the states {first!r} and {name!r} must have rows for the same samples, "
                    f"got {count} and {len(chunk)}"
                )
            if type(chunk) is np.ndarray:
                # A view may look into the caller's batch, which the caller may overwrite.
                own = chunk.base is None
                for array in borrowed:
                    own = own and array is not chunk
                if not own:
                    chunk = chunk.copy()
                size += chunk.nbytes
            else:
                if type(chunk) is DeviceArray:
                    faults = chunk.checks
                if type(chunk) is not list:
                    chunk = chunk.copy()
                size += _size(chunk)
            checked[name] = chunk
        if ids is None:
            mixed = bool(self.ids)
        else:
            ids = check_ids(ids, count)
            mixed = self.count > 0 and not self.ids
        if mixed and count:
            raise ValueError("either all add() calls of a metric pass ids= or none does")
        return (count, checked, size), ids, faults

    def append(self, batch: Batch) -> None:
        """Keep rows that `check` returned."""
        chunk, ids, faults = batch
        count = chunk[0]
        if count == 0:
            return
        if ids is not None:
            self.ids.append(ids)
        if faults:
            for text, number in faults.items():
                self._faults[text] = self._faults.get(text, 0) + number
        self._last = count
        self._push(chunk)
        if self._chunk_bytes > self._limit:
            self._settle_early()

    def tail_count(self, wanted: int | None) -> int:
        """Return how many of the last rows a `part` has one by one; as it, None: all that wait."""
        if wanted is None or self.ids or not self._folded:
            return self.waiting
        return min(wanted, self.waiting)

    def part(self, tail: int | None = None) -> Part:
        """Return a snapshot of the rows, for an exchange.

        Args:
            tail: How many of the last rows to leave unfolded; None: as many as there are, which
                is so in any case where rows have ids.

        Raises:
            ValueError: Rows that were added on an accelerator had bad values.
        """
        if self._faults:
            raise_faults(self._faults)
        waiting, tail_count = self.waiting, self.tail_count(tail) if self._folded else 0
        part = Part(self.count, {}, {}, tail_count, {}, None)
        if self.ids:
            part.ids = np.concatenate(self.ids)
        for name, state in self.states.items():
            if state.ordered:
                part.ordered[name] = join(state, self._pieces(name))
                continue
            part.folded[name] = self._folded_up_to(name, state, waiting - tail_count)
            if tail_count:
                tail_rows = take(
                    concatenate(self._pieces(name)), slice(waiting - tail_count, waiting)
                )
                part.tail[name] = fetch(tail_rows)
        return part

    def vectors(self, kept: int | None = None) -> list[np.ndarray]:
        """Return the folded states, if all are additive, as vectors of int64.

        Args:
            kept: Of only the first so many rows; None: all. Those dropped must be waiting.

        Raises:
            ValueError: As in `part`.
        """
        if self._faults:
            raise_faults(self._faults)
        waiting = (self.count if kept is None else kept) - self._folded_count
        vectors = []
        for name, state in self.additive.items():
            vectors.append(state.to_dense(self._folded_up_to(name, state, waiting)))
        return vectors

    def _folded_up_to(self, name: str, state: State, number: int) -> Any:
        """The folded value with so many of the rows that wait, on the host."""
        folded = state.copy(self._folded[name])
        if number:
            pieces = self._pieces(name)
            if number < self.waiting:
                pieces = [take(concatenate(pieces), slice(0, number))]
            folded = state.fold_pieces(folded, pieces)
        return fetch(folded)

    def _pieces(self, name: str) -> list[Rows]:
        pieces = self._blocks[name].copy()
        for _, rows, _ in self._chunks:
            pieces.append(rows[name])
        return pieces

    def merge(self, other: Part) -> None:
        """Append another rank's rows (or a saved part) behind this store's.

        Raises:
            ValueError: One has ids and the other has none.
        """
        if other.count == 0:
            return
        if self.count and (other.ids is not None) != bool(self.ids):
            raise ValueError("parts with ids and parts without cannot be merged")
        head = other.count - other.tail_count
        if head:  # nothing that waits may come before what is folded
            self._settle(len(self._chunks))
            self.count += head
            self._folded_count += head if self._folded else 0
            for name, state in self.states.items():
                if state.ordered:
                    self._blocks[name].append(take(other.ordered[name], slice(0, head)))
                else:
                    theirs = state.copy(other.folded[name])
                    self._folded[name] = state.merge(self._folded[name], theirs)
        if other.tail_count:
            behind = slice(head, other.count)
            ordered = {name: take(rows, behind) for name, rows in other.ordered.items()}
            self._last = max(self._last, other.tail_count)
            rows = {**other.tail, **ordered}
            self._push((other.tail_count, rows, _CHUNK_BYTES + sum(map(_size, rows.values()))))
        if other.ids is not None:
            self.ids.append(other.ids)
        if self._chunk_bytes > self._limit:
            self._settle_early()

    def _push(self, chunk: Chunk) -> None:
        self._chunks.append(chunk)
        self._chunk_bytes += chunk[2]
        self.count += chunk[0]

    def _settle_early(self) -> None:
        """Settle the oldest chunks, but for those that padding can reach."""
        block = self._block
        if _on_device(self._chunks[-1][1]):
            block = max(block, _DEVICE_BLOCK_BYTES)
        if self._chunk_bytes < block:
            self._limit = block
            return
        self._settle_unreachable()
        self._limit = self._chunk_bytes + block

    def fold(self) -> None:
        """Fold rows that padding cannot reach, if many wait: the next part need not fold them."""
        if self._folded and len(self._chunks) > FEW:
            self._settle_unreachable()

    def _settle_unreachable(self) -> None:
        keep, left, number = self._reachable(), self.waiting, 0
        for count, _, _ in self._chunks:
            left -= count
            if left < keep:
                break
            number += 1
        self._settle(number)

    def _reachable(self) -> int:
        if self.ids or not self._folded:
            return 0
        if self.max_padding is not None:
            return self.max_padding
        return max(_expected_ranks(), self._last)

    def _settle(self, number: int) -> None:
        """Fold the oldest so many chunks; join them where every row is needed."""
        if number == 0:
            return
        oldest = self._chunks[:number]
        if self.ids:  # blocks, then one array for each chunk
            start = len(self.ids) - len(self._chunks)
            self.ids[start : start + number] = [np.concatenate(self.ids[start : start + number])]
        del self._chunks[:number]
        self._chunk_bytes -= sum([size for _, _, size in oldest])
        for name, state in self.states.items():
            pieces = [chunks[name] for _, chunks, _ in oldest]
            if state.ordered or self.ids:
                self._blocks[name].append(concatenate(pieces))
            else:
                self._folded[name] = state.fold_pieces(self._folded[name], pieces)
        if self._folded and not self.ids:
            self._folded_count += sum([count for count, _, _ in oldest])


def _size(rows: Rows) -> int:
    return 8 * len(rows) if isinstance(rows, list) else rows.nbytes


def _on_device(rows: Mapping[str, Rows]) -> bool:
    return any(map(is_device, rows.values()))


@cache  # asked at every fold; the launcher does not change
def _expected_ranks() -> int:
    place = detect_launcher()
    return place.size if place else _RANKS
