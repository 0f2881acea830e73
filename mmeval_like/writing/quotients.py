"""Quotients of totals, which may be undefined."""

from __future__ import annotations

import math

__all__ = ["ratio"]


def ratio(numerator: float, denominator: float, empty: float = math.nan) -> float:
    """Return a quotient of numbers as a Python float; `empty` when the denominator is 0.

    Args:
        numerator: The dividend.
        denominator: The divisor.
        empty: What to return when the denominator is 0.

    Example:
        >>> ratio(3, 4), ratio(0, 0), ratio(0, 0, empty=0.0)
        (0.75, nan, 0.0)
    """
    return float(numerator / denominator) if denominator else empty
