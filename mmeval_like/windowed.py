"""Windowed: metrics of the last samples of a stream, at the cost of a few totals."""

from __future__ import annotations

import copy
import operator
import sys
from collections import deque
from threading import RLock
from typing import Any

from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.results import Results
from mmeval_like.asynchronous import Asynchronous
from mmeval_like.backends import BaseDistBackend
from mmeval_like.evaluable import Evaluable

__all__ = ["Windowed"]


class Windowed(Asynchronous):
    """A metric, a collection or slices of the last samples of a stream, bucket by bucket.

    The stream is cut into buckets of equally many samples, whatever the batches are. A total of
    the last buckets is kept: a bucket that is full is added to it, one that is too old is
    subtracted from it, both without rounding. So the result has the bits of the metric of these
    samples alone, and the memory is that of `buckets` totals: no sample is kept, unless the metric
    keeps its samples. States that cannot be subtracted, such as a maximum, are merged anew from
    their buckets.

    Every rank has a stream of its own; `compute` combines the windows of all ranks. For a window
    of few samples, which moves on with every sample in the global order of all ranks, see
    `Running`, which keeps these samples.

    Args:
        metric: The metric, `MetricCollection` or `Sliced`; `add` takes what its `add` takes, but
            for `ids=`, since samples that are matched by ids are kept one by one.
        samples: The most samples of the window. It has so many whenever a bucket is full; while
            the next one fills, those of the oldest bucket are gone.
        buckets: Into how many buckets the window is cut, a divisor of `samples`.
        dist_backend: As for a metric; None: the one that the metric names.

    Returns of `compute`: What the metric returns. `merge` and `load` put the samples of another
    window into one bucket behind those that are there.

    Raises:
        TypeError: There is no metric, a number is no integer, or `add` was given `ids=`.
        ValueError: A number is below 1, or `buckets` does not divide `samples`.

    Example:
        >>> from mmeval_like import Accuracy, Windowed
        >>> metric = Windowed(Accuracy(), samples=4, buckets=2)
        >>> metric.add([0, 0, 1, 1], [1, 1, 1, 1])
        >>> metric.compute()
        {'top1': 0.5}
        >>> metric.add([1], [1])  # the first two are gone
        >>> metric.compute()
        {'top1': 1.0}
    """

    def __init__(
        self,
        metric: Evaluable,
        samples: int,
        buckets: int = 10,
        *,
        dist_backend: str | BaseDistBackend | None = None,
    ) -> None:
        if not isinstance(metric, Evaluable) or isinstance(metric, Windowed):
            wanted = "a metric, a MetricCollection or Sliced"
            raise TypeError(f"metric must be {wanted}, got {type(metric).__name__}")
        self.samples, self.buckets = _positive(samples, "samples"), _positive(buckets, "buckets")
        if self.samples % self.buckets:
            raise ValueError(f"buckets must divide samples={samples}, got {buckets}")
        self._metric: Any = metric._without_samples()
        self.dist_backend = metric.dist_backend if dist_backend is None else dist_backend
        self.dist_collect_mode = metric.dist_collect_mode
        self.every_rank_computes = metric.every_rank_computes
        self._evaluating = False
        self._lock = RLock()  # several threads may add
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def add(self, *batch: Any, **named: Any) -> None:
        """Accumulate a batch; all of it, or nothing when it raises.

        Args:
            *batch: What the metric's `add` takes.
            **named: The same by name.

        Raises:
            TypeError: `ids=` was given: `Windowed` keeps no samples that ids could be matched with.
            Exception: The metric raised it.
        """
        if named.get("ids") is not None:
            raise TypeError("Windowed takes no ids=: it keeps no samples to match; see Running")
        piece = self._metric._without_samples()
        for store in piece._stores():
            store.max_padding = sys.maxsize  # so that no row folds before it has its bucket
        piece.add(*batch, **named)
        stores = piece._stores()
        parts = [store.part() for store in stores]
        counts = {part.count for part in parts}
        if len(counts) > 1:
            raise ValueError(f"all members must count the same samples, got {sorted(counts)}")
        [count] = counts
        with self._lock:
            start = 0
            while start < count:
                self._begin()
                stop = min(count, start + self.samples // self.buckets - self._filled)
                cut = [
                    part.cut(store.states, start, stop)
                    for part, store in zip(parts, stores, strict=True)
                ]
                self._fill(cut, stop - start)
                start = stop

    def __call__(self, *batch: Any, **named: Any) -> Any:
        """Return the values of one batch; nothing is accumulated or communicated."""
        return self._metric(*batch, **named)

    def reset(self) -> None:
        """Forget all samples."""
        self._total = self._metric._without_samples()
        self._full: deque[Any] = deque()
        self._filling, self._filled = self._metric._without_samples(), 0
        self._count_reset()

    def _begin(self) -> None:
        """Make room for a sample: close a bucket that is full, and forget the oldest of many."""
        if self._filled < self.samples // self.buckets:
            return
        self._total.merge(self._filling)
        self._full.append(self._filling)
        self._filling, self._filled = self._metric._without_samples(), 0
        if len(self._full) < self.buckets:
            return
        oldest = self._full.popleft()
        try:
            self._total.subtract(oldest)
        except TypeError:  # a state does not know what it was without some samples
            self._total = self._metric._without_samples()
            for bucket in self._full:
                self._total.merge(bucket)

    def _fill(self, parts: list[Part], count: int) -> None:
        self._filling._merge_parts(parts)
        self._filled += count

    def _without_samples(self) -> Windowed:
        fresh = copy.copy(self)
        fresh._instance = copy.copy(self._instance)  # its reset is no reset of this one
        fresh.reset()
        return fresh

    def _described(self) -> list[tuple[str, str, int]]:
        with self._lock:
            both = zip(self._total._described(), self._filling._described(), strict=True)
            return [
                (f"{name}, the last {self.samples:,}", metric, before + filling)
                for (name, metric, before), (_, _, filling) in both
            ]

    def _stores(self) -> list[Store]:
        with self._lock:
            window = self._metric._without_samples()
            window.merge(self._total)
            window.merge(self._filling)
            stores: list[Store] = window._stores()
            return stores

    def _finish(self, results: list[Results]) -> dict[str, Any]:
        found: dict[str, Any] = self._metric._finish(results)
        return found

    @property
    def _named_classes(self) -> list[str] | None:
        names: list[str] | None = self._metric._named_classes
        return names

    @property
    def _identity(self) -> Identity:
        text = self._metric._identity.text
        return Identity.of(f"Windowed({text}, {self.samples}, {self.buckets})")

    def _merge_parts(self, parts: list[Part]) -> None:
        with self._lock:
            if self._filled:
                self._filled = self.samples  # full, whatever it has: so the next one begins
                self._begin()
            self._fill(parts, self.samples)


def _positive(value: Any, name: str) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    if isinstance(value, bool) or number < 1:
        raise ValueError(f"{name} must be at least 1, got {value!r}")
    return number
