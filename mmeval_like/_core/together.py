"""Work that is divided among the ranks; if it fails on one rank, all ranks raise an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from mmeval_like._exchange.failures import raise_trouble, trace
from mmeval_like.backends import BaseDistBackend

__all__ = ["together"]

T = TypeVar("T")


def together(backend: BaseDistBackend, work: Callable[[], T]) -> list[T]:
    """Do this rank's part of some work; return the results of all ranks, by rank.

    Args:
        backend: The backend of the exchange. Every rank must call this function.
        work: This rank's part.

    Raises:
        Exception: `work` raised it on this rank, the first that failed.
        RemoteError: `work` failed on a rank; raised on all ranks except the first that failed.
    """
    failure: Exception | None = None
    found: T | None = None
    try:
        found = work()
    except Exception as error:
        failure = error
    text = None if failure is None else trace(failure)
    told = backend.all_gather_object((text, found))
    failed = [rank for rank, (problem, _) in enumerate(told) if problem is not None]
    if failed:
        raise_trouble(told, failure if backend.rank == failed[0] else None)
    return [result for _, result in told]
