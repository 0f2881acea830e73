"""Which rows of two columns differ."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from mmeval_like._states.keyed_rows import KeyedRows
from mmeval_like._states.rows import Ragged, Rows

__all__ = ["differing"]


def differing(rows: Rows, others: Rows) -> np.ndarray:
    """Return, for every row, whether its bits differ from those of the corresponding row."""
    if isinstance(rows, np.ndarray) and isinstance(others, np.ndarray) and _alike(rows, others):
        width = rows.dtype.itemsize * int(np.prod(rows.shape[1:], dtype=np.int64))
        pair = [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for a in (rows, others)]
        left, right = (array.reshape(len(rows), width) for array in pair)
        different: np.ndarray = (left != right).any(axis=1)
        return different
    if isinstance(rows, np.ndarray | Ragged) and isinstance(others, np.ndarray | Ragged):
        both = [one.split() if isinstance(one, Ragged) else [*one] for one in (rows, others)]
        return np.array([not _equal(a, b) for a, b in zip(*both, strict=True)], bool)
    if isinstance(rows, KeyedRows) and isinstance(others, KeyedRows):
        either: np.ndarray = (rows.codes != others.codes) | differing(rows.rows, others.rows)
        return either
    entries = zip(rows, others, strict=True)  # type: ignore[arg-type]
    return np.array([not _equal(a, b) for a, b in entries], bool)


def _alike(rows: np.ndarray, others: np.ndarray) -> bool:
    return rows.dtype == others.dtype and rows.shape[1:] == others.shape[1:]


def _equal(one: Any, other: Any) -> bool:
    """Return whether two objects are equal; arrays in them are compared bit for bit.

    Comparing pickles is not enough: those of equal sets, dicts and shared objects may differ.
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and not one.dtype.hasobject:
        alike = one.dtype == other.dtype and one.shape == other.shape
        return bool(alike and one.tobytes() == other.tobytes())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, float):
        return repr(one) == repr(other)  # nan is the same as nan, 0.0 is not -0.0
    try:
        if bool(one == other):
            return True
    except MemoryError:
        raise
    except Exception:  # `==` of arrays of other libraries has no truth value
        pass
    try:
        return pickle.dumps(one) == pickle.dumps(other)
    except MemoryError:
        raise
    # An object that cannot be pickled cannot be a copy from another rank: the two differ.
    except Exception:
        return False
