"""The ids of samples: dataset indices as int64, or strings as 128 bits each.

A string of at most 15 bytes in UTF-8 is stored verbatim in 128 bits: one byte for its length, then
the string. A longer string is stored as its BLAKE2b hash (RFC 7693), with the highest bit set. So
two short strings never collide, and the probability that any two of n different long strings
collide is at most n^2 / 2^128, the birthday bound: 3e-21 for a billion strings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from mmeval_like import arrays

__all__ = [
    "INTEGERS",
    "NO_IDS",
    "TEXTS",
    "Id",
    "check_ids",
    "distinct",
    "kind_of",
    "missing_ids",
    "missing_texts",
    "read_ids",
    "shown",
]

Id: TypeAlias = "int | str"

NO_IDS, INTEGERS, TEXTS = "no ids=", "integers as ids=", "strings as ids="

_ROOM = 15  # bytes for a string, after the length byte
_DENSE = 4  # ids below this multiple of their number are counted instead of sorted


def read_ids(ids: Any, count: int) -> np.ndarray:
    """Return the ids of `count` samples: int64 (count,), or for strings uint64 (count, 2).

    Raises:
        TypeError: The ids are neither whole numbers nor strings, a mixture of both, or masked.
        ValueError: There is not one id for each sample, or an id is negative or missing.
    """
    listed = ids if isinstance(ids, list | tuple) else [ids]
    if any(isinstance(i, bool) or str(getattr(i, "dtype", "")).endswith("bool") for i in listed):
        raise TypeError("ids must be dataset indices or strings, got a mask of booleans")
    texts = arrays.as_texts(ids, "ids")
    if texts is not None:
        found = _packed(texts)
    else:
        try:
            found = arrays.as_integers(ids, "ids")
        except TypeError as error:
            raise TypeError(
                f"{error}; ids are the samples' places in the dataset, integers from 0 on, such as "
                f"Indexed(dataset) yields, or names of samples, all of them strings"
            ) from error
    if found.shape[:1] != (count,) or found.ndim != (1 if texts is None else 2):
        raise ValueError(
            f"ids must have one id for each of the {count} samples, got shape {np.shape(ids)}"
        )
    check_ids(found)
    kept: np.ndarray = found.copy()
    return kept


def check_ids(ids: np.ndarray) -> None:
    """Refuse negative indices.

    Raises:
        ValueError: An id is negative.
    """
    if ids.ndim == 1 and len(ids) and ids.min() < 0:
        raise ValueError(f"ids must not be negative, got {ids.min()}")


def _packed(texts: Sequence[Any]) -> np.ndarray:
    if any(isinstance(text, list) for text in texts):
        raise TypeError("ids must be strings, one for each sample, got lists of strings")
    return np.frombuffer(b"".join(map(_bits, texts)), ">u8").astype(np.uint64).reshape(-1, 2)


def _bits(text: str) -> bytes:
    written = text.encode("utf-8", "surrogatepass")
    if len(written) <= _ROOM:
        return bytes([len(written)]) + written.ljust(_ROOM, b"\0")
    digest = hashlib.blake2b(written, digest_size=16).digest()
    return bytes([digest[0] | 0x80]) + digest[1:]


def shown(ids: np.ndarray) -> tuple[Id, ...]:
    """Return ids in readable form; a long text is shown as the end of its hash.

    Example:
        >>> shown(read_ids(["img-7", "a name of more than 15 bytes"], 2))
        ('img-7', 'blake2b:...85c3862cb9eaa02c950814bee4fe8f')
    """
    if ids.ndim == 1:
        return tuple(ids.tolist())
    return tuple(_text(row.astype(">u8").tobytes()) for row in ids)


def _text(bits: bytes) -> str:
    if bits[0] & 0x80:
        return f"blake2b:...{bits[1:].hex()}"
    return bits[1 : 1 + bits[0]].decode("utf-8", "surrogatepass")


def kind_of(ids: np.ndarray | None) -> str:
    """Return the kind of ids, in words; samples with different kinds cannot be combined."""
    if ids is None:
        return NO_IDS
    return INTEGERS if ids.ndim == 1 else TEXTS


def distinct(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct ids, ascending, their first places, and the inverse, as `np.unique`."""
    if ids.ndim == 1:
        if (ids[1:] > ids[:-1]).all():
            places = np.arange(len(ids))
            return ids, places, places
        if ids.max() < _DENSE * len(ids):
            return _distinct_indices(ids)
        return np.unique(ids, return_index=True, return_inverse=True)
    order = np.lexsort((ids[:, 1], ids[:, 0]))  # stable: the first of equal ids stays first
    ascending = ids[order]
    new = np.ones(len(ids), bool)
    new[1:] = (ascending[1:] != ascending[:-1]).any(axis=1)
    inverse = np.empty(len(ids), np.intp)
    inverse[order] = np.cumsum(new) - 1
    return ascending[new], order[new], inverse


def _distinct_indices(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the same as `distinct`, for indices with few gaps, without sorting."""
    first = np.full(int(ids.max()) + 1, -1)
    first[ids[::-1]] = np.arange(len(ids))[::-1]  # among equal ids, the last assignment wins
    unique = np.flatnonzero(first >= 0)
    places = first[unique]
    first[unique] = np.arange(len(unique))
    return unique, places, first[ids]


def missing_ids(ids: np.ndarray, size: int) -> np.ndarray:
    """Return the indices of [0, size) that are not among `ids`, ascending, int64.

    Example:
        >>> missing_ids(np.array([0, 3, 3]), 5).tolist()
        [1, 2, 4]
    """
    absent = np.ones(size, bool)
    absent[ids[ids < size]] = False
    return np.flatnonzero(absent)


def missing_texts(ids: np.ndarray, texts: Sequence[str]) -> list[str]:
    """Return the strings that are not among `ids`, in their order.

    Example:
        >>> missing_texts(read_ids(["a"], 1), ["b", "a"])
        ['b']
    """
    known = {row.tobytes() for row in ids}
    pairs = zip(texts, _packed(texts), strict=True)
    return [text for text, row in pairs if row.tobytes() not in known]
