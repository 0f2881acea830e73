"""Broken samples: those that every earlier version got right, and the new one gets wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["broken"]


def broken(*found: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the ids of samples that all earlier versions get right, and the new one gets wrong.

    A mean may hide them: as many other samples may have become right. Samples that are right by
    chance break by chance too; with several earlier versions, these are fewer.

    Args:
        *found: For each earlier version, what `compute` of `Paired(metric, list_flips=True)`
            returned, with the earlier version as `a` and the new one as `b`.

    Returns:
        The ids, in ascending order.

    Raises:
        TypeError: No result is given.
        ValueError: A result lists no flips.

    Example:
        >>> from mmeval_like import Accuracy, Paired
        >>> found, labels, others = [], [1] * 30, [1] * 26
        >>> for earlier in ([1, 1, 0, 1], [1, 0, 1, 1]):
        ...     pair = Paired(Accuracy(), list_flips=True)
        ...     pair.a.add(earlier + others, labels, ids=range(30))
        ...     pair.b.add([1, 0, 0, 0] + others, labels, ids=range(30))
        ...     found.append(pair.compute())
        >>> broken(*found)
        (3,)
    """
    if not found:
        raise TypeError("broken needs the result of a comparison with at least one earlier version")
    for one in found:
        if "flips_down_ids" not in one:
            raise ValueError(
                "each result must list its flips: use Paired(metric, list_flips=True), and a "
                "metric that scores each sample right or wrong, such as Accuracy"
            )
    return tuple(sorted(set[Any].intersection(*(set(one["flips_down_ids"]) for one in found))))
