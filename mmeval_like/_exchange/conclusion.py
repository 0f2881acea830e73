"""Where the result is computed: on every rank, or on rank 0, which sends it to the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mmeval_like._exchange.contribution import Outcome
from mmeval_like._exchange.failures import trace
from mmeval_like._exchange.group_lock import GroupLock, OutOfStep, out_of_step
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.wire import packing
from mmeval_like.errors import RemoteError

__all__ = ["compute_on_rank_0", "conclude"]

T = TypeVar("T")


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

    Args:
        backend: Carries the messages.
        lock: The lock of the exchange.
        compute: Computes the outcome; called only on rank 0.
        last: Whether the exchange ends here; otherwise it ends only if `compute` raises.

    Raises:
        RemoteError: Rank 0 failed.
        Exception: What `compute` raised, on rank 0.
    """
    failure: Exception | None = None
    outcome: Any = None
    message: tuple[bytes, str | None, bytes] | None = None
    if backend.rank == 0:
        try:
            outcome = compute()
            message = (lock.stamp, None, packing.dumps(outcome))
        except Exception as error:
            failure = error
            message = (lock.stamp, trace(error), b"")
    told = backend.broadcast_object(message, 0)
    if not isinstance(told, tuple) or told[0] != lock.stamp:
        raise out_of_step()
    _, text, data = told
    if (last or text is not None) and not isinstance(failure, OutOfStep):
        lock.end()
    if failure is not None:
        raise failure
    if text is not None:
        raise RemoteError([0], [text])
    received: T = outcome if backend.rank == 0 else packing.loads(data)
    return received
