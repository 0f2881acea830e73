"""The ranges that the values of metrics have, by key or pattern of keys."""

from __future__ import annotations

import math
from collections.abc import Mapping

__all__ = [
    "BELOW_ONE",
    "CORRELATION",
    "NOT_NEGATIVE",
    "PERCENT",
    "SHARE",
    "Range",
    "Ranges",
    "is_share_of_percent",
]

Range = tuple[float, float]  # the least and the largest possible value
Ranges = Mapping[str, Range]

SHARE: Ranges = {"*": (0.0, 1.0)}
PERCENT: Ranges = {"*": (0.0, 100.0)}
CORRELATION: Ranges = {"*": (-1.0, 1.0)}
NOT_NEGATIVE: Ranges = {"*": (0.0, math.inf)}
BELOW_ONE: Ranges = {"*": (-math.inf, 1.0)}


def is_share_of_percent(least: float, allowed: Range) -> bool:
    """Return whether a lower bound of percentages is a share: nearly every value would pass it.

    Example:
        >>> is_share_of_percent(0.9, (0.0, 100.0)), is_share_of_percent(90, (0.0, 100.0))
        (True, False)
    """
    return allowed == PERCENT["*"] and 0 < least <= 1
