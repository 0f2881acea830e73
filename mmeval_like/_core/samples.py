"""Samples: the samples of one rank, for each slot of an evaluation."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from mmeval_like._base.blame import name_member
from mmeval_like._core.arithmetic import difference
from mmeval_like._core.batch import Batch
from mmeval_like._core.ring import Ring
from mmeval_like._core.slot import By, Shape, Slot
from mmeval_like._samples.checked_rows import CheckedRows
from mmeval_like._samples.locked import locked
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.clusters import tagged
from mmeval_like._states.keyed_rows import KeyedRows
from mmeval_like._states.sample_groups import sample_groups, with_groups
from mmeval_like._states.statistic import Statistic

__all__ = ["Samples"]

T = TypeVar("T")


class Samples:
    """The samples of one rank: a store for each slot.

    Attributes:
        shapes: The shape of each slot.
        kept: The samples of each slot.
        aside: By name, values that are saved with the samples and never sent. They have the
            methods `plus` and `minus`.
    """

    def __init__(self, shapes: Sequence[Shape], kept: Sequence[Store | Ring]) -> None:
        self.shapes, self.kept = shapes, kept
        self._windows = Ring in map(type, kept)
        self._share_lock()
        self.aside: dict[str, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return vars(self.snapshot())  # of one moment, whatever other threads add meanwhile

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._share_lock()

    def _share_lock(self) -> None:
        """Let all stores share one lock, so that all are locked at once."""
        for one in self.kept[1:]:
            one.lock = self.kept[0].lock

    @classmethod
    def of(
        cls, slots: Sequence[Slot], keep: int | None = None, windows_forget: bool = True
    ) -> Samples:
        """Return empty samples for these slots.

        Args:
            slots: The slots.
            keep: The number of last rows that stay unfolded; None: the `max_padding` of each slot.
            windows_forget: Whether windows forget samples.
        """
        kept: list[Store | Ring] = []
        for slot in slots:
            padding = slot.shape.max_padding if keep is None else keep
            states = slot.states(), padding, slot.clustered()
            window = slot.shape.window if windows_forget else None
            kept.append(Store(*states) if window is None else Ring(*states, *window))
        return cls([slot.shape for slot in slots], kept)

    @classmethod
    def joined(cls, several: Sequence[Samples]) -> Samples:
        """Join several samples into one, which shares their stores."""
        shapes = [shape for one in several for shape in one.shapes]
        found = object.__new__(cls)
        found.shapes, found.kept = shapes, [kept for one in several for kept in one.kept]
        found._windows = any(one._windows for one in several)
        found.aside = {}
        return found

    @property
    def counts(self) -> list[int]:
        """The number of samples of each slot."""
        return [kept.count for kept in self.kept]

    def append(self, batch: Batch, rows: Sequence[Mapping[str, Any] | None]) -> None:
        """Append the rows of a batch, all of them or none.

        Args:
            batch: The batch.
            rows: The rows for each slot; None: the batch adds none.

        Raises:
            TypeError, ValueError: A state rejects its rows; slots have different numbers of
                samples; or there are ids or clusters in only some batches, or although they cannot
                be kept.
        """
        checked: list[tuple[Store | Ring, Any]] = []
        counts: dict[str, int] = {}
        for shape, kept, some in zip(self.shapes, self.kept, rows, strict=True):
            count = 0
            if some:
                try:
                    one = _checked(shape, kept, some, batch)
                except Exception as error:
                    if shape.member:
                        name_member(error, shape.member)
                    raise
                checked.append((kept, one))
                count = one.count
            if shape.member and not shape.lists:
                counts[shape.member] = count
        if len(set(counts.values())) > 1:
            raise ValueError(f"all members must count the same samples, got {counts}")

        if len(checked) == 1 and not batch.aside and not batch.after:
            [(kept, one)] = checked
            kept.append(one)
            return

        def keep() -> None:
            for kept, one in checked:
                kept.append(one)
            for name, value in batch.aside.items():
                self.put_aside(name, value)
            for after in batch.after:
                after()

        self.change(keep)

    def change(self, work: Callable[[], object]) -> None:
        """Call `work`, which changes the samples: all of the change counts, or nothing of it.

        If the work ends with any exception, an interrupt or a lack of memory included, the samples
        are as before.
        """

        def change() -> None:
            marks, aside = [kept.mark() for kept in self.kept], self.aside.copy()
            try:
                work()
            except BaseException:
                for kept, mark in zip(self.kept, marks, strict=True):
                    kept.restore(mark)
                self.aside = aside
                raise

        locked(self.kept, change)

    def locked(self, work: Callable[[], T]) -> T:
        """Return `work()`, called while no other thread can change the samples."""
        return locked(self.kept, work)

    def merge(self, parts: Sequence[Part], aside: Mapping[str, Any] | None = None) -> None:
        """Append other samples to these, slot by slot; all of them or none.

        Raises:
            ValueError: Only some of the samples have ids, or clusters.
        """

        def merge() -> None:
            for kept, part in zip(self.kept, parts, strict=True):
                kept.refuse_others(part)  # all of them, before any is merged
            for kept, part in zip(self.kept, parts, strict=True):
                kept.merge(part)
            for name, value in (aside or {}).items():
                self.put_aside(name, value)

        self.change(merge)

    def put_aside(self, name: str, value: Any) -> None:
        """Add to a value that is saved with the samples and never sent; a window keeps none."""
        if self._windows:  # the value of samples that leave it would stay
            return
        self.aside[name] = self.aside[name].plus(value) if name in self.aside else value

    def subtract(self, other: Samples) -> None:
        """Subtract other samples.

        Raises:
            TypeError: A state, such as a maximum, cannot be subtracted.
            ValueError: These samples do not contain the others.
        """
        parts, others_aside = other.moment(0)
        if not any(part.count for part in parts):
            return

        def subtract() -> None:
            if self._windows:
                raise TypeError(
                    "samples cannot be subtracted from a window, which drops old ones itself"
                )
            left = [difference(*pair) for pair in zip(self.stores(), parts, strict=True)]
            for kept, (count, folded) in zip(self.kept, left, strict=True):
                kept.replace(count, folded)
            for name, value in others_aside.items():
                if name in self.aside:
                    self.aside[name] = self.aside[name].minus(value)

        self.change(subtract)

    def refuse_order(self, statistics: Sequence[Statistic]) -> None:
        """Raise TypeError if the samples could not be merged with others in any order.

        Args:
            statistics: That of each slot.
        """
        if self._windows:
            raise TypeError("a window holds the last samples, so it cannot be merged in any order")
        every = zip(self.shapes, self.stores(), statistics, strict=True)
        for shape, store, statistic in every:
            if store.with_ids or not store.count:
                continue  # samples with ids are put into the order of their ids
            if lacking := [name for name, one in store.states.items() if not one.commutes]:
                raise TypeError(
                    f"the state {lacking[0]!r}{f' of {shape.member}' if shape.member else ''} "
                    f"depends on the order of the samples, so that its parts cannot be merged in "
                    f"any order: pass ids= to add, or use to_bytes() and merge the parts in order"
                )
            kept = {
                name: rows.rows if isinstance(rows, KeyedRows) else rows
                for name, rows in store.part(0).ordered.items()
            }
            if not statistic.in_any_order(kept):
                raise TypeError(
                    "samples without an identity are told apart by their places, so that their "
                    "parts cannot be merged in any order: give each image its img_id, pass ids= "
                    "to add, or use to_bytes() and merge the parts in order"
                )

    def stores(self) -> list[Store]:
        """Return the store of each slot for the exchange."""
        if not self._windows:
            return [*self.kept]  # type: ignore[list-item]  # each one is a store
        # Copies of all windows, taken at the same moment.
        return self.locked(lambda: [kept.contents() for kept in self.kept])

    def parts(self) -> list[Part]:
        """Return a snapshot of the samples of each slot, of one moment."""
        return self.moment()[0]

    def moment(
        self, tail: int | None = None, buckets: bool = False
    ) -> tuple[list[Part], dict[str, Any]]:
        """Return what `parts` returns, and what was aside at the same moment.

        Args:
            tail: As for `Store.part`.
            buckets: Whether parts of windows have their buckets.
        """
        return self.locked(
            lambda: (
                [(kept if buckets else kept.contents()).part(tail) for kept in self.kept],
                self.aside.copy(),
            )
        )

    def snapshot(self) -> Samples:
        """Return a copy that later changes of these samples do not affect."""

        def snapshot() -> Samples:
            twin = Samples(self.shapes, [kept.snapshot() for kept in self.kept])
            twin.aside = copy.copy(self.aside)
            return twin

        return self.locked(snapshot)


def _checked(shape: Shape, kept: Store | Ring, rows: Mapping[str, Any], batch: Batch) -> Any:
    """Return the rows of one slot, ready to append."""
    if shape.lists and batch.ids is not None:
        raise TypeError("a metric that appends to a list takes no ids=")
    clustered = batch.clusters is not None and shape.clusters
    if batch.clusters is not None:
        count, given = len(next(iter(rows.values()))), len(batch.tags((), True).codes)
        if given != count:
            raise ValueError(
                f"clusters must have a value for each of the {count} samples, got {given}"
            )
    if clustered and not all(isinstance(wrap, By) for wrap in shape.wraps):
        raise TypeError(
            "Running takes no clusters= for its intervals: the samples of a cluster leave the "
            "window one by one"
        )
    groups: np.ndarray | None = None
    if shape.groups is not None and not clustered:
        own = CheckedRows.of(shape.groups.states, rows, batch.ids)
        groups, rows = sample_groups(own.ids, own.rows), own.rows
    innermost = shape.wraps[-1] if shape.wraps else None
    if not isinstance(innermost, By):
        if clustered:
            rows = tagged(rows, batch.tags((), True))
        elif groups is not None:
            rows = tagged(rows, with_groups(None, groups))
    for wrap in reversed(shape.wraps):
        if isinstance(wrap, By):
            tags = batch.tags(wrap.columns, clustered)
            if groups is not None and wrap is innermost and len(tags.codes) == len(groups):
                tags = with_groups(tags, groups)
            rows = tagged(rows, tags)
    return kept.check(rows, batch.ids, clustered)
