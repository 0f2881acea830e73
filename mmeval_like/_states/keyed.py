"""The keyed state: it folds the rows of each slice, or of each cluster, separately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._base.keys import Key, in_order
from mmeval_like._base.warning import warn
from mmeval_like._exact.exact_sum import ExactSum
from mmeval_like._states.grouped.apart import ApartTable, by_code
from mmeval_like._states.grouped.counts import CountTable
from mmeval_like._states.grouped.key_table import Table
from mmeval_like._states.grouped.sums import ExactTable, ExtremumTable, IntTable
from mmeval_like._states.keyed_rows import KeyedRows, KeyIndex, keys_of_array, keys_to_array
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import Count, Extremum, FloatSum, GrowingCount, Hits, IntSum
from mmeval_like._states.kinds.tally import Tally
from mmeval_like._states.rows import concatenate, take
from mmeval_like._states.sample_groups import GROUPS
from mmeval_like.arrays.accelerator import DeviceArray, fetch, raise_faults

__all__ = ["ABSENT", "Folded", "Groups", "Keyed", "PerKey"]

# Bytes of rows to collect before a fold: each fold copies the table, and visits all keys in rows.
_BLOCK = 1 << 22

# A warning is issued from this many bytes of exact sums on, of all groups of all slices.
_LARGE = 1 << 30

ABSENT = "absent"
"""The reason of samples that nobody has added."""

# States whose folded values for all keys are arrays. Subclasses are not included, since they may
# fold differently.
_TABLES: dict[type[State], type[Table]] = {
    Count: CountTable,
    Extremum: ExtremumTable,
    GrowingCount: CountTable,
    Hits: IntTable,
    IntSum: IntTable,
    Tally: CountTable,
}


def _table_of(state: State) -> type[Table]:
    if isinstance(state, FloatSum):
        owners = [next(c for c in type(state).__mro__ if n in vars(c)) for n in ("fold", "pieces")]
        return ExactTable if owners[0] is owners[1] else ApartTable
    return _TABLES.get(type(state), ApartTable)


@dataclass
class Folded:
    """The folded values of every key.

    Attributes:
        cells: The keys. Copies share them, so that there may be more keys than in the table.
        table: The folded values, by the keys' numbers.
        seen: Whether each key of the table has rows, bool.
    """

    cells: KeyIndex
    table: Table
    seen: np.ndarray

    def used(self) -> list[Key]:
        """Return the keys that have rows, sorted."""
        numbers = np.flatnonzero(self.seen).tolist()
        return in_order(self.cells.keys[number] for number in numbers)

    def at(self, keys: Sequence[Key], places: np.ndarray, size: int, cells: KeyIndex) -> Folded:
        """Return the values of `size` keys of `cells`: those of `keys`, at these places."""
        numbers = [self.cells.number(key) for key in keys]
        known = np.array([n is not None and n < self.table.keys for n in numbers], bool)
        chosen = np.array([n for n, k in zip(numbers, known, strict=True) if k], np.int64)
        seen = np.zeros(size, bool)
        seen[places[known][self.seen[chosen]]] = True
        return Folded(cells, self.table.regrouped(chosen, places[known], size), seen)

    def grown(self, size: int) -> Folded:
        """Return the values of the first `size` keys of the same cells; new ones have no rows."""
        every, seen = np.arange(self.table.keys), np.zeros(size, bool)
        seen[: len(self.seen)] = self.seen
        return Folded(self.cells, self.table.regrouped(every, every, size), seen)


class Keyed(State):
    """A state whose rows are `KeyedRows`, folded for each key separately.

    The value of all rows is the merged value of all keys and is not stored separately. If the inner
    state depends on the order of its rows, all rows are kept with their keys.

    Args:
        inner: The state of one key.
        grouped: Whether the last entry of a key is the group of a sample, not a cluster.
        reason: The place in the keys of the reason why a sample has no score; None: no place.
        filled: The row, (1, ...), of a sample without a score that nobody has added; None: unknown.
    """

    block = _BLOCK

    def __init__(
        self, inner: State, grouped: bool = False, reason: int | None = None, filled: Any = None
    ) -> None:
        self.inner, self.grouped = inner, grouped
        self._reason, self._filled = reason, filled
        self._table = _table_of(inner)
        commutes = inner.additive or isinstance(inner, Extremum | GrowingCount | Tally)
        self.ordered = inner.ordered or not commutes
        self.counts_last = inner.counts_last

    @property
    def commutes(self) -> bool:
        """Whether the state of one key commutes: its rows may be kept with their keys."""
        return self.inner.commutes

    def __repr__(self) -> str:
        return f"{'grouped' if self.grouped else 'keyed'}({self.inner!r})"

    def check(self, name: str, rows: Any) -> Any:
        if not isinstance(rows, KeyedRows):  # read from a file
            raise ValueError(f"the rows of {name!r} do not say which slice they belong to")
        if len(rows) == 0 and len(rows.rows) == 0:
            return self._no_rows()
        checked: Any = self.inner.check(name, rows.rows)
        if len(checked) != len(rows):
            raise ValueError(
                f"{rows.cells.called} must have a value for each of the {len(checked)} samples, "
                f"got {len(rows)}"
            )
        if type(checked) is DeviceArray:
            raise_faults(checked.checks)
        return KeyedRows(rows.cells, rows.codes, fetch(checked))

    def blank(self, count: int) -> Any:
        return self.inner.blank(count)

    def unscored(self, rows: Any) -> np.ndarray | None:
        if self._reason is None:
            return self.inner.unscored(rows.rows)
        reasons = [key[self._reason] for key in rows.cells.keys]
        places = {why: at for at, why in enumerate(sorted({*reasons} - {None}), 1)}
        of_keys = np.array([places.get(why, 0) for why in reasons], np.int64)
        found: np.ndarray = of_keys[rows.codes]
        return found

    def absent(self, rows: Any, count: int) -> Any:
        again = np.zeros(count, np.int64)
        width = max(map(len, rows.cells.keys), default=(self._reason or 0) + 1)
        if self._reason is None:
            inside = self.inner.absent(rows.rows, count)
        elif self._filled is None:
            raise ValueError(
                f"{count} samples were added by no rank, and their labels are unknown: pass these "
                f"to add_unscored(ids=...), which counts the samples with their labels"
            )
        else:
            inside = take(self._filled, again)
        key = tuple([ABSENT if place == self._reason else None for place in range(width)])
        return KeyedRows(KeyIndex([key]), again, inside)

    def empty(self) -> Any:
        if self.ordered:
            return self._no_rows()
        return Folded(KeyIndex(), self._table(self.inner), np.zeros(0, bool))

    def fold(self, folded: Folded, rows: Any) -> Folded:
        return self.fold_pieces(folded, [rows])

    def fold_pieces(self, folded: Folded, pieces: Sequence[Any]) -> Folded:
        codes = _numbers(folded.cells, pieces)
        if len(codes):
            self._warn_of_memory(folded.table.keys, len(folded.cells.keys))
            folded.table.fold(
                codes, concatenate([rows.rows for rows in pieces]), len(folded.cells.keys)
            )
            more = folded.table.keys - len(folded.seen)
            folded.seen = np.concatenate([folded.seen, np.zeros(more, bool)])
            folded.seen[codes] = True
        return folded

    def _warn_of_memory(self, before: int, keys: int) -> None:
        """Warn before the sums of all groups of very many slices are allocated."""
        if not self.grouped or not isinstance(self.inner, FloatSum):
            return
        each = 8 * ExactSum.dense_size(self.inner.shape)
        if before * each <= _LARGE < keys * each:
            warn(
                f"the intervals of slices keep {keys} sums of {each} bytes on this rank, at least "
                f"{keys * each / 2**30:.1f} GiB, for up to {GROUPS} groups of samples in each "
                f"slice: leave out interval=, or use fewer slices",
                RuntimeWarning,
            )

    def merge(self, folded: Folded, other: Folded) -> Folded:
        mine, others, cells = self._aligned(folded, other)
        seen = mine.seen | others.seen
        return Folded(cells, mine.table.plus(others.table), seen)

    def subtract(self, folded: Folded, other: Folded) -> Folded:
        mine, others, cells = self._aligned(folded, other)
        return Folded(cells, mine.table.minus(others.table), mine.seen | others.seen)

    def _aligned(self, folded: Folded, other: Folded) -> tuple[Folded, Folded, KeyIndex]:
        """Return both values with the same keys in the same order, and these keys."""
        if folded.cells is other.cells:  # a key has the same number in both
            size = max(folded.table.keys, other.table.keys)
            return folded.grown(size), other.grown(size), folded.cells
        both = [(one, one.cells.keys[: one.table.keys]) for one in (folded, other)]
        cells = KeyIndex()
        placed = [(one, keys, cells.numbers(keys)) for one, keys in both]
        size = len(cells.keys)
        mine, others = (one.at(keys, places, size, cells) for one, keys, places in placed)
        return mine, others, cells

    def copy(self, folded: Folded) -> Folded:
        return Folded(folded.cells, folded.table.copy(), folded.seen.copy())

    def value(self, folded: Any) -> PerKey:
        return PerKey(self, folded)

    def to_arrays(self, folded: Folded) -> dict[str, np.ndarray]:
        keys = folded.used()
        found = folded.at(keys, np.arange(len(keys)), len(keys), folded.cells)
        return {"keys": keys_to_array(keys), **found.table.to_arrays()}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> Folded:
        keys = keys_of_array(found["keys"])
        cells = KeyIndex(keys)
        if len(cells.keys) < len(keys):
            raise ValueError("every key must have one value")
        table = self._table(self.inner, len(keys))
        table.set_arrays({name: array for name, array in found.items() if name != "keys"})
        return Folded(cells, table, np.ones(len(keys), bool))

    def of_each(
        self, found: Mapping[str, np.ndarray], cells: KeyIndex, codes: np.ndarray
    ) -> Folded:
        """Return the folded value of several values of the inner state, each with its key.

        Args:
            found: The arrays of the inner state's values, with these on one more axis, the first.
            cells: The keys.
            codes: The number of the key of each value, int64 (n,).
        """
        table = self._table(self.inner, len(codes))
        table.set_each(found)
        size = len(cells.keys)
        seen = np.zeros(size, bool)
        seen[codes] = True
        return Folded(cells, table.regrouped(np.arange(len(codes)), codes, size), seen)

    def _no_rows(self) -> KeyedRows:
        return KeyedRows(
            KeyIndex(), np.empty(0, np.int64), self.inner.empty() if self.inner.ordered else []
        )


def _numbers(cells: KeyIndex, pieces: Sequence[KeyedRows]) -> np.ndarray:
    """Return the number of every row's key; keys that are new to the cells get the next numbers."""
    integers = [rows.cells.integers for rows in pieces]
    known = [each for each in integers if each is not None]
    if len(pieces) == 1 or len(known) < len(pieces):
        return np.concatenate([cells.numbers(rows.cells.keys)[rows.codes] for rows in pieces])
    # Each integer of all pieces is looked up once.
    used, places = np.unique(np.concatenate(known), return_inverse=True)
    numbers = cells.numbers([(value,) for value in used.tolist()])[places.reshape(-1)]
    starts = np.cumsum([0, *map(len, known)]).tolist()
    pairs = zip(starts[:-1], pieces, strict=True)
    return np.concatenate([numbers[rows.codes + start] for start, rows in pairs])


@dataclass(frozen=True)
class PerKey:
    """The values of a state by key, as results contain them.

    Attributes:
        state: The keyed state.
        folded: Its folded value, or its rows if the state keeps them.
    """

    state: Keyed
    folded: Any

    def keys(self) -> list[Key]:
        """Return the keys that have rows, sorted."""
        if not self.state.ordered:
            return self.folded.used()  # type: ignore[no-any-return]
        used = np.unique(self.folded.codes).tolist()
        return in_order(self.folded.cells.keys[number] for number in used)

    def groups(self, keys: Sequence[Key], places: np.ndarray, size: int) -> Groups:
        """Return the values of groups of keys.

        Args:
            keys: The keys that are in a group.
            places: The group of each key.
            size: The number of groups.
        """
        return Groups(self, keys, places, size)


class Groups:
    """The values of a state for groups of keys.

    Args:
        values: The values by key.
        keys: The keys that are in a group.
        places: The group of each key.
        size: The number of groups.
    """

    def __init__(self, values: PerKey, keys: Sequence[Key], places: np.ndarray, size: int) -> None:
        self._state, self.inner = values.state, values.state.inner
        if not self._state.ordered:
            self.table = values.folded.at(keys, places, size, KeyIndex()).table
            return
        self._rows = values.folded.rows
        group_of = dict(zip(keys, places.tolist(), strict=True))
        numbers = [group_of.get(key, -1) for key in values.folded.cells.keys]
        # The group of every row; -1 if the row is in no group.
        self._group = np.array(numbers, np.int64)[values.folded.codes]
        self._places = {g: which for g, which in by_code(self._group) if g >= 0}

    def one(self, group: int) -> Any:
        """Return the inner state's folded value of a group, or its rows."""
        if not self._state.ordered:
            return self.table.one(group)
        return self._folded(self._places.get(group, np.empty(0, np.int64)))

    def without(self, whole: Any, members: np.ndarray) -> Any:
        """Return the inner state's folded value of all groups except some, or their rows.

        Args:
            whole: The folded value of all groups.
            members: The groups that are left out.

        Raises:
            TypeError: The state cannot be subtracted.
        """
        if isinstance(self.inner, Extremum):  # which cannot be subtracted
            others = np.delete(np.arange(self.table.keys), members)
            return self.table.total(others)
        if not self._state.ordered:
            left = self.table.one(int(members[0])) if len(members) == 1 else None
            return self.inner.subtract(whole, self.table.total(members) if left is None else left)
        return self._folded(np.flatnonzero((self._group >= 0) & ~np.isin(self._group, members)))

    def _folded(self, which: np.ndarray) -> Any:
        rows = take(self._rows, which)
        if len(rows) == 0:
            return self.inner.empty()
        rows = rows.copy()  # `compute_metric` may change the rows in place
        return rows if self.inner.ordered else self.inner.fold(self.inner.empty(), rows)
