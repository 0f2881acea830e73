"""Sentences: the ends of an interval, as tables and lines show them."""

from __future__ import annotations

import math

__all__ = ["interval_text"]


def interval_text(low: float, high: float, thin: str | None, sign: str = "") -> str:
    """Return both ends; "~" marks thin intervals.

    Example:
        >>> interval_text(0.25, 0.75, None), interval_text(-0.1, 0.2, "few", "+")
        ('[0.25, 0.75]', '[-0.1, +0.2] ~')
    """
    if math.isnan(low):
        return "~"
    digits = 3 if sign else 4
    return f"[{low:{sign}.{digits}g}, {high:{sign}.{digits}g}]{' ~' * (thin is not None)}"
