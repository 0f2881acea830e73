"""Where the result is computed: on every rank, or on rank 0, which sends it to the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from mmeval_like._exchange.contribution import Outcome
from mmeval_like._exchange.failures import raise_trouble, trace
from mmeval_like._exchange.group_lock import GroupLock, OutOfStep, out_of_step
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.wire import packing
from mmeval_like.errors import RemoteError

__all__ = ["compute_on_rank_0", "conclude"]

T = TypeVar("T")

_LARGE = 4 << 20  # beyond this many bytes, a rank may lack the memory for the outcome


def conclude(
    everywhere: bool, backend: BaseDistBackend, lock: GroupLock, compute: Callable[[], Outcome]
) -> Outcome:
    """Return the outcome on every rank; each rank has everything that `compute` needs.

    Args:
        everywhere: Whether every rank computes, so that no message follows.
        backend: Carries the messages.
        lock: The lock of the exchange, which ends here.
        compute: Computes the outcome.
    """
    if everywhere:
        lock.end()
        return compute()
    return compute_on_rank_0(backend, lock, compute)


def compute_on_rank_0(
    backend: BaseDistBackend, lock: GroupLock, compute: Callable[[], T], last: bool = True
) -> T:
    """Compute on rank 0 and return its outcome, or raise, on every rank.

    If a rank ran out of memory while it received the outcome, the other ranks would wait for it. So
    before a large outcome is sent, all ranks report whether they have enough memory.

    Args:
        backend: Carries the messages.
        lock: The lock of the exchange.
        compute: Computes the outcome; called only on rank 0.
        last: Whether the exchange ends here; otherwise it ends only if `compute` raises.

    Raises:
        RemoteError: Rank 0 failed, or another rank has no memory for the outcome.
        MemoryError: This rank has no memory for the outcome.
        Exception: What `compute` raised, on rank 0.
    """
    failure: Exception | None = None
    outcome: Any = None
    text, data = None, b""
    if backend.rank == 0:
        try:
            outcome = compute()
            data = packing.dumps(outcome)
        except Exception as error:
            failure, text = error, trace(error)
    first = b"" if len(data) > _LARGE else data
    text, size, received = _from_rank_0(backend, lock, (text, len(data), first))
    if text is not None:
        if not isinstance(failure, OutOfStep):
            lock.end()
        raise failure or RemoteError([0], [text])
    if size > _LARGE:
        _check_room(backend, lock, size)
        [received] = _from_rank_0(backend, lock, (data,))
    if last:
        lock.end()
    found: T = outcome if backend.rank == 0 else packing.loads(received)
    return found


def _from_rank_0(backend: BaseDistBackend, lock: GroupLock, message: tuple[Any, ...]) -> Any:
    """Return the message of rank 0 on every rank.

    Raises:
        OutOfStep: The message is of another exchange.
    """
    told = backend.broadcast_object((lock.stamp, message) if backend.rank == 0 else None, 0)
    if not isinstance(told, tuple) or told[0] != lock.stamp:
        raise out_of_step()
    return told[1]


def _check_room(backend: BaseDistBackend, lock: GroupLock, size: int) -> None:
    """Raise on every rank if a rank has no memory to receive and unpack a message of this size."""
    failure: MemoryError | None = None
    copies = 3 if backend.rank == 0 else 2  # rank 0 packs it as well
    try:
        np.empty(copies * size + _LARGE, np.uint8)
    except MemoryError as error:
        failure = error
    gathered = backend.all_gather_object((lock.stamp, failure and trace(failure)))
    if not all(isinstance(told, tuple) and told[0] == lock.stamp for told in gathered):
        raise out_of_step()
    texts = [text for _, text in gathered]
    if any(texts):
        lock.end()
        raise_trouble([(text, "") for text in texts], failure)
