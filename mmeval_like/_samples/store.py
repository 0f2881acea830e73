"""One rank's rows of one statistic: append, fold early, keep the tail, cut parts to send."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from mmeval_like._base.warning import warn
from mmeval_like._samples.backlog import Backlog
from mmeval_like._samples.checked_rows import CheckedRows
from mmeval_like._samples.ids import NO_IDS, kind_of
from mmeval_like._samples.locked import give_lock
from mmeval_like._samples.padding import expected_padding, usual_padding
from mmeval_like._samples.parts import Part
from mmeval_like._samples.rows_digest import RowsDigest
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.ordered import join
from mmeval_like._states.layout import Layout
from mmeval_like._states.results import check_number, check_state_names
from mmeval_like._states.rows import concatenate, take
from mmeval_like.arrays.accelerator import fetch, is_device, raise_faults

__all__ = ["Store"]

_FEW = 8  # At most this many batches may wait: folding them again at every compute costs little.


class Store:
    """One rank's rows of one statistic.

    Args:
        states: The statistic's states by name.
        max_padding: How many of the last rows `size=` can drop, and so stay unfolded; None:
            the number of ranks minus 1, for all ranks together.
        clustered: The states for samples with `clusters=`; None: the same states.

    Raises:
        ValueError: A state's name cannot be an attribute of `Results`.

    Attributes:
        states: The states of the samples so far.
        clustered: Whether these samples have `clusters=`.
    """

    lock: Any

    def __init__(
        self,
        states: dict[str, State],
        max_padding: int | None = None,
        clustered: dict[str, State] | None = None,
    ) -> None:
        check_state_names(states)
        self._plain, self._clustered = states, states if clustered is None else clustered
        self.max_padding = max_padding
        self.count = 0
        self.kind_of_ids = NO_IDS
        self.sample = RowsDigest()
        self._begin(False)
        self._folded_count = 0
        # Several threads may add rows; hold the lock to read more than one attribute.
        give_lock(self)
        self._ids_from_0, self._told_ids = 0, False
        self._faults: dict[str, Any] = {}  # for each rule, how many rows on an accelerator broke it

    def _begin(self, clustered: bool) -> None:
        """Prepare for the first samples."""
        self.clustered, self.states = clustered, self.states_of(clustered)
        self.additive = all(state.additive for state in self.states.values())
        self.backlog = Backlog(sum(state.block for state in self.states.values()))
        self._folded = {name: s.empty() for name, s in self.states.items() if not s.ordered}

    def states_of(self, clustered: bool) -> dict[str, State]:
        """Return the states of samples with or without `clusters=`."""
        return self._clustered if clustered else self._plain

    def part_of(self, found: Mapping[str, Any]) -> Part:
        """Return the part that `Part.to_dict` wrote for such a store; it raises the same errors."""
        return Part.from_dict(self._plain, found, self._clustered)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        give_lock(self)

    def contents(self) -> Store:
        """Return the store itself; for a window, this method makes a store of its rows."""
        return self

    def snapshot(self) -> Store:
        """Return a store of the same rows, which does not change when this one does."""
        with self.lock:
            twin = object.__new__(Store)
            twin.__setstate__(self.__dict__)
            twin.backlog = self.backlog.snapshot()
            twin._folded, twin._faults = self._folded.copy(), self._faults.copy()
            return twin

    def mark(self) -> Any:
        """Return what `restore` needs; hold the lock until then."""
        # Not a copy of `__dict__`: Python reads attributes more slowly once that was looked at.
        return (
            (self.clustered, self.states, self.additive),
            (self.count, self.kind_of_ids, self._faults, self.sample),
            (self._folded, self._folded_count),
            (self.backlog, self.backlog.mark()),
        )

    def restore(self, mark: Any) -> None:
        """Undo all changes since `mark`."""
        begun, added, folded, (self.backlog, backlog) = mark
        self.clustered, self.states, self.additive = begun
        self.count, self.kind_of_ids, self._faults, self.sample = added
        self._folded, self._folded_count = folded
        self.backlog.restore(backlog)

    @property
    def with_ids(self) -> bool:
        """Whether the rows have ids."""
        return self.kind_of_ids != NO_IDS

    @property
    def waiting(self) -> int:
        """The number of last rows that are not folded."""
        return self.count - self._folded_count

    @property
    def droppable(self) -> int:
        """The number of last rows that `size=` can drop."""
        if self.max_padding is None:
            return self.waiting
        return min(self.waiting, self.max_padding)

    def padding(self, ranks: int) -> int:
        """Return how many rows of all ranks together may be padding."""
        if self.max_padding is None:
            return usual_padding(ranks)
        return self.max_padding * ranks

    def check(
        self, rows: Mapping[str, Any], ids: Any = None, clustered: bool = False
    ) -> CheckedRows:
        """Return a batch that is ready to append; nothing is kept or copied yet.

        Args:
            rows: The rows of every state, by name, all of the same length.
            ids: The samples' ids, dataset indices or strings, or None.
            clustered: Whether the samples have `clusters=`.

        Raises:
            TypeError, ValueError: `CheckedRows.of` rejects the rows, or only some appends have ids.
        """
        batch = CheckedRows.of(self._clustered if clustered else self._plain, rows, ids, clustered)
        if batch.kind_of_ids != self.kind_of_ids or batch.clustered != self.clustered:
            self._refuse_mixed(batch)
        return batch

    def append(self, batch: CheckedRows) -> None:
        """Keep rows that `check` returned; they are copied, or folded at once.

        If it ends with any exception, an interrupt included, the store is as before.

        Raises:
            ValueError: Meanwhile another thread appended the first rows, with other ids or none.
        """
        if batch.count == 0:
            return
        with self.lock:
            if batch.kind_of_ids != self.kind_of_ids or batch.clustered != self.clustered:
                self._refuse_mixed(batch)
            before = self.mark()
            try:
                if not self.count and batch.clustered != self.clustered:
                    self._begin(batch.clustered)
                rest = batch
                if not batch.own:
                    rest = self._without_head(batch)
                    rest.own_rows(self.states)
                if batch.faults:
                    known = {text: self._faults.get(text, 0) for text in batch.faults}
                    found = {text: known[text] + number for text, number in batch.faults.items()}
                    self._faults = self._faults | found
                if self.sample.wanted:
                    self.sample = self.sample.with_rows(batch.count, batch.rows)
                if rest.count:
                    self._push(rest)
            except BaseException:
                self.restore(before)
                raise
            self._look_at_ids(batch.ids)

    def _look_at_ids(self, ids: np.ndarray | None) -> None:
        """Warn once if the ids of two batches in a row are 0, 1, ...: they are places in these.

        A second batch that is shorter may be padding.
        """
        before, self._ids_from_0 = self._ids_from_0, 0
        if ids is not None and np.array_equal(ids, np.arange(len(ids))):
            self._ids_from_0 = len(ids)
        if 0 < before <= self._ids_from_0 and not self._told_ids:
            self._told_ids = True
            warn(
                "the ids of two batches in a row are 0, 1, 2 and so on, so samples of the second "
                "do not count: ids must be places in the dataset, not in the batch, and a second "
                "evaluation needs reset()"
            )

    def _without_head(self, batch: CheckedRows) -> CheckedRows:
        """Fold the rows of a large batch that padding cannot reach, and return the others."""
        head = batch.count - self._reachable()
        if head <= 0 or not self.additive or batch.ids is not None:
            return batch
        if any(map(is_device, batch.rows.values())):
            return batch
        self._settle(len(self.backlog.batches))
        first = batch.part(0, head)
        self._folded = {
            name: state.fold_pieces(state.copy(self._folded[name]), [first.rows[name]])
            for name, state in self.states.items()
        }
        self.count += head
        self._folded_count += head
        return batch.part(head, batch.count)

    def _reachable(self) -> int:
        """Return how many of the last rows may be padding."""
        return expected_padding() if self.max_padding is None else self.max_padding

    def _refuse_mixed(self, batch: CheckedRows) -> None:
        if self.count and batch.count:
            batch.refuse_others(self.kind_of_ids, self.clustered)

    def tail_count(self, wanted: int | None) -> int:
        """Return how many of the last rows `part(wanted)` leaves unfolded."""
        if wanted is None or self.with_ids or not self._folded:
            return self.waiting
        return min(wanted, self.waiting)

    def part(self, tail: int | None = None) -> Part:
        """Return a snapshot of the rows, for an exchange.

        Args:
            tail: How many of the last rows to leave unfolded; None: all that are not folded yet.
                Rows with ids are always left unfolded.

        Raises:
            ValueError: Rows that were added on an accelerator had bad values.
        """
        with self.lock:
            if self._faults:
                raise_faults(self._faults)
            waiting, tail_count = self.count - self._folded_count, 0
            if tail != 0 or self.kind_of_ids != NO_IDS:
                tail_count = self.tail_count(tail) if self._folded else 0
            part = Part(self.count, {}, {}, tail_count, {}, None, self.clustered)
            if self.kind_of_ids != NO_IDS:
                part.ids = np.concatenate(self.backlog.ids())
            for name, state in self.states.items():
                if state.ordered:
                    part.ordered[name] = join(state, self.backlog.rows(name))
                    continue
                part.folded[name] = self._folded_up_to(name, state, waiting - tail_count)
                if tail_count:
                    tail_rows = take(
                        concatenate(self.backlog.rows(name)), slice(waiting - tail_count, waiting)
                    )
                    part.tail[name] = fetch(tail_rows)
            return part

    @cached_property
    def layout(self) -> Layout:
        """The layout of the additive states in a vector, for samples without clusters."""
        return Layout(self._plain)

    def vector(self, kept: int | None = None, out: np.ndarray | None = None) -> np.ndarray:
        """Return the folded states, which are additive, as one vector of int64.

        Args:
            kept: Count only this many of the first rows; None: all. The others must be waiting.
            out: The memory for the vector; None: any.

        Raises:
            ValueError: As for `part`.
        """
        if self._faults:
            raise_faults(self._faults)
        waiting = (self.count if kept is None else kept) - self._folded_count
        folded = {}
        for name, state in self.states.items():
            folded[name] = self._folded_up_to(name, state, waiting)
        return self.layout.pack(folded, out)

    def _folded_up_to(self, name: str, state: State, number: int) -> Any:
        """Return the folded value with this many of the waiting rows, on the host."""
        folded = self._folded[name]
        if type(state).compact is not State.compact:
            folded = self._folded[name] = state.compact(folded)
        if number:
            pieces = self.backlog.rows(name)
            if number < self.count - self._folded_count:
                pieces = [take(concatenate(pieces), slice(0, number))]
            folded = state.fold_pieces(state.copy(folded), pieces)
        else:
            folded = state.copy(folded)
        return fetch(folded) if state.on_accelerator else folded

    def refuse_others(self, other: Part) -> None:
        """Refuse rows that cannot follow these.

        Raises:
            ValueError: Only one of them has ids or clusters, or their ids differ in kind.
            OverflowError: Both together are too many.
        """
        check_number(self.count + other.count)
        if self.count and other.count:
            other.refuse_others(self.kind_of_ids, self.clustered)

    def merge(self, other: Part) -> None:
        """Append another rank's rows (or a saved part) after the rows of this store.

        Raises:
            ValueError: As for `refuse_others`.
        """
        if other.count == 0:
            return
        with self.lock:
            self._merge(other)

    def _merge(self, other: Part) -> None:
        if self.count:
            other.refuse_others(self.kind_of_ids, self.clustered)
        if other.clustered != self.clustered:
            self._begin(other.clustered)
        head = other.count - other.tail_count  # with ids, either no row or all of them
        if head:  # waiting rows may not come before folded rows
            self._settle(len(self.backlog.batches))
            self.count += head
            self.kind_of_ids = kind_of(other.ids)
            self._folded_count += head if self._folded else 0
            before = slice(0, head)
            ordered = {name: take(rows, before) for name, rows in other.ordered.items()}
            self.backlog.add_block(CheckedRows.of_part(head, ordered, other.ids, self.clustered))
            merged = {}
            for name, folded in other.folded.items():
                state = self.states[name]
                mine = state.copy(self._folded[name])  # a snapshot may share it
                merged[name] = state.merge(mine, state.copy(folded))
            self._folded = self._folded | merged
        if other.tail_count:
            behind = slice(head, other.count)
            ordered = {name: take(rows, behind) for name, rows in other.ordered.items()}
            rows = {**other.tail, **ordered}
            self._push(CheckedRows.of_part(other.tail_count, rows, other.ids, self.clustered))

    def replace(self, count: int, folded: dict[str, Any]) -> None:
        """Replace all rows by these folded values of `count` rows."""
        self.count = self._folded_count = count
        self._folded, self.backlog = folded, Backlog(self.backlog.block)

    def _push(self, batch: CheckedRows) -> None:
        self.count += batch.count
        self.kind_of_ids = batch.kind_of_ids
        if self.backlog.push(batch):
            self._settle_unreachable()

    def fold(self) -> None:
        """Fold rows that padding cannot reach, if many wait, so that the next `part` is quick."""
        if self._folded and len(self.backlog.batches) > _FEW:
            self._settle_unreachable()

    def _settle_unreachable(self) -> None:
        reachable = 0
        if self._folded and not self.with_ids:
            reachable = self._reachable()
        self._settle(self.backlog.before(reachable))

    def _settle(self, number: int) -> None:
        """Fold the oldest `number` batches; join them for states that need every row."""
        if number == 0:
            return
        oldest = self.backlog.batches[:number]
        joined, folded = {}, {}
        for name, state in self.states.items():
            pieces = [batch.rows[name] for batch in oldest]
            if state.ordered or self.with_ids:
                joined[name] = concatenate(pieces)
            else:
                folded[name] = state.fold_pieces(state.copy(self._folded[name]), pieces)
        ids = [batch.ids for batch in oldest if batch.ids is not None]
        count = sum([batch.count for batch in oldest])
        block = CheckedRows.of_part(count, joined, np.concatenate(ids) if ids else None)
        backlog, all_folded = self.backlog.settled(number, block), self._folded | folded
        # The store changes only here. Python handles no signal between assignments, so that no
        # row is lost or counted twice when a state cannot fold, or when a signal interrupts it.
        self.backlog, self._folded = backlog, all_folded
        self._folded_count += count if folded else 0
