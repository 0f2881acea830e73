"""Several stores at once: other threads see what is added to all of them, or nothing of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

__all__ = ["locked"]


class _HasLock(Protocol):
    lock: Any


class locked:
    """The locks of several stores: inside `with` no other thread adds rows to any of them."""

    __slots__ = ("_stores",)

    def __init__(self, stores: Collection[_HasLock]) -> None:
        self._stores = stores

    def __enter__(self) -> None:
        for store in self._stores:
            store.lock.acquire()

    def __exit__(self, *error: object) -> None:
        for store in self._stores:
            store.lock.release()
