"""The position of each row in the global order of the rows of all ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["COLLECT_MODES", "global_order", "global_places", "kept_rows"]

COLLECT_MODES = ("unzip", "cat")


def kept_rows(counts: Sequence[int], size: int, mode: str) -> list[int]:
    """Return the number of each rank's first rows whose global index is below `size`.

    Args:
        counts: The number of rows of each rank.
        size: At most the sum of the counts.
        mode: "unzip": row i of every rank comes before row i + 1 of any rank; "cat": all rows of
            rank 0 come first, then those of rank 1, and so on.

    Example:
        >>> kept_rows([3, 3, 3], 7, "unzip"), kept_rows([3, 3, 3], 7, "cat")
        ([3, 2, 2], [3, 3, 1])
    """
    kept = []
    if mode == "cat":
        for count in counts:
            kept.append(min(count, size))
            size -= kept[-1]
        return kept
    # The largest number of full rounds (ranks that have run out are skipped) that fits.
    low, high = 0, max(counts, default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(count, middle) for count in counts) <= size:
            low = middle
        else:
            high = middle - 1
    left = size - sum(min(count, low) for count in counts)
    for count in counts:
        extra = count > low and left > 0
        kept.append(min(count, low) + extra)
        left -= extra
    return kept


def global_order(counts: Sequence[int], mode: str) -> np.ndarray | None:
    """Return the permutation that puts rows, joined in rank order, into global order.

    Returns:
        The index into the joined rows for each global index, int64 of shape (sum of counts,); None
        if the joined rows are already in order.

    Example:
        >>> global_order([3, 1], "unzip").tolist()
        [0, 3, 1, 2]
    """
    if mode == "cat" or sum(count > 0 for count in counts) < 2:
        return None
    rounds = np.concatenate([np.arange(count) for count in counts])
    # Stable, so that ranks keep their order within a round.
    return np.argsort(rounds, kind="stable")


def global_places(counts: Sequence[int], rank: int, mode: str) -> np.ndarray:
    """Return the global index of every row of a rank, int64 ascending.

    Args:
        counts: The number of rows of each rank.
        rank: The rank.
        mode: As in `kept_rows`.

    Example:
        >>> global_places([3, 1], 0, "unzip"), global_places([3, 1], 1, "cat")
        (array([0, 2, 3]), array([3]))
    """
    own = np.arange(counts[rank])
    if mode == "cat":
        return own + sum(counts[:rank])
    before = np.zeros_like(own)
    for other, count in enumerate(counts):
        before += np.minimum(own + (other < rank), count)
    return before
