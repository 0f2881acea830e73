"""Many results at once: each number becomes an array with one entry for each result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

__all__ = ["elementwise", "vectorised"]

C = TypeVar("C", bound=Callable[..., Any])


def vectorised(compute: C) -> C:
    """Mark a `compute_metric` that also works on arrays, with one entry for each of many results.

    Intervals then evaluate it once instead of thousands of times, see `Jackknife.perturbed`. A
    class that overrides the method must mark it again.

    Example:
        >>> from mmeval_like import writing
        >>> class Share(writing.BaseMetric):
        ...     hits = writing.state.sum(bool)
        ...     def rows(self, hits):
        ...         return {"hits": hits}
        ...     @writing.vectorised
        ...     def compute_metric(self, results):
        ...         return {"share": writing.entrywise(writing.ratio, results.hits, len(results))}
        >>> Share()(np.array([True, False]))
        {'share': 0.5}
    """
    compute.vectorised = True  # type: ignore[attr-defined]
    return compute


def elementwise(function: Callable[..., float], *numbers: Any) -> Any:
    """Evaluate a function entry by entry on arrays of integers; equal entries are evaluated once.

    The function gets Python integers, which do not overflow. Scalars give its value as it is.

    Args:
        function: A function that takes one number for each argument.
        *numbers: Numbers, or arrays (m,).

    Example:
        >>> elementwise(lambda a, b: a / b, 1, 2)
        0.5
        >>> elementwise(lambda a, b: a / b, np.array([1, 3]), 2).tolist()
        [0.5, 1.5]
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
