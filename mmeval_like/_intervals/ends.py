"""The worst and the best of several values of a metric, key by key."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["worst_and_best"]


def worst_and_best(
    found: Sequence[Mapping[str, Any]], higher_is_better: bool | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the worst and the best value of each key, of lists entry by entry.

    Values that are nan are left out, and values that are not numbers are those of the first dict.

    Args:
        found: The values of a metric for several data sets; the same keys in each.
        higher_is_better: The direction; without one, the lowest values come first.

    Example:
        >>> worst_and_best([{"loss": 2.0, "each": [1, 5]}, {"loss": 3.0, "each": [4, 2]}], False)
        ({'loss': 3.0, 'each': [4, 5]}, {'loss': 2.0, 'each': [1, 2]})
    """
    low, high = ({key: _end(of, [one[key] for one in found]) for key in found[0]} for of in _ENDS)
    return (high, low) if higher_is_better is False else (low, high)


_ENDS = (min, max)


def _end(of: Any, values: list[Any]) -> Any:
    if isinstance(values[0], list):
        return [_end(of, [*each]) for each in zip(*values, strict=True)]
    if not isinstance(values[0], int | float):
        return values[0]
    known = [value for value in values if not math.isnan(value)]
    return of(known) if known else math.nan
