"""The worst and the best of several values of a metric, key by key."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["worst_and_best"]


def worst_and_best(
    found: Sequence[Mapping[str, Any]], direction_of: Callable[[str], bool | None]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the worst and the best value of each key, of lists entry by entry.

    Values that are nan are left out, and values that are not numbers are those of the first dict.

    Args:
        found: The values of a metric for several data sets; the same keys in each.
        direction_of: Whether higher values of a key are better, a metric's `direction_of`; where it
            is None, the lowest value comes first.

    Example:
        >>> found = [{"loss": 2.0, "right": [1, 5]}, {"loss": 3.0, "right": [4, 2]}]
        >>> worst_and_best(found, {"loss": False, "right": True}.get)
        ({'loss': 3.0, 'right': [1, 2]}, {'loss': 2.0, 'right': [4, 5]})
    """
    worst, best = {}, {}
    for key in found[0]:
        low, high = (_end(of, [one[key] for one in found]) for of in (min, max))
        worst[key], best[key] = (high, low) if direction_of(key) is False else (low, high)
    return worst, best


def _end(of: Any, values: list[Any]) -> Any:
    if isinstance(values[0], list):
        return [_end(of, [*each]) for each in zip(*values, strict=True)]
    if not isinstance(values[0], int | float):
        return values[0]
    known = [value for value in values if not math.isnan(value)]
    return of(known) if known else math.nan
