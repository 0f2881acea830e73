"""A digest of many samples that is a sum: it depends on no order, batch or number of ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like._states.kinds.abstract import State, the_array
from mmeval_like.arrays.row_hashes import blocks

__all__ = ["LANES", "HashSum", "lanes_of", "shown"]

LANES = 2
_FACTORS = np.array([1, 0xD6E8FEB86659FD93], np.uint64)


class HashSum(State):
    """Two sums over samples, modulo 2^64: of their 64-bit hashes, and of values derived from them.

    Rows are the hashes that `row_hashes` returns.
    """

    additive = True

    def check(self, name: str, rows: Any) -> np.ndarray:
        """Return hashes; raise unless they are hashes."""
        if not isinstance(rows, np.ndarray) or rows.dtype != np.uint64 or rows.ndim != 1:
            raise TypeError(f"the rows of state {name!r} must be hashes, uint64 of shape (n,)")
        return rows

    def empty(self) -> np.ndarray:
        """Return the sums of no samples."""
        return np.zeros(LANES, np.int64)

    def fold(self, folded: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the sums with these samples added."""
        return self.merge(folded, lanes_of(rows))

    def merge(self, folded: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the combined sums."""
        merged: np.ndarray = folded + other
        return merged

    def subtract(self, folded: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the sums that give `folded` when `other` is merged."""
        left: np.ndarray = folded - other
        return left

    def to_arrays(self, folded: np.ndarray) -> dict[str, np.ndarray]:
        """Return the sums as they are sent."""
        return {"lanes": folded}

    def from_arrays(self, found: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the sums that were sent."""
        return the_array(found, "lanes", np.int64, (LANES,))


def lanes_of(hashes: np.ndarray) -> np.ndarray:
    """Return both sums of samples' hashes, modulo 2^64, as int64 of shape (2,)."""
    sums = np.zeros(LANES, np.uint64)
    for block in blocks(len(hashes)):
        words = hashes[block]
        second = words >> np.uint64(32)
        second ^= words  # so that the second sum is not a multiple of the first
        sums += np.array([words.sum(dtype=np.uint64), second.sum(dtype=np.uint64)])
    sums *= _FACTORS  # equals the sums of the multiplied words
    return sums.view(np.int64)


def shown(lanes: np.ndarray) -> str:
    """Return both sums as a string of 32 hexadecimal digits.

    Example:
        >>> shown(np.array([1, -1]))
        '0000000000000001ffffffffffffffff'
    """
    return lanes.astype(np.int64).astype(">i8").tobytes().hex()
