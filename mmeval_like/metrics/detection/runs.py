"""Runs of equal keys in sorted arrays."""

from __future__ import annotations

import numpy as np

__all__ = ["begins_of_runs", "lengths_of_runs", "place_in_run"]


def begins_of_runs(keys: np.ndarray, groups: np.ndarray | None = None) -> np.ndarray:
    """Return the index at which each run of equal keys begins.

    Args:
        keys: One for each entry.
        groups: The lengths of groups, for instance images; a run ends where its group ends.

    Example:
        >>> begins_of_runs(np.array([4, 4, 7, 9, 9])).tolist()
        [0, 2, 3]
    """
    begins = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    if groups is not None:
        filled = groups[groups > 0]
        begins[filled.cumsum() - filled] = True
    return begins.nonzero()[0]


def lengths_of_runs(begins: np.ndarray, total: int) -> np.ndarray:
    """Return how many entries each run has, of `total` in all.

    Example:
        >>> lengths_of_runs(np.array([0, 2, 3]), 5).tolist()
        [2, 1, 2]
    """
    lengths = np.empty_like(begins)
    lengths[:-1] = begins[1:] - begins[:-1]
    lengths[-1:] = total - begins[-1:]
    return lengths


def place_in_run(keys: np.ndarray, groups: np.ndarray | None = None) -> np.ndarray:
    """Return each entry's place in its run of equal keys.

    Args:
        keys: One for each entry.
        groups: As in `begins_of_runs`.

    Example:
        >>> place_in_run(np.array([4, 4, 7, 9, 9])).tolist()
        [0, 1, 0, 0, 1]
        >>> place_in_run(np.array([4, 4, 7, 9, 9]), groups=np.array([1, 4])).tolist()
        [0, 0, 0, 0, 1]
    """
    begins = begins_of_runs(keys, groups)
    first = np.repeat(begins, lengths_of_runs(begins, len(keys)))
    numbers: np.ndarray = np.arange(len(keys)) - first
    return numbers
