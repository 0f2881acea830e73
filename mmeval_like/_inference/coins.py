"""Coins: how surprising so few heads are."""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["two_sided"]

_BITS = 256  # of every term of the tail, relative to the largest


def two_sided(fewer: int, every: int) -> float:
    """Return twice the probability of at most `fewer` heads of so many fair coins, at most 1.

    Example:
        >>> two_sided(1, 4)  # 2 (1 + 4) / 16
        0.625
    """
    # The largest term of the tail is exact; the others, relative to it, have 256 bits.
    term = total = 1 << _BITS
    heads = fewer
    while heads and term:
        term = term * heads // (every - heads + 1)
        total += term
        heads -= 1
    tails = Fraction(2 * math.comb(every, fewer) * total, 1 << (every + _BITS))
    return min(float(tails), 1.0)
