"""Every dataset index counts once, however the sampler padded, repeated or ordered."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._accumulate.rows import Ragged, Rows, take
from mmeval_like._accumulate.tagged import Tagged

__all__ = ["IdsReport", "check_ids", "first_copies", "missing_ids"]

_NAMED = 10  # how many missing indices an error lists


@dataclass(frozen=True)
class IdsReport:
    """What an evaluation with `ids=` saw.

    Attributes:
        seen: The number of rows that all ranks added.
        unique: How many different indices these have; each counted once.
        missing: How many indices of [0, size) no rank added; None without `size`.
        duplicated: How many indices came more than once.
        differing: How many of these had copies that are not identical. The first in rank
            order, then in order of arrival, counted.
        differing_ids: The lowest of those indices, ten at most.
    """

    seen: int
    unique: int
    missing: int | None
    duplicated: int
    differing: int
    differing_ids: tuple[int, ...] = ()


def check_ids(ids: Any, count: int) -> np.ndarray:
    """Return a copy of the dataset indices of `count` samples, int64.

    Raises:
        TypeError: No whole numbers, or a mask.
        ValueError: Not one for each sample, or negative.
    """
    listed = ids if isinstance(ids, list | tuple) else [ids]
    if any(isinstance(i, bool) or str(getattr(i, "dtype", "")).endswith("bool") for i in listed):
        raise TypeError("ids must be dataset indices, got a mask of booleans")
    try:
        ids = arrays.as_integers(ids, "ids")
    except TypeError as error:
        raise TypeError(
            f"{error}; ids are the samples' places in the dataset, integers from 0 on, such as "
            f"Indexed(dataset) yields: number samples that have names only"
        ) from error
    if ids.shape != (count,):
        raise ValueError(
            f"ids must hold one dataset index for each of the {count} samples, "
            f"got shape {ids.shape}"
        )
    if count and ids.min() < 0:
        raise ValueError(f"ids must not be negative, got {ids.min()}")
    kept: np.ndarray = ids.copy()
    return kept


def missing_ids(ids: np.ndarray, size: int) -> np.ndarray:
    """Return the indices of [0, size) that are not among `ids`, ascending, int64.

    Example:
        >>> import numpy as np
        >>> missing_ids(np.array([0, 3, 3]), 5).tolist()
        [1, 2, 4]
    """
    absent = np.ones(size, bool)
    absent[ids] = False
    return np.flatnonzero(absent)


def first_copies(
    ids: np.ndarray, rows: Mapping[str, Rows], size: int | None, missing: str
) -> tuple[np.ndarray, IdsReport]:
    """Choose one row for every index.

    Args:
        ids: The index of every row, rank after rank in order of arrival; int64.
        rows: The rows of every state, in the same order.
        size: The number of samples of the dataset, or None for no check.
        missing: "raise" or "report".

    Returns:
        The places of the chosen rows, in ascending order of their ids, and the report.

    Raises:
        ValueError: An id is not below `size`; or, unless `missing` is "report", indices of
            [0, size) that no rank has.
    """
    unique, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    absent: int | None = None
    if size is not None:
        if len(unique) and unique[-1] >= size:
            raise ValueError(f"ids must be in [0, size={size}), got {unique[-1]}")
        absent = size - len(unique)
        if absent and missing == "raise":
            named = ", ".join(map(str, _first_missing(unique, size)))
            named += ", ..." if absent > _NAMED else ""
            raise ValueError(
                f"{absent} of the {size} samples were added by no rank: ids {named}. "
                f'remaining(size) lists them; missing="report" computes without them.'
            )
    copies = np.ones(len(ids), bool)
    copies[first] = False
    again = np.flatnonzero(copies)
    other = inverse[again]
    differs = np.zeros(len(again), bool)
    for state_rows in rows.values():
        differs |= _differ(take(state_rows, again), take(state_rows, first[other]))
    report = IdsReport(
        seen=len(ids),
        unique=len(unique),
        missing=absent,
        duplicated=len(np.unique(other)),
        differing=len(different := np.unique(other[differs])),
        differing_ids=tuple(unique[different[:_NAMED]].tolist()),
    )
    return first, report


def _first_missing(unique: np.ndarray, size: int) -> list[int]:
    """Return the lowest indices of [0, size) that are not among ascending ids, a few at most.

    `size` may be any number, by mistake: it costs no memory.
    """
    found: list[int] = []
    starts = [0, *(unique + 1).tolist()]
    for start, stop in zip(starts, [*unique.tolist(), size], strict=True):
        found += range(start, min(stop, start + _NAMED - len(found)))
        if len(found) == _NAMED:
            break
    return found


def _differ(rows: Rows, others: Rows) -> np.ndarray:
    """Return, for every row, whether its bits differ from those of the other row."""
    if isinstance(rows, np.ndarray) and isinstance(others, np.ndarray):
        width = rows.dtype.itemsize * int(np.prod(rows.shape[1:], dtype=np.int64))
        pair = [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for a in (rows, others)]
        left, right = (array.reshape(len(rows), width) for array in pair)
        different: np.ndarray = (left != right).any(axis=1)
        return different
    if isinstance(rows, Ragged) and isinstance(others, Ragged):
        entries = zip(rows.split(), others.split(), strict=True)
        return np.array([a.tobytes() != b.tobytes() for a, b in entries], bool)
    if isinstance(rows, Tagged) and isinstance(others, Tagged):
        either: np.ndarray = (rows.codes != others.codes) | _differ(rows.rows, others.rows)
        return either
    entries = zip(rows, others, strict=True)  # type: ignore[arg-type]
    return np.array([not _equal(a, b) for a, b in entries], bool)


def _equal(one: Any, other: Any) -> bool:
    """Return whether two objects are equal; arrays in them bit for bit.

    Pickles alone do not tell: those of equal sets, dicts and shared objects may differ.
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
    except Exception:  # `==` of arrays of other libraries has no truth value
        pass
    try:
        return pickle.dumps(one) == pickle.dumps(other)
    # An object that cannot be pickled has not come from another rank: it is another one.
    except Exception:
        return False
