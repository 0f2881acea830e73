"""Lock several stores at once: other threads see the rows added to all stores, or none of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

from mmeval_like._base.at_fork import at_fork

__all__ = ["give_lock", "locked"]

T = TypeVar("T")


class _HasLock(Protocol):
    lock: Any


class _Abandoned:
    """In place of a lock that a thread of the parent process held at the fork, and never frees."""

    def acquire(self, blocking: bool) -> bool:
        return False

    def __enter__(self) -> None:
        raise RuntimeError(
            "this process was forked while another thread changed or read the samples of this "
            "metric, which are incomplete here: construct a metric in this process, or fork it "
            "when no other thread uses the metric"
        )

    def __exit__(self, *exception: object) -> None: ...


_owners: WeakSet[_HasLock] = WeakSet()


def give_lock(owner: _HasLock) -> None:
    """Give a store a new lock."""
    owner.lock = RLock()
    _owners.add(owner)


def _find_abandoned() -> None:
    for owner in _owners:
        if owner.lock.acquire(blocking=False):
            owner.lock.release()
        else:
            owner.lock = _Abandoned()


at_fork(after_in_child=_find_abandoned)


def locked(stores: Sequence[_HasLock], work: Callable[[], T]) -> T:
    """Return `work()`, during which no other thread adds rows to any of the stores.

    Every lock is taken by its own `with` statement: Python handles no signal between taking a lock
    that is written in C and entering the block, so that an interrupt leaves no lock taken.
    """
    if not stores:
        return work()
    lock, others = stores[0].lock, stores[1:]
    if others:
        others = [store for store in others if store.lock is not lock]
    with lock:
        return locked(others, work) if others else work()
