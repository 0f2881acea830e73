"""Occurrence: the number of a metric among equal metrics, so that parts of two are never merged."""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

from mmeval_like._base.at_fork import at_fork
from mmeval_like._exchange.envelope import UNKNOWN
from mmeval_like._exchange.fingerprint import Identity
from mmeval_like._exchange.handle import Handle
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.backends.registry import find_initialized
from mmeval_like.errors import DisagreementError

__all__ = ["Constructed", "Occurrence", "distrust", "group_in_use", "this_rank"]

Constructed = tuple[bytes, dict[bytes, int]]
"""A rank's report about a metric: its digest, and the number of metrics of each digest."""

this_rank: ContextVar[object | None] = ContextVar("this_rank", default=None)
"""The group in which this thread constructs metrics, if ranks are threads of one process."""

_lock = threading.RLock()
at_fork(  # a fork waits until no thread holds it
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)
# The number of equal metrics constructed before the group existed, and in each group.
_before: Counter[str] = Counter()
_in_group: WeakKeyDictionary[object, Counter[str]] = WeakKeyDictionary()
# For each group, the digests of metrics that some ranks constructed more often than others.
_uneven: WeakKeyDictionary[object, set[bytes]] = WeakKeyDictionary()


class Occurrence:
    """One metric among the equal metrics of this process.

    All ranks run one program. The n-th of equal metrics on this rank is therefore the n-th on every
    rank, and was reset equally often since the ranks last computed it together. Ranks that differ
    in either number are not computing the same metric.

    Args:
        text: The text that equal metrics share.
        group: The group of ranks in which the metric is constructed; None if it does not exist yet.
        given: Whether the program passed a backend instance, which determines the group.

    Attributes:
        number: The number of equal metrics that were constructed before this one.
        resets: The number of resets so far.
        pending: Returns the handle of the last `compute_async`, or None once it is finished; None
            before the first one.
        met: Whether this process has computed the metric together with other ranks.
    """

    def __init__(self, text: str, group: object | None, given: bool) -> None:
        self._text, self._given = text, given
        self._group = None if group is None else weakref.ref(group)
        self.resets, self._settled, self.met = 0, 0, False
        self.pending: Callable[[], Handle | None] | None = None
        with _lock:
            counter = _before if group is None else _counter(group, given)
            self.number = counter[text]
            counter[text] += 1

    def resets_in(self, group: object, resets: int) -> int:
        """Return the number of resets since the last compute, which the ranks of a group compare.

        It is `UNKNOWN` when the metric was last computed in another group, for instance before a
        lost process was replaced: the new process cannot know what happened before it.

        Args:
            group: The group.
            resets: The number of resets before the samples were taken.

        Raises:
            DisagreementError: The ranks of this group constructed unequal numbers of these metrics.
        """
        if _uneven and Identity.of(self._text).digest in _uneven.get(group, ()):
            raise DisagreementError(
                "the ranks constructed different numbers of metrics that are equal to this one, as "
                "they found when they disagreed before: it is unknown which ones belong "
                "together. Construct the same metrics on every rank, and give those of some ranks "
                f"alone, or all of these, a name=. The metric is {self._text}"
            )
        if self._group is not None and self._group() is group:
            return resets - self._settled
        with _lock:
            _counter(group, self._given)
        return resets - self._settled if self._group is None else UNKNOWN

    def constructed(self, group: object) -> Constructed:
        """Return what the other ranks need to find uneven numbers of equal metrics."""
        with _lock:
            counts = dict(_counter(group, self._given))
        return Identity.of(self._text).digest, {Identity.of(t).digest: n for t, n in counts.items()}

    def settle(self, group: object, resets: int) -> None:
        """Count resets from this compute on, in which all ranks of the group took part."""
        self._group, self._settled, self.met = weakref.ref(group), resets, True

    def wait(self) -> None:
        """Wait for an unfinished `compute_async`, so that all ranks keep the same order."""
        if self.pending is not None and (pending := self.pending()) is not None:
            pending.wait()

    def check_group(self, dist_backend: str | BaseDistBackend | None) -> None:
        """Refuse to compute only the samples of this rank instead of those of all ranks.

        Args:
            dist_backend: The metric's option; "non_dist" means only this rank.

        Raises:
            RuntimeError: The ranks computed this metric together, and their group is gone.
        """
        if self.met and group_in_use(dist_backend)[0] is None:
            raise RuntimeError(
                "the ranks computed this metric together before, but their group is gone: was it "
                "destroyed? Call compute() before that, or make a new group; compute_local() is "
                "the value of this rank's samples alone"
            )

    def __deepcopy__(self, memo: dict[int, Any]) -> Occurrence:
        # A copy counts as a different metric.
        copied = Occurrence(self._text, self._group and self._group(), self._given)
        copied.met = self.met
        return copied

    def __getstate__(self) -> dict[str, Any]:
        # The group is another object in another process; the ranks compare only the number.
        return {**vars(self), "_group": None, "met": False, "pending": None}


def distrust(group: object, told: Sequence[Constructed]) -> None:
    """Remember the metrics that the ranks constructed in different numbers.

    If the program continues after the error, two different metrics that happen to have the same
    number could exchange data. So from now on, every metric with such a digest raises an error on
    every rank.
    """
    met = {digest for digest, _ in told}
    uneven = {digest for digest in met if len({counts.get(digest, 0) for _, counts in told}) > 1}
    if uneven:
        _uneven.setdefault(group, set()).update(uneven)


def group_in_use(dist_backend: str | BaseDistBackend | None) -> tuple[object | None, bool]:
    """Return the group that a metric would use now, and whether the program passed its backend.

    Returns:
        The object that represents the group, or None if it does not exist yet; and whether the
        program passed a backend instance, rather than a name or nothing.
    """
    given = False
    try:
        if dist_backend is None or isinstance(dist_backend, str):
            if this_rank.get() is not None:
                return this_rank.get(), True
            backend = find_initialized(dist_backend)
        else:
            backend, given = dist_backend, True
        if backend is None or not (backend.is_initialized or isinstance(backend, NonDist)):
            return None, given
        return backend.group, given
    except Exception:  # a library that does not work raises its error when the metric is computed
        return None, given


def _counter(group: object, given: bool) -> Counter[str]:
    """Return the counter of a group, which begins with the metrics constructed before the group."""
    if group not in _in_group:
        _in_group[group] = Counter() if given else _before.copy()
        if not given:
            _before.clear()
    return _in_group[group]
