"""The ranges that the values of metrics have, by key or pattern of keys."""

from __future__ import annotations

import math
from collections.abc import Mapping

__all__ = ["BELOW_ONE", "CORRELATION", "NOT_NEGATIVE", "PERCENT", "SHARE", "Range", "Ranges"]

Range = tuple[float, float]  # the least and the largest possible value
Ranges = Mapping[str, Range]

SHARE: Ranges = {"*": (0.0, 1.0)}
PERCENT: Ranges = {"*": (0.0, 100.0)}
CORRELATION: Ranges = {"*": (-1.0, 1.0)}
NOT_NEGATIVE: Ranges = {"*": (0.0, math.inf)}
BELOW_ONE: Ranges = {"*": (-math.inf, 1.0)}
