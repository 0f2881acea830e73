"""When two results are the same, to the last bit, and when they are close."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["close", "same"]


def same(value: Any, other: Any) -> bool:
    """Return whether two results have the same types and bits; nan equals nan.

    Example:
        >>> same({"a": [1.0, float("nan")]}, {"a": [1.0, float("nan")]}), same(1, 1.0)
        (True, False)
    """
    if type(value) is not type(other):
        return False
    if isinstance(value, Mapping):
        keys = list(value) == list(other)
        return keys and all(same(value[key], other[key]) for key in value)
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
    # The absolute part is for values around 0, where nothing is relative.
    return bool(np.allclose(value, other, rtol=tolerance, atol=tolerance, equal_nan=True))
