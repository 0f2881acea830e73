"""The exchange for all other states: rank 0 gets the parts of all ranks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from mmeval_like._exchange.conclusion import compute_on_rank_0
from mmeval_like._exchange.contribution import Outcome, Sent
from mmeval_like._exchange.group_lock import GroupLock
from mmeval_like._exchange.received import Received
from mmeval_like.backends.base_bytes import BytesDistBackend
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["gathered_outcome"]

_STAMP = 8  # bytes before each payload
_LARGE = 4 << 20  # beyond this many bytes of all ranks, rank 0 may lack the memory


def gathered_outcome(
    received: Received, sent: Sent, backend: BytesDistBackend, lock: GroupLock
) -> Outcome:
    """Gather the payloads on rank 0, which computes the result and sends it to the others.

    If rank 0 ran out of memory in the middle of the gather, the other ranks would wait for it. So
    for large payloads it first tells them whether it has enough memory.

    Args:
        received: The headers of all ranks.
        sent: This rank's message.
        backend: Carries the messages.
        lock: The lock of the exchange, which ends here.

    Raises:
        MemoryError: Rank 0 has no room for the payloads, on rank 0.
        RemoteError: Rank 0 failed.
    """
    stamped, lengths = _stamped(sent, lock), [_STAMP + n for n in received.lengths]
    if sum(lengths) > _LARGE:
        compute_on_rank_0(backend, lock, partial(_check_room, sum(lengths)), last=False)
    payloads = backend.gather_bytes(stamped, lengths, 0)
    return compute_on_rank_0(backend, lock, partial(_merged, received, sent, payloads, lock))


def _check_room(size: int) -> None:
    np.empty(size, np.uint8)


def _stamped(sent: Sent, lock: GroupLock) -> Buffer:
    """Return the stamp and the payload, in memory that was allocated before the first message."""
    length = _STAMP + sent.head.length
    second = memoryview(bytearray(length)) if sent.second is None else sent.second.data
    message = second.cast("B")[:length]
    if sent.head.summed and sent.second is not None:
        return message  # it is already in place
    start = 0
    for piece in [lock.stamp, *sent.pieces]:
        bytes_of = np.frombuffer(piece, np.uint8)
        message[start : start + len(bytes_of)] = bytes_of.data
        start += len(bytes_of)
    return message


def _merged(
    received: Received, sent: Sent, payloads: Sequence[Buffer] | None, lock: GroupLock
) -> Outcome:
    views = [memoryview(payload) for payload in payloads or ()]
    lock.check_stamps([view[:_STAMP] for view in views])
    return received.outcome([view[_STAMP:] for view in views], 0, sent.parts)
