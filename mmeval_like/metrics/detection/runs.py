"""Sorted keys as runs of equal ones."""

from __future__ import annotations

import numpy as np

__all__ = ["begins_of_runs", "place_in_run"]


def begins_of_runs(keys: np.ndarray) -> np.ndarray:
    """Return where each run of equal keys begins; the keys are not negative.

    Example:
        >>> begins_of_runs(np.array([4, 4, 7, 9, 9])).tolist()
        [0, 2, 3]
    """
    return np.flatnonzero(np.diff(keys, prepend=-1))


def place_in_run(keys: np.ndarray) -> np.ndarray:
    """Return each entry's place in its run of equal keys.

    Example:
        >>> place_in_run(np.array([4, 4, 7, 9, 9])).tolist()
        [0, 1, 0, 0, 1]
    """
    begins = begins_of_runs(keys)
    return np.arange(len(keys)) - np.repeat(begins, np.diff(begins, append=len(keys)))
