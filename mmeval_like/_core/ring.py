"""Ring: the samples of a window, as buckets and their total."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from mmeval_like._core.arithmetic import difference
from mmeval_like._samples.checked_rows import CheckedRows
from mmeval_like._samples.locked import give_lock
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.abstract import State

__all__ = ["Ring"]


class Ring:
    """One rank's rows of one statistic, in the last buckets of a stream.

    Each full bucket is added to a total, and each expired one is subtracted from it, both without
    rounding. If a state cannot be subtracted, the total is merged again from the buckets.

    Args:
        states: The statistic's states by name.
        max_padding: As in `Store`.
        clustered: As in `Store`.
        samples: The maximum number of rows in the window.
        buckets: The number of buckets, a divisor of `samples`.
    """

    lock: Any

    def __init__(
        self,
        states: dict[str, State],
        max_padding: int | None,
        clustered: dict[str, State] | None,
        samples: int,
        buckets: int,
    ) -> None:
        self._states = states, max_padding, clustered
        self.samples, self.buckets = samples, buckets
        give_lock(self)  # several threads may add
        self._total, self._filling = self._store(), self._store()
        self._full: deque[Store] = deque()
        self._filled = 0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        give_lock(self)

    @property
    def count(self) -> int:
        """The number of rows in the window."""
        return self._total.count + self._filling.count

    def check(
        self, rows: Mapping[str, Any], ids: Any = None, clustered: bool = False
    ) -> CheckedRows:
        """Return a batch that is ready to append; raise the errors of `Store.check`.

        Raises:
            TypeError: There are ids.
        """
        if ids is not None:
            raise TypeError("Windowed takes no ids=: it keeps no samples to match; see Running")
        return self._filling.check(rows, None, clustered)

    def append(self, batch: CheckedRows) -> None:
        """Append rows that `check` returned, bucket by bucket: all, or none."""
        with self.lock:
            before = self.mark()
            try:
                self._append(batch)
            except BaseException:
                self.restore(before)
                raise

    def refuse_others(self, other: Part) -> None:
        """Raise the error of `Store.refuse_others` for rows that cannot be appended to these."""
        self._total.refuse_others(other)
        self._filling.refuse_others(other)

    def merge(self, other: Part) -> None:
        """Append other rows as one bucket; an empty window takes over the other one's buckets."""
        if other.count == 0:
            return
        with self.lock:
            if other.buckets and not self.count:
                self._take_over(other)
                return
            if self._filled:
                self._filled = self.samples  # marked as full, so that the next bucket begins
                self._begin()
            self._filling.merge(other)
            self._filled = self.samples

    def replace(self, count: int, folded: dict[str, Any]) -> None:
        """Raise TypeError, since a window drops old samples itself.

        Raises:
            TypeError: Always.
        """
        raise TypeError("samples cannot be subtracted from a window, which drops old ones itself")

    def contents(self) -> Store:
        """Return the rows of the window as one store."""
        with self.lock:
            window = self._store()
            window.merge(self._total.part())
            window.merge(self._filling.part())
            return window

    def part(self, tail: int | None = None) -> Part:
        """Return a snapshot of the rows, with the buckets; `tail` as for `Store.part`."""
        with self.lock:
            found = self.contents().part(tail)
            found.buckets = [one.part(tail) for one in (*self._full, self._filling) if one.count]
            found.filled = self._filled
            return found

    def snapshot(self) -> Ring:
        """Return a copy that later changes of this window do not affect."""
        with self.lock:
            twin = object.__new__(Ring)
            twin.__setstate__(self.__getstate__())
            twin._total, twin._filling = self._total.snapshot(), self._filling.snapshot()
            return twin

    def mark(self) -> Any:
        """Return what `restore` needs; hold the lock until then."""
        return self.__dict__.copy(), self._total.mark(), self._filling.mark()

    def restore(self, mark: Any) -> None:
        """Undo all changes since `mark`."""
        state, total, filling = mark
        self.__dict__.update(state)
        self._total.restore(total)
        self._filling.restore(filling)

    def _append(self, batch: CheckedRows) -> None:
        start = 0
        while start < batch.count:
            self._begin()
            room = self.samples // self.buckets - self._filled
            stop = min(batch.count, start + room)
            whole = start == 0 and stop == batch.count
            self._filling.append(batch if whole else batch.part(start, stop))
            self._filled += stop - start
            start = stop

    def _take_over(self, other: Part) -> None:
        """Take over the buckets of another window, to go on as it would have."""
        full = []
        for bucket in other.buckets:
            full.append(self._store())
            full[-1].merge(bucket)
        self._filling, self._filled = full.pop(), other.filled
        self._total, self._full = self._store(), deque(full)
        for one in full:
            self._total.merge(one.part())

    def _store(self) -> Store:
        return Store(*self._states)

    def _begin(self) -> None:
        """Make room for a row: close a full bucket, and drop the oldest if there are too many."""
        if self._filled < self.samples // self.buckets:
            return
        self._total.merge(self._filling.part())
        full = deque([*self._full, self._filling])  # a snapshot may share the old one
        self._full, self._filling, self._filled = full, self._store(), 0
        if len(full) < self.buckets:
            return
        oldest = full.popleft()
        try:
            self._total.replace(*difference(self._total, oldest.part(0)))
        except TypeError:  # a state such as a maximum cannot be subtracted
            self._total = self._store()
            for bucket in self._full:
                self._total.merge(bucket.part())
