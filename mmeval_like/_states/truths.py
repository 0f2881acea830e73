"""64 bits of each sample's truth, such as its label, which show whether two systems share it.

A single number is represented by its value or its bits, everything else by a hash. Equal truths
have equal digests in any dtype, array library and batch: 1, True, 1.0 and [1] are equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mmeval_like._base.mixing import STEP, mixed
from mmeval_like._states.keyed_rows import KeyedRows
from mmeval_like._states.kinds.folding import Extremum
from mmeval_like._states.rows import Rows
from mmeval_like.arrays.accelerator import DeviceArray, fetch
from mmeval_like.arrays.row_hashes import as_listed, canonical_json, numbers_in, row_hashes

__all__ = ["DIGESTS", "TRUTH", "different", "truth_digests", "unknown_truths"]

TRUTH = "__truth__"
"""The name of the state whose rows are the digests."""

DIGESTS = Extremum(np.maximum, int, ())
"""The state itself. Only its rows matter: they are compared, and their maximum is not used."""

_MANY = 1 << 10  # from this number of integers on, small ones are kept in one byte each
_UNKNOWN = np.iinfo(np.int64).min  # the digest of a sample whose truth is not known


def truth_digests(values: Any, rows: Any, ignored: int | None = None) -> np.ndarray:
    """Return the digest of the truth of every sample: integers (n,) of at most 64 bits.

    Digests are unknown if there are no values, if they are not one for each sample, or if an object
    cannot be distinguished from others of its class.

    Args:
        values: An array of any library, a `DeviceArray`, or a list of numbers, texts, arrays, lists
            or dicts.
        rows: The rows of one of the states, which count the samples.
        ignored: The label of positions that do not count, such as padding, which differs between
            batches: they are left out of samples that have several positions.

    Example:
        >>> truth_digests([1.0, True], "ab").tolist(), truth_digests([[1], [0]], "ab").tolist()
        ([1, 1], [1, 0])
        >>> bool(truth_digests([[1, 2]], "a") == truth_digests(np.array([[1.0, 2.0]]), "a"))
        True
    """
    count = len(rows) if hasattr(rows, "__len__") else 0  # rows of another kind are refused
    if type(values) is DeviceArray:
        if values.shape == (count,) and values.dtype.kind in "biu":
            return values  # type: ignore[return-value]  # integers stay on the accelerator
        values = fetch(values)
    if type(values) is np.ndarray and values.shape == (count,) and values.dtype.kind in "biuf":
        return _of_singles(values)
    try:
        values = as_listed(values, "the truth")
        if len(values) == count:
            numbers = numbers_in(values)
            if numbers is not None:
                return _of_numbers(numbers, ignored)
            found = [_of_entry(entry, ignored) for entry in values]
            return np.array(found, np.uint64).view(np.int64)
    except (TypeError, ValueError, RecursionError):
        pass
    return np.full(count, _UNKNOWN)


def unknown_truths(rows: Rows) -> Rows:
    """Return unknown digests for the samples of other rows, with the same keys."""
    if isinstance(rows, KeyedRows):
        return KeyedRows(rows.cells, rows.codes, unknown_truths(rows.rows))
    return np.full(len(rows), _UNKNOWN)


def different(digests: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return for which samples both digests are known and differ.

    Example:
        >>> different(np.array([1, 2, 3]), np.array([1, 0, 3])).tolist()
        [False, True, False]
    """
    digests, others = digests.astype(np.int64), others.astype(np.int64)
    found: np.ndarray = (digests != others) & (digests != _UNKNOWN) & (others != _UNKNOWN)
    return found


def _of_numbers(numbers: np.ndarray, ignored: int | None) -> np.ndarray:
    """Return the digests of rows of numbers (n, ...)."""
    count = len(numbers)
    rows = numbers.reshape(count, numbers.size // count if count else 0)
    if rows.dtype.kind == "c":
        return row_hashes({"": rows}, count).view(np.int64)
    if numbers.ndim > 1 and ignored is not None:
        return _of_counted(rows, ignored)
    if rows.size == count:
        return _of_singles(rows.reshape(count))
    return row_hashes({"": rows}, count).view(np.int64)


def _of_counted(rows: np.ndarray, ignored: int) -> np.ndarray:
    """Return the digests of the numbers of each row (n, m) that count, in their order."""
    counted = rows != ignored
    lengths = counted.sum(axis=1)
    words = _of_singles(rows[counted]).astype(np.int64)
    stops = np.cumsum(lengths)
    places = np.arange(len(words)) - np.repeat(stops - lengths, lengths)
    terms = words.view(np.uint64) * _weights(1 << rows.shape[1].bit_length())[places]
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms)])
    found = sums[stops] - sums[stops - lengths] + mixed(lengths.astype(np.uint64))
    digests: np.ndarray = found.view(np.int64)
    one = lengths == 1  # a row of one number is this number
    digests[one] = words[stops[one] - 1]
    digests[lengths == 0] = ignored
    return digests


@lru_cache(4)
def _weights(size: int) -> np.ndarray:
    """Return an odd number for every place."""
    weights: np.ndarray = mixed(STEP * np.arange(size, dtype=np.uint64)) | np.uint64(1)
    return weights


def _of_singles(numbers: np.ndarray) -> np.ndarray:
    """Return integers as they are, and the bits of fractions; `numbers` has the shape (n,)."""
    if numbers.dtype.kind != "f":
        if numbers.dtype.char not in DIGESTS.mixable:  # uint64
            return numbers.astype(np.int64)
        if len(numbers) >= _MANY and numbers.itemsize > 1:
            words = numbers.view(f"{numbers.dtype.byteorder}u{numbers.itemsize}")
            return numbers.astype(np.int8) if words.max() < 128 else numbers
        return numbers
    wide = numbers.astype(np.float64)
    np.copyto(wide, np.nan, where=wide != wide)  # all nans are equal
    with np.errstate(invalid="ignore"):
        whole = wide.astype(np.int64)
    return np.where(whole == wide, whole, wide.view(np.int64))


def _of_entry(entry: Any, ignored: int | None) -> int:
    """Return the digest of one entry of a list that does not consist of numbers of one shape."""
    while isinstance(entry, list | tuple) and len(entry) == 1:
        entry = entry[0]
    if isinstance(entry, str):
        return _hashed("text", entry.encode("utf-8", "surrogatepass"))
    if isinstance(entry, Mapping | set | frozenset):  # their order does not matter
        parts, kind = (entry.items(), "dict") if isinstance(entry, Mapping) else (entry, "set")
        return _joined(kind, sorted([_of_entry(part, ignored) for part in parts]))
    numbers = None if _is_of_texts(entry) else numbers_in(entry)
    if numbers is not None:
        return int(_of_numbers(numbers[None], ignored)[0]) % (1 << 64)
    entry = entry.tolist() if isinstance(entry, np.ndarray) else entry
    if isinstance(entry, list | tuple):
        return _joined("list", [_of_entry(part, ignored) for part in entry])
    return _hashed("object", canonical_json(entry))


def _is_of_texts(entry: Any) -> bool:
    return isinstance(entry, Sequence) and len(entry) > 0 and isinstance(entry[0], str)


def _joined(kind: str, digests: Iterable[int]) -> int:
    return _hashed(kind, b"".join([digest.to_bytes(8, "little") for digest in digests]))


def _hashed(kind: str, data: bytes) -> int:
    digest = hashlib.blake2b(data, digest_size=8, person=kind.encode()).digest()
    return int.from_bytes(digest, "little")
