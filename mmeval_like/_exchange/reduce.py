"""The exchange for states that add up: one all-reduce of the ranks' int64 vectors."""

from __future__ import annotations

import numpy as np

from mmeval_like._exchange.contribution import Sent
from mmeval_like._exchange.failures import raise_trouble, trace
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
        RemoteError: Another rank failed to make its vector.
        Exception: What failed on this rank.
    """
    mine, counts = received.mine, received.counts
    length, kept = sum([store.layout.size for store in mine.stores]), counts[backend.rank]
    marked, failure = sent.second, None
    if marked is None:  # for a short vector
        marked = np.zeros(1 + length, np.int64)
        marked[:1] = np.frombuffer(lock.stamp, np.int64)
    marked, mark = marked[: 1 + length], int(marked[0])
    if sent.second is None or sent.parts is not None or kept != sent.head.rows:
        try:
            marked[1:] = _vector(received, sent, kept)
        except Exception as error:  # the sum informs the other ranks, which wait for this vector
            marked[0], failure = mark + 1, error
    sent.pieces, sent.spare = (), None
    backend.sum_in_place(marked)
    if lock.check_failed(marked[0], len(counts), mark):
        texts = backend.all_gather_object(failure and trace(failure))
        lock.end()
        raise_trouble([(text, "") for text in texts], failure)
    return sum(counts), marked[1:]


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
