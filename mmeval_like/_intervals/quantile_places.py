"""Exact intervals of quantiles: between which of the sorted samples the true quantile lies.

The number of samples below a quantile has a binomial distribution, whatever the distribution of the
samples (W. R. Thompson, On confidence ranges for the median and other expectation distributions,
Ann. Math. Statist. 7, 1936; H. A. David and H. N. Nagaraja, Order Statistics, 2003, section 7.1).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from mmeval_like._intervals.exact_shares import tail

__all__ = ["quantile_places"]

_DIGITS = Context(prec=50)


@lru_cache(maxsize=256)  # one metric asks several times
def quantile_places(share: Fraction, count: int, level: float) -> tuple[int | None, int | None]:
    """Return the places of both ends among the sorted samples; None: there are too few samples.

    Each end is beyond the true quantile in at most (1 - level) / 2 of all cases.

    Args:
        share: The share of the population below the quantile, from 0 to 1.
        count: The number of independent samples.
        level: The least share of such intervals that contain the truth, for instance 0.95.

    Returns:
        Places counted from 0.

    Example:
        >>> quantile_places(Fraction(1, 2), 100, 0.95)  # the 40th and the 61st sample
        (39, 60)
        >>> quantile_places(Fraction(99, 100), 100, 0.95)
        (96, None)
    """
    with localcontext(_DIGITS):
        chance = (1 - Decimal(repr(level))) / 2
        below = Decimal(share.numerator) / share.denominator
        # At least `low` samples are below the quantile, and at most `high`, with high probability.
        low = _last(lambda hits: tail(hits, count, below) >= 1 - chance, count, share)
        high = _last(lambda hits: tail(hits, count, below) > chance, count, share)
    return (low - 1 if low else None), (high if high < count else None)


def _last(holds: Callable[[int], bool], count: int, share: Fraction) -> int:
    """Return the largest number from 0 to `count` for which this holds; it holds for 0."""
    middle, step = int(count * share), 1
    low, high = middle, middle + 1
    while low > 0 and not holds(low):
        low, high, step = max(low - step, 0), low, 2 * step
    step = 1
    while high <= count and holds(high):
        low, high, step = high, min(high + step, count + 1), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
