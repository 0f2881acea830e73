"""Columns of keys, converted once per batch to distinct keys and a code for each sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._base.keys import Key, Value
from mmeval_like._states.keyed_rows import KeyIndex
from mmeval_like.arrays.texts import is_missing

__all__ = ["Tags", "read_keys"]


class Tags:
    """The key of every sample of a batch.

    Args:
        cells: The distinct keys.
        codes: The number of each sample's key, int64 of shape (n,).
    """

    def __init__(self, cells: KeyIndex, codes: np.ndarray) -> None:
        self.cells, self.codes = cells, codes


_Column = tuple[np.ndarray, list[Value]]  # codes of the samples, and distinct values


def read_keys(columns: Sequence[tuple[str, Any]], called: str) -> Tags:
    """Return the keys of samples.

    Args:
        columns: The entries of the keys, each as its name in errors and its values, one for each
            sample: integers, texts, or None for a missing value.
        called: The name of the argument with the columns, for errors.

    Raises:
        TypeError: A value is neither an integer nor a string.
        ValueError: Columns differ in length.

    Example:
        >>> tags = read_keys([("x", ["en", "de", "en"]), ("y", np.array([7, 7, 7]))], "by")
        >>> [tags.cells.keys[code] for code in tags.codes.tolist()]
        [('en', 7), ('de', 7), ('en', 7)]
    """
    if len(columns) == 1 and (integers := _integers(columns[0][1])) is not None:
        codes, used = _distinct(integers)
        return Tags(KeyIndex.of_integers(used, called), codes)
    read = [_column(name, values) for name, values in columns]
    lengths = {name: len(codes) for (name, _), (codes, _) in zip(columns, read, strict=True)}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"{called} must have a value for each sample in every column, got {lengths}"
        )
    codes = read[0][0]
    keys: list[Key] = [(value,) for value in read[0][1]]
    for others, values in read[1:]:
        codes, used = _distinct(codes * len(values) + others)
        pairs = (divmod(joint, len(values)) for joint in used.tolist())
        keys = [(*keys[before], values[last]) for before, last in pairs]
    return Tags(KeyIndex(keys, called), codes)


def _column(name: str, values: Any) -> _Column:
    integers = _integers(values)
    if integers is not None:
        return _of_array(integers)
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":  # `tolist` may make integers
        raise _wrong(name, values.dtype, "convert them to strings")
    listed = arrays.listed(values, name, "a list with a value for each sample")
    kinds = set(map(type, listed))
    if kinds == {int}:
        try:
            return _of_array(np.array(listed, np.int64))
        except OverflowError:
            pass
    if not kinds <= {int, str}:
        listed = [v if type(v) in (int, str) else _value(name, v) for v in listed]
    known = dict.fromkeys(listed)
    for place, value in enumerate(known):
        known[value] = place
    return np.fromiter(map(known.__getitem__, listed), np.int64, len(listed)), list(known)


def _integers(values: Any) -> np.ndarray | None:
    """Return the values if they are a 1-D integer array without missing values, else None."""
    plain = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu"
    return values if plain and not np.ma.is_masked(values) else None


def _of_array(values: np.ndarray) -> _Column:
    codes, used = _distinct(values)
    return codes, used.tolist()


def _distinct(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the code of each integer, and the distinct integers, ascending."""
    if not len(values):
        return np.empty(0, np.int64), values
    low, high = int(values.min()), int(values.max())
    dense = high - low < 4 * len(values) + 1024 and high < 2**63
    if not dense or values.dtype.kind not in "iu":
        used, codes = np.unique(values, return_inverse=True)
        return codes.reshape(-1).astype(np.int64), used
    offsets = values.astype(np.int64, copy=False) - low
    there = np.zeros(high - low + 1, bool)
    there[offsets] = True
    used = np.flatnonzero(there)
    return (np.cumsum(there) - 1)[offsets], used + low


def _value(name: str, value: Any) -> Value:
    if is_missing(value) or (isinstance(value, np.floating) and math.isnan(value)):
        return None
    if isinstance(value, np.generic) and value.dtype.kind in "iuU":  # a timedelta64 is an integer
        found: Value = value.item()
        return found
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, int | str):
        return int(value) if isinstance(value, int) else arrays.as_text(value)
    if getattr(value, "shape", None) == () and not isinstance(value, np.generic):
        return _value(name, arrays.to_host(value, name)[()])  # an entry of another library's array
    real = isinstance(value, float | np.floating)
    cure = "sort floats into a few ranges first" if real else "convert them to strings"
    raise _wrong(name, arrays.describe(value), cure)


def _wrong(name: str, given: object, cure: str) -> TypeError:
    return TypeError(f"the values of {name} must be integers or strings, got {given}; {cure}")
