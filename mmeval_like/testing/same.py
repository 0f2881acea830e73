"""Whether two results are equal to the last bit or close, and which types they may contain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["all_are", "check_plain", "close", "same"]


def same(value: Any, other: Any) -> bool:
    """Return whether two results have the same types and bits; nan is equal to nan.

    Example:
        >>> same({"a": [1.0, float("nan")]}, {"a": [1.0, float("nan")]}), same(1, 1.0)
        (True, False)
    """
    if isinstance(value, dict) and isinstance(other, dict):  # a Result is equal to a plain dict
        keys = list(value) == list(other)
        return keys and all(same(value[key], other[key]) for key in value)
    if type(value) is not type(other):
        return False
    if isinstance(value, list | tuple):
        return len(value) == len(other) and all(map(same, value, other))
    if isinstance(value, np.ndarray):
        if value.dtype != other.dtype or value.shape != other.shape:
            return False
        return bool(np.array_equal(value, other, equal_nan=value.dtype.kind in "fc"))
    if hasattr(value, "untyped_storage"):  # a torch tensor
        if (value.dtype, value.shape, value.device) != (other.dtype, other.shape, other.device):
            return False
        return same(value.tolist(), other.tolist())
    if isinstance(value, float) and math.isnan(value):
        return math.isnan(other)
    return bool(value == other)


def close(value: Any, other: Any, tolerance: float) -> bool:
    """Return whether numbers, arrays, lists or dicts of them agree, relatively to `tolerance`."""
    if isinstance(other, Mapping):
        return all(key in value and close(value[key], other[key], tolerance) for key in other)
    if isinstance(other, str) or other is None:
        return bool(value == other)
    value, other = np.asarray(value, float), np.asarray(other, float)
    if value.shape != other.shape:
        return False
    # The absolute tolerance is for values near 0, where the relative one is useless.
    return bool(np.allclose(value, other, rtol=tolerance, atol=tolerance, equal_nan=True))


def all_are(value: Any, number: float) -> bool:
    """Return whether every number of a result equals `number`; for nan, an integer 0 counts, too.

    Example:
        >>> all_are({"a": [0.0, 0.0], "b": 0}, 0), all_are({"a": 1.0}, 0)
        (True, False)
        >>> all_are({"mean": float("nan"), "count": 0}, float("nan"))
        True
    """
    if isinstance(value, Mapping):
        return all(all_are(entry, number) for entry in value.values())
    if isinstance(value, list | tuple):
        return all(all_are(entry, number) for entry in value)
    if not isinstance(value, int | float | np.ndarray):
        return False
    entries = np.asarray(value)
    wanted = 0 if math.isnan(number) and entries.dtype.kind in "biu" else number
    return bool(np.all((entries == wanted) | ((entries != entries) & math.isnan(wanted))))


def check_plain(value: Any) -> None:
    """Raise unless a result is made of plain Python and numpy values.

    Raises:
        AssertionError: The result contains another type, which the text names.
    """
    if isinstance(value, Mapping):
        for entry in value.values():
            check_plain(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            check_plain(entry)
    elif not (value is None or isinstance(value, bool | int | float | str | np.ndarray)):
        raise AssertionError(f"results must be plain values, got {type(value).__name__}")
