"""The exchange for states that add up: one all-reduce of the ranks' int64 vectors."""

from __future__ import annotations

import numpy as np

from mmeval_like._exchange.contribution import Sent
from mmeval_like._exchange.group_lock import GroupLock
from mmeval_like._exchange.received import Received
from mmeval_like.backends.base_bytes import BytesDistBackend

__all__ = ["all_reduced", "may_reduce"]


def may_reduce(received: Received) -> bool:
    """Return whether the merged state of the ranks is the sum of their vectors."""
    return received.mine.additive and received.alike


def all_reduced(
    received: Received, sent: Sent, backend: BytesDistBackend, lock: GroupLock
) -> tuple[int, np.ndarray]:
    """Return the number of rows, and the sum of the ranks' vectors by one all-reduce.

    Args:
        received: The headers of all ranks.
        sent: This rank's message.
        backend: Carries the message.
        lock: The lock of the exchange.

    Raises:
        OutOfStep: The vector of another exchange was added.
    """
    counts = received.counts
    vector = _vector(received, sent, counts[backend.rank])
    marked = np.concatenate([np.array([lock.mark]), vector])
    del vector
    sent.pieces = ()
    total = backend.all_reduce(marked, "sum")
    lock.check_mark(total[0], len(counts))
    return sum(counts), total[1:]


def _vector(received: Received, sent: Sent, kept: int) -> np.ndarray:
    """Return the vector of the first rows of this rank."""
    mine = received.mine
    if sent.parts is None and kept == sent.head.rows:
        vector: np.ndarray = sent.pieces[0]
        return vector
    if received.size is None and sent.parts is not None:  # meanwhile rows may have been added
        pairs = zip(mine.stores, sent.parts, strict=True)
        return np.concatenate([store.layout.pack(part.folded) for store, part in pairs])
    return mine.vector(kept)
