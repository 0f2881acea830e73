"""Many results at once: each number is then an array, with an entry for each of the results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

__all__ = ["elementwise", "vectorised"]

C = TypeVar("C", bound=Callable[..., Any])


def vectorised(compute: C) -> C:
    """Say of a `compute_metric` that its formula also holds for arrays of many results' numbers.

    Intervals then evaluate it once instead of thousands of times, see `Statistic.moved`. A class
    that overrides the method has to say so anew.
    """
    compute.vectorised = True  # type: ignore[attr-defined]
    return compute


def elementwise(function: Callable[..., float], *numbers: Any) -> Any:
    """Return a function of numbers; of arrays of integers an array of it, entry by entry.

    The integers are handed over as Python's, which do not overflow. Equal ones are computed once.

    Args:
        function: Of as many numbers as there are arguments.
        *numbers: Numbers, or arrays (m,).

    Example:
        >>> elementwise(lambda a, b: a / b, 1, 2), elementwise(lambda a, b: a / b, np.array([1, 3]), 2).tolist()
        (0.5, [0.5, 1.5])
    """
    if not any(isinstance(number, np.ndarray) for number in numbers):
        return function(*numbers)
    known: dict[tuple[Any, ...], float] = {}
    found = []
    for one in zip(*(column.tolist() for column in np.broadcast_arrays(*numbers)), strict=True):
        if one not in known:
            known[one] = function(*one)
        found.append(known[one])
    return np.array(found, np.float64)
