"""Lock several stores at once: other threads see the rows added to all stores, or none of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

__all__ = ["locked"]

T = TypeVar("T")


class _HasLock(Protocol):
    @property
    def lock(self) -> Any: ...


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
