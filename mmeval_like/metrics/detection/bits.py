"""Many flags per row, one bit each: one machine operation processes 64 of them.

The flags that ranks exchange are packed by row, uint8 (n, bytes). Flags that are read column by
column are first transposed to planes, uint8 (bytes, n).
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "any_of",
    "any_unlike",
    "bytes_for",
    "column",
    "pack",
    "pack_bytes",
    "to_bytes",
    "to_planes",
    "unpack_bytes",
]

_BLOCK = 1 << 13


def bytes_for(columns: int) -> int:
    """Return the number of bytes that hold `columns` bits."""
    return -(-columns // 8)


def pack_bytes(flags: np.ndarray) -> np.ndarray:
    """Return bool (n, columns) as uint8 (n, bytes_for(columns)).

    Example:
        >>> pack_bytes(np.array([[True, False, True]])).tolist()
        [[5]]
    """
    return np.packbits(flags, axis=1, bitorder="little")


def unpack_bytes(packed: np.ndarray, columns: int) -> np.ndarray:
    """Return the flags that `pack_bytes` packed, as uint8 0 or 1 of shape (n, columns)."""
    return np.unpackbits(packed, axis=1, count=columns, bitorder="little")


def to_planes(packed: np.ndarray, order: np.ndarray | None = None) -> np.ndarray:
    """Return the result of `pack_bytes`, uint8 (n, bytes), as planes, uint8 (bytes, n).

    Args:
        packed: The rows.
        order: The indices of the rows to return, in order; None: all rows in their order.

    Example:
        >>> to_planes(np.array([[1, 2], [3, 4]], np.uint8), np.array([1, 0])).tolist()
        [[3, 1], [4, 2]]
    """
    if order is None:
        return np.ascontiguousarray(packed.T)
    planes = np.empty((packed.shape[1], len(order)), np.uint8)
    for start in range(0, len(order), _BLOCK):  # the rows of a block stay in the cache
        rows = packed.take(order[start : start + _BLOCK], 0)
        planes[:, start : start + _BLOCK] = rows.T
    return planes


def column(planes: np.ndarray, place: int) -> np.ndarray:
    """Return one column of planes, bool (n,).

    Example:
        >>> flags = np.array([[True, False], [True, True]])
        >>> column(to_planes(pack_bytes(flags)), 1).tolist()
        [False, True]
    """
    found: np.ndarray = planes[place // 8] & (1 << place % 8) != 0
    return found


def any_of(planes: np.ndarray) -> np.ndarray:
    """Return the indices of the rows with any bit set, int64 (k,), ascending.

    Example:
        >>> any_of(to_planes(pack_bytes(np.array([[False], [True]])))).tolist()
        [1]
    """
    found: np.ndarray = np.bitwise_or.reduce(planes, axis=0) != 0
    return found.nonzero()[0]


def any_unlike(planes: np.ndarray, columns: range, flags: np.ndarray) -> np.ndarray:
    """Return the rows whose bits in `columns` differ from `flags`, as `any_of` does.

    Example:
        >>> planes = to_planes(pack_bytes(np.array([[False, True, True], [True, True, True]])))
        >>> any_unlike(planes, range(0, 2), np.array([True, True])).tolist()
        [0]
    """
    first, behind = columns.start // 8, -(-columns.stop // 8)
    mask = np.zeros((1, 8 * (behind - first)), np.bool_)
    mask[:, columns.start - 8 * first : columns.stop - 8 * first] = True
    everywhere = 0 - flags.view(np.uint8)  # all bits set, or none
    return any_of((planes[first:behind] ^ everywhere) & to_planes(pack_bytes(mask)))


def pack(flags: np.ndarray) -> np.ndarray:
    """Return bool (n, columns) as uint64 (n, words)."""
    packed = pack_bytes(flags)
    words = -(-packed.shape[1] // 8)
    padded = np.zeros((len(flags), 8 * words), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8")


def to_bytes(words: np.ndarray, columns: int) -> np.ndarray:
    """Return the first `columns` bits of uint64 (n, words) as uint8, as `pack_bytes` does."""
    packed = np.ascontiguousarray(words, "<u8").view(np.uint8)
    return np.ascontiguousarray(packed[:, : bytes_for(columns)])
