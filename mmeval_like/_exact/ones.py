"""Arrays of ones, the default weights of samples, which are stored and summed as one number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["are_ones", "ones", "without_ones"]

_ONE = np.ones(())
_ONE.flags.writeable = False


@lru_cache(32)
def ones(count: int) -> npt.NDArray[np.float64]:
    """Return a read-only array of ones that takes the memory of a single element.

    Example:
        >>> ones(3), are_ones(ones(3)), are_ones(np.ones(3))
        (array([1., 1., 1.]), True, False)
    """
    return np.ndarray((count,), np.float64, _ONE, strides=(0,))


def are_ones(rows: Any) -> bool:
    """Return whether rows are an array from `ones`, or a part of one."""
    return getattr(rows, "base", None) is _ONE and rows.ndim == 1 and rows.dtype == np.float64


def without_ones(pieces: Sequence[Any]) -> tuple[int, list[Any]]:
    """Return how many ones there are in the pieces that are from `ones`, and the other pieces.

    Example:
        >>> without_ones([ones(3), np.array([1.0, 2.0]), ones(2)])
        (5, [array([1., 2.])])
    """
    count, others = 0, []
    for piece in pieces:
        if getattr(piece, "base", None) is not None and are_ones(piece):
            count += len(piece)
        else:
            others.append(piece)
    return count, others
