"""Every dataset index counts once, however the sampler padded, repeated or ordered."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like.rows import Ragged, Rows, take

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
    """

    seen: int
    unique: int
    missing: int | None
    duplicated: int
    differing: int


def check_ids(ids: Any, count: int) -> np.ndarray:
    """Return a copy of the dataset indices of `count` samples, int64.

    Raises:
        TypeError: No whole numbers, or a mask.
        ValueError: Not one for each sample, or negative.
    """
    if str(getattr(ids, "dtype", "")).endswith("bool"):
        raise TypeError("ids must be dataset indices, got a mask of booleans")
    ids = arrays.as_integers(ids, "ids")
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
            lost = missing_ids(unique, size)
            named = ", ".join(map(str, lost[:_NAMED])) + (", ..." if absent > _NAMED else "")
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
        differing=len(np.unique(other[differs])),
    )
    return first, report


def _differ(rows: Rows, others: Rows) -> np.ndarray:
    """Return, for every row, whether it is not bit for bit the other one."""
    if isinstance(rows, np.ndarray) and isinstance(others, np.ndarray):
        width = rows.dtype.itemsize * int(np.prod(rows.shape[1:], dtype=np.int64))
        pair = [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for a in (rows, others)]
        left, right = (array.reshape(len(rows), width) for array in pair)
        different: np.ndarray = (left != right).any(axis=1)
        return different
    if isinstance(rows, Ragged) and isinstance(others, Ragged):
        entries = zip(rows.split(), others.split(), strict=True)
        return np.array([a.tobytes() != b.tobytes() for a, b in entries], bool)
    entries = zip(rows, others, strict=True)  # type: ignore[arg-type]
    return np.array([pickle.dumps(a) != pickle.dumps(b) for a, b in entries], bool)
