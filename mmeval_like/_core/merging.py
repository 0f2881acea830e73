"""Merging the samples of several evaluations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from mmeval_like._core.evaluation import Evaluation, emptied
from mmeval_like.arrays import check_ordered

__all__ = ["merge"]

Self = TypeVar("Self", bound=Evaluation)


def merge(parts: Iterable[Self]) -> Self:
    """Return a metric with the samples of all parts, in order; the parts are not changed.

    Args:
        parts: Equal metrics, or equal collections, slices, pairs, windows or records, for instance
            one from each worker of Ray, Dask, Spark or a `DataLoader`. They may be unpickled, or
            results of `from_bytes`.

    Raises:
        TypeError: The parts are a set or a dict, which do not have their order.
        ValueError: There are no parts, or they have different metrics or options.

    Example:
        >>> from mmeval_like import Accuracy
        >>> workers = [Accuracy(), Accuracy()]
        >>> workers[0].add([1, 2], [1, 1])
        >>> workers[1].add([3], [3])
        >>> merge(workers).compute()
        {'top1': 0.6666666666666666}
    """
    check_ordered(parts, "parts", "a list of metrics")
    total: Self | None = None
    for part in parts:
        if total is None:
            total = emptied(part)
        total.merge(part)
    if total is None:
        raise ValueError("merge needs at least one metric, got none")
    return total
