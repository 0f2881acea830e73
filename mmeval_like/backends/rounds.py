"""One ragged all-to-all of any size, in rounds of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from mmeval_like._wire.packing import Buffer
from mmeval_like.errors import RemoteError

__all__ = ["ROUND", "Swap", "in_rounds"]

ROUND = 1 << 25
"""How many bytes a rank sends in one round, and how many it receives, at most.

What is allocated beside the result is bounded by it, and so are the counts of one call: MPI and
others count in 32 bits.
"""

Swap: TypeAlias = Callable[[Sequence[np.ndarray], Sequence[int]], Sequence[Buffer]]
"""One round: from the piece for each rank, and the lengths that arrive, to what arrives."""

_INT64 = np.dtype("<i8")


def in_rounds(parts: Sequence[Buffer], ranks: int, swap: Swap) -> list[Buffer]:
    """Return what every rank sent to this one, in rank order.

    Args:
        parts: One contiguous buffer for each rank, of any lengths.
        ranks: The number of ranks.
        swap: Carries one round; all ranks call it equally often.

    Raises:
        ValueError, TypeError: Not one contiguous buffer for each rank.
        RemoteError: So it was on another rank.
        RuntimeError: The library carried other pieces than it was given.
    """
    views: list[np.ndarray] = []
    failure: Exception | None = None
    try:
        if len(parts) != ranks:
            raise ValueError(f"one part for each of {ranks} ranks, got {len(parts)}")
        views = [np.frombuffer(part, np.uint8) for part in parts]
    except (TypeError, ValueError) as error:  # the first round tells all ranks of it
        failure = error
    # To each rank: how much it gets, and how much the rank that gets most; -1 after a failure.
    heads = np.full((ranks, 2), -1, _INT64)
    if failure is None:
        heads[:, 0] = [view.size for view in views]
        heads[:, 1] = heads[:, 0].max()
    found = swap([head.view(np.uint8) for head in heads], [heads[0].nbytes] * ranks)
    if failure is not None:
        raise failure
    lengths, longest = np.array([np.frombuffer(head, _INT64) for head in found]).T.tolist()
    if failed := [rank for rank, length in enumerate(lengths) if length < 0]:
        text = "all_to_all_bytes: its parts are not one contiguous buffer for each rank"
        raise RemoteError(failed, [text] * len(failed))
    received = [np.empty(length, np.uint8) for length in lengths]
    step = ROUND // ranks or 1
    others: set[int] = set()  # told after the last round, which the other ranks wait for
    for start in range(0, max(longest), step):
        this = slice(start, start + step)
        expected = [part[this].size for part in received]
        for rank, piece in enumerate(swap([view[this] for view in views], expected)):
            if len(piece) == expected[rank]:
                received[rank][this] = np.frombuffer(piece, np.uint8)
            else:
                others.add(rank)
    if others:
        raise RuntimeError(f"other lengths than announced arrived from the ranks {sorted(others)}")
    return [part.data for part in received]
