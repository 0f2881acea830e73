"""Every dataset index counts once, whatever the sampler's padding, repetition and order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mmeval_like._samples.ids import Id, distinct, shown
from mmeval_like._states.rows import Rows, take
from mmeval_like._states.unequal_rows import differing

__all__ = ["IdsReport", "first_copies"]

_NAMED = 10  # how many missing indices an error lists


@dataclass(frozen=True)
class IdsReport:
    """What an evaluation with `ids=` saw.

    Attributes:
        seen: The number of rows that all ranks added.
        unique: The number of distinct ids among them; each counted once.
        missing: How many of the `size` samples no rank added; None without `size`.
        duplicated: How many ids were added more than once.
        differing: How many of these had copies that are not identical. The first copy in rank
            order, then in order of arrival, counted.
        differing_ids: The lowest of those ids, at most ten. A string of more than 15 bytes is shown
            as the end of its BLAKE2b hash of 16 bytes, `blake2b:...`.
    """

    seen: int
    unique: int
    missing: int | None
    duplicated: int
    differing: int
    differing_ids: tuple[Id, ...] = ()


def first_copies(
    ids: np.ndarray,
    rows: Mapping[str, Rows],
    size: int | None,
    missing: str,
    unscored: np.ndarray | None = None,
) -> tuple[np.ndarray, IdsReport]:
    """Choose one row for every index: the first one of those with a score, if there is one.

    Of rows without a score, those whose reason comes first in the alphabet: the order in which they
    were added, and the ranks that added them, do not decide.

    Args:
        ids: The id of every row, rank after rank in order of arrival, as `read_ids` returns them.
        rows: The rows of every state, in the same order.
        size: The number of samples of the dataset, or None for no check.
        missing: "raise" or "report".
        unscored: As `State.unscored` returns it; None: every row has a score.

    Returns:
        The places of the chosen rows, in ascending order of their ids, and the report.

    Raises:
        ValueError: An id is not below `size`, or there are more texts than that; or, unless
            `missing` is "report", no rank has some of the samples.
    """
    order = np.arange(len(ids)) if unscored is None else np.argsort(unscored, kind="stable")
    unique, first, inverse = distinct(ids if unscored is None else ids[order])
    absent = None if size is None else _absent(unique, size, missing)
    copies = np.ones(len(ids), bool)
    copies[first] = False
    again = np.flatnonzero(copies)
    other = inverse[again]
    differs = np.zeros(len(again), bool)
    for state_rows in rows.values():
        pair = order[again], order[first[other]]
        differs |= differing(take(state_rows, pair[0]), take(state_rows, pair[1]))
    if unscored is not None:
        differs &= (
            unscored[order[again]] == 0
        )  # of copies without a score there is nothing to compare
    report = IdsReport(
        seen=len(ids),
        unique=len(unique),
        missing=absent,
        duplicated=len(np.unique(other)),
        differing=len(different := np.unique(other[differs])),
        differing_ids=shown(unique[different[:_NAMED]]),
    )
    return order[first], report


def _absent(unique: np.ndarray, size: int, missing: str) -> int:
    """Return how many samples have none of these ids; raise ValueError unless that is allowed."""
    texts = unique.ndim > 1
    if texts and len(unique) > size:
        raise ValueError(f"there must be at most size={size} different ids, got {len(unique)}")
    if not texts and len(unique) and unique[-1] >= size:
        raise ValueError(f"ids must be in [0, size={size}), got {unique[-1]}")
    absent = size - len(unique)
    if absent and missing == "raise":
        named, lists = "", "remaining(names), given the names of all samples,"
        if not texts:
            named = ": ids " + ", ".join(map(str, _first_missing(unique, size)))
            named += ", ..." if absent > _NAMED else ""
            lists = "remaining(size)"
        raise ValueError(
            f"{absent} of the {size} samples were added by no rank{named}. "
            f'{lists} lists them; missing="report" computes without them.'
        )
    return absent


def _first_missing(unique: np.ndarray, size: int) -> list[int]:
    """Return the lowest indices of [0, size) that are not among ascending ids, a few at most.

    The memory does not depend on `size`, which may be huge by mistake.
    """
    found: list[int] = []
    starts = [0, *(unique + 1).tolist()]
    for start, stop in zip(starts, [*unique.tolist(), size], strict=True):
        found += range(start, min(stop, start + _NAMED - len(found)))
        if len(found) == _NAMED:
            break
    return found
