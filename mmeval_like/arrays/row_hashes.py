"""A 64-bit hash of every sample, which depends on its values and not on their form.

The words of a sample are its numbers as float64, so that formats and dtypes that hold the same
numbers give the same bits: -0 becomes 0, and all nans are equal. Each word is multiplied by an odd
number that depends on its place, the products are added modulo 2^64, and the sum is mixed by
splitmix64. Texts and other objects are hashed by BLAKE2b (RFC 7693) first.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from operator import getitem
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._base.mixing import STEP, mixed

__all__ = ["as_listed", "blocks", "canonical_json", "numbers_in", "row_hashes"]

_EXACT = 2.0**53  # float64 represents all integers up to this one
_DIGITS = np.uint64(53)
_HALF = np.uint64(32)
_FEW = 1 << 12  # integers below it are looked up
_BLOCK = 1 << 14  # words
_PLACE = re.compile(r" at 0x[0-9A-Fa-f]+>")  # the default repr of an object


def row_hashes(columns: Mapping[str, Any], count: int) -> np.ndarray:
    """Return the 64-bit hash of every sample, uint64 of shape (count,).

    Args:
        columns: The values of the samples, by name: arrays of any library, or lists of numbers,
            texts, arrays, or other objects that JSON can represent. A column that is None is left
            out.
        count: The number of samples.

    Raises:
        TypeError: An object cannot be distinguished from others of its class.
        ValueError: A column does not have one entry for each sample.

    Example:
        >>> import numpy as np
        >>> one = row_hashes({"labels": np.array([1, 2], np.uint8), "text": ["a", "b"]}, 2)
        >>> other = row_hashes({"text": ["b", "a"], "labels": [2.0, 1.0]}, 2)
        >>> np.array_equal(one, other[::-1])
        True
    """
    total = np.zeros(count, np.uint64)
    of_numbers: dict[str, np.ndarray] = {}
    for name, values in columns.items():
        if values is None:
            continue
        listed = as_listed(values, name)
        if len(listed) != count:
            raise ValueError(f"{name} must have an entry for each of the {count} samples")
        numbers = numbers_in(listed)
        if numbers is None:
            total += _each(listed, name)
        else:
            of_numbers[name] = numbers
    width = max([math.prod(numbers.shape[1:]) for numbers in of_numbers.values()], default=0)
    for block in blocks(count, max(1, width)):
        words = total[block]
        for name, numbers in of_numbers.items():
            words += _words(numbers[block], name)
        mixed(words)
    return total


def blocks(count: int, width: int = 1) -> Iterator[slice]:
    """Yield slices of `count` rows of a width that fit into the processor's cache."""
    step = max(1, _BLOCK // width)
    for start in range(0, count, step):
        yield slice(start, start + step)


def as_listed(values: Any, name: str) -> Any:
    """Return an array of another library as numpy's, or as a list of texts; lists as they are.

    Args:
        values: The values of the samples.
        name: What to call them in errors.
    """
    if isinstance(values, list | tuple | np.ndarray):
        return values
    texts = arrays.as_texts(values, name) if arrays.may_be_texts(values) else None
    return arrays.to_host(values, name) if texts is None else texts


def numbers_in(values: Any) -> np.ndarray | None:
    """Return values as an array of exactly these numbers; None if numpy has no such array.

    Example:
        >>> numbers_in([1, 2.5]), numbers_in(["a"]), numbers_in([[1, 2], [3]])
        (array([1. , 2.5]), None, None)
    """
    found = _numbers(values)
    return None if found is None or _lost_digits(values, found) else found


def _numbers(values: Any) -> np.ndarray | None:
    """Return values as an array of numbers; None if they are not numbers, or of several shapes."""
    if isinstance(values, np.ndarray) and values.dtype.hasobject:
        values = values.tolist()
    try:
        if _is_array(type(values)):
            values = _on_host(values)
        elif isinstance(values, list | tuple) and any(map(_is_array, set(map(type, values)))):
            values = [_on_host(value) if _is_array(type(value)) else value for value in values]
        found = np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # including arrays that numpy cannot read
        return None
    return found if found.dtype.kind in "biufc" else None


def _is_array(kind: type) -> bool:
    """Return whether values of a type are arrays of a library other than numpy."""
    return hasattr(kind, "dtype") and not issubclass(kind, np.ndarray | np.generic)


def _on_host(array: Any) -> np.ndarray:
    return arrays.to_host(array, "a sample")


def _lost_digits(values: Any, numbers: np.ndarray) -> bool:
    """Return whether lists contain integers that lost digits when they became floats."""
    if not isinstance(values, list | tuple) or numbers.dtype.kind != "f":
        return False
    large = np.argwhere(abs(numbers.astype(np.float64, copy=False)) >= _EXACT).tolist()
    return any(_is_no_float(reduce(getitem, place, values)) for place in large)


def _is_no_float(entry: Any) -> bool:
    """Return whether an entry is an integer that float64 would round, or exceeds 64 bits."""
    if not isinstance(entry, int):
        return False
    return not -(1 << 63) <= entry < 1 << 64 or entry != float(entry)


def _words(numbers: np.ndarray, name: str) -> np.ndarray:
    """Return the term that a column of numbers (n, ...) adds to each sample's hash."""
    if numbers.dtype.kind == "c":
        numbers = np.stack([numbers.real, numbers.imag], axis=-1)
    shape = numbers.shape[1:]
    if not shape and numbers.dtype.kind in "biu":
        codes = numbers.astype(np.intp, copy=False)
        if len(codes) > _FEW and codes.view(np.uintp).max() < _FEW:  # labels, for instance
            return np.take(_of_codes(name), codes, mode="clip")
    weights, constant = _weights(name, shape)
    floats = numbers.astype(np.float64).reshape(len(numbers), len(weights))
    words: np.ndarray = floats.view(np.uint64)
    if numbers.dtype.kind == "f":
        floats += 0.0  # -0 is 0
        if np.isnan(floats).any():
            floats[np.isnan(floats)] = np.nan
    elif numbers.dtype.itemsize == 8 and numbers.size and (abs(floats) >= _EXACT).any():
        whole = numbers.reshape(floats.shape).astype(np.uint64)
        size = np.where(floats < 0, -whole, whole)
        # Floats would round them: odd multiples, of over 53 bits, of a power of two; not 0.
        lost = size >> _DIGITS >= np.maximum(size & -size, 1)
        words[lost] = mixed(whole[lost])
    words ^= words >> _HALF  # the low bits of most floats are zeros
    if len(weights) == 1:
        words = words[:, 0]
        words *= weights[0]
        words += constant
        return words
    found: np.ndarray = np.einsum("ij,j->i", words, weights)
    return found + constant


@lru_cache(64)
def _of_codes(name: str) -> np.ndarray:
    """Return the terms that the smallest integers add to a sample's hash."""
    return _words(np.arange(_FEW, dtype=np.float64), name)


@lru_cache(256)
def _weights(name: str, shape: tuple[int, ...]) -> tuple[np.ndarray, np.uint64]:
    """Return an odd number for every place of a column, and a number for its name and shape."""
    digest = hashlib.blake2b(f"{name}\0{shape}".encode("utf-8", "surrogatepass"), digest_size=16)
    start, constant = np.frombuffer(digest.digest(), "<u8")
    size = int(np.prod(shape, dtype=np.int64))
    weights = mixed(start + STEP * np.arange(size, dtype=np.uint64))
    return weights | np.uint64(1), np.uint64(constant)


def _each(values: Sequence[Any], name: str) -> np.ndarray:
    """Return the terms of entries that are not numbers, or differ in shape, one by one."""
    known: dict[str, int] = {}
    found = np.empty(len(values), np.uint64)
    for place, entry in enumerate(values):
        if isinstance(entry, str):
            if entry not in known:
                known[entry] = _hashed(name, "text", entry.encode("utf-8", "surrogatepass"))
            found[place] = known[entry]
            continue
        numbers = numbers_in(entry)
        if numbers is None:
            found[place] = _hashed(name, "object", canonical_json(entry))
        else:
            found[place] = _words(numbers[None], name)[0]
    return found


def _hashed(name: str, kind: str, data: bytes) -> int:
    key = f"{name}\0{kind}\0".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(key + data, digest_size=8).digest(), "little")


def canonical_json(entry: Any) -> bytes:
    """Return an object as JSON, the same for equal numbers of any types.

    Raises:
        TypeError: An object is identified only by its place in memory.
    """
    text = json.dumps(_plain(entry), sort_keys=True)
    return text.encode("utf-8", "surrogatepass")


def _exact(numbers: Any) -> Any:
    """Return integers in lists of lists as floats, where these are equal."""
    if isinstance(numbers, list):
        return [_exact(number) for number in numbers]
    return numbers if _is_no_float(numbers) else float(numbers)


def _plain(entry: Any) -> Any:
    """Return a JSON value for an object; equal numbers of different types give the same value.

    Raises:
        TypeError: An object is identified only by its place in memory.
    """
    if entry is None or isinstance(entry, str):
        return entry
    if isinstance(entry, Mapping):
        return {key: _plain(value) for key, value in entry.items()}
    numbers = numbers_in(entry)
    if numbers is not None and numbers.dtype.kind != "c":
        floats = numbers.astype(np.float64)
        whole = numbers.dtype.kind in "iu" and (abs(floats) >= _EXACT).any()
        return _exact(numbers.tolist()) if whole else (floats + 0.0).tolist()  # -0 is 0
    if isinstance(entry, list | tuple):
        return [_plain(value) for value in entry]
    if isinstance(entry, set | frozenset):  # their order differs between processes
        return sorted(map(_plain, entry), key=json.dumps)
    if hasattr(entry, "tolist"):  # an array of strings, which str() abbreviates
        return _plain(entry.tolist())
    text = str(entry)
    if _PLACE.search(text):
        raise TypeError(
            f"a record identifies samples by their content, which {text:.80} does not show: give "
            f"{type(entry).__qualname__} a __repr__ that shows it, or pass values that JSON has"
        )
    return text
