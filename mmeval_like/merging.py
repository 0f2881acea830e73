"""Samples of several instances as one: merged, added, subtracted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import FloatSum, Hits, IntSum

__all__ = ["Mergeable", "merge"]

Self = TypeVar("Self", bound="Mergeable")


class Mergeable:
    """Samples that can be merged with those of another instance of the same metric."""

    def merge(self: Self, other: Self) -> None:
        """Append another instance's samples behind this one's.

        Merging is associative: parts may be combined in any grouping, in one process or many.

        Raises:
            ValueError: `other` is another metric or has other options.
        """
        self._check_equal(other, "merge")
        self._merge_parts([store.part() for store in other._stores()])

    def __add__(self: Self, other: Self) -> Self:
        """Return a metric with both ones' samples; both stay as they are."""
        if not isinstance(other, Mergeable):
            return NotImplemented
        return merge([self, other])

    def subtract(self: Self, other: Self) -> None:
        """Take another instance's samples away: exactly what `merge` added is gone.

        For windows over a stream and for samples that are retracted: keep a metric of each
        piece, merge the new ones and subtract the old ones. The last bit is as if the samples
        had never been added. They must have been. Where it shows that they were not, this is an
        error: counts that would become negative, more hits than samples, a sum that is left of no
        samples. No sample can be dropped by `compute(size=)` then, until enough others are added.

        Raises:
            ValueError: `other` is another metric or has other options, or has samples that this
                one does not have; or samples with ids, which are kept one by one.
            TypeError: A state of the metric, such as a maximum, does not know what it was
                without some samples.

        Example:
            >>> from mmeval_like import Accuracy
            >>> metric, morning = Accuracy(), Accuracy()
            >>> morning.add([1, 2], [0, 0])
            >>> metric.merge(morning)
            >>> metric.add([3], [3])
            >>> metric.subtract(morning)
            >>> metric.compute()
            {'top1': 1.0}
        """
        self._check_equal(other, "subtract")
        stores, others = self._stores(), other._stores()
        if not any(store.count for store in others):
            return
        differences = [
            _difference(store, given.part(0)) for store, given in zip(stores, others, strict=True)
        ]
        for store, (count, folded) in zip(stores, differences, strict=True):
            store.replace(count, folded)

    def _check_equal(self, other: Mergeable, verb: str) -> None:
        if self._identity != other._identity:
            mine, others = self._identity.text, other._identity.text
            raise ValueError(f"only equal metrics {verb}, got {others} for {mine}")

    @property
    @abstractmethod
    def _identity(self) -> Identity: ...

    @abstractmethod
    def _stores(self) -> list[Store]: ...

    @abstractmethod
    def _merge_parts(self, parts: list[Part]) -> None: ...

    @abstractmethod
    def _without_samples(self) -> Any:
        """Return a copy that has the options and none of the samples."""


def _difference(store: Store, other: Part) -> tuple[int, dict[str, Any]]:
    """Return the number and the folded values of a store's rows that are left without a part's.

    Raises:
        TypeError: A state cannot be subtracted.
        ValueError: The rows have ids, or the store does not have them.
    """
    if store.with_ids or other.ids is not None:
        raise ValueError("samples with ids= are kept one by one and cannot be subtracted")
    if store.count and other.count and other.clustered != store.clustered:
        raise ValueError("samples with clusters= cannot be subtracted from those without, or back")
    count = store.count - other.count
    if count < 0:
        raise ValueError(f"{other.count} samples cannot be subtracted from {store.count}")
    mine, left = store.part(0), {}
    for name, state in store.states.items():
        if state.ordered:
            raise TypeError(f"the rows of state {name!r} are kept, and cannot be subtracted")
        left[name] = state.subtract(mine.folded[name], other.folded[name])
        if not _possible(state, left[name], count):
            raise ValueError("only samples that were added before can be subtracted")
    return count, left


def _possible(state: State, folded: Any, count: int) -> bool:
    """Return whether so many rows may have this sum, as far as it shows."""
    if isinstance(state, Hits):
        hits = np.asarray(state.value(folded))
        return bool(((hits >= 0) & (hits <= count)).all())
    if count or not isinstance(state, IntSum | FloatSum):
        return True
    return not np.any(state.value(folded))


def merge(parts: Iterable[Self]) -> Self:
    """Return a metric with the samples of all parts, in their order; the parts stay as they are.

    Args:
        parts: Equal metrics, collections or slices, for instance one of each worker of Ray, Dask,
            Spark or a `DataLoader`. They may have been pickled, or come by `from_bytes`.

    Raises:
        ValueError: There are no parts, or the parts are of different metrics or options.

    Example:
        >>> from mmeval_like import Accuracy
        >>> workers = [Accuracy(), Accuracy()]
        >>> workers[0].add([1, 2], [1, 1])
        >>> workers[1].add([3], [3])
        >>> merge(workers).compute()
        {'top1': 0.6666666666666666}
    """
    total: Self | None = None
    for part in parts:
        if total is None:
            total = part._without_samples()
        total.merge(part)
    if total is None:
        raise ValueError("merge needs at least one metric, got none")
    return total
