"""The exact two-sided binomial test of a fair coin."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from mmeval_like._intervals.distributions import PI

__all__ = ["binomial_test", "log_ways"]

_BITS = 256  # the precision of every term of the tail, relative to the largest term
_EXACT_UP_TO = 2000  # tosses; the integers for more tosses would take too long
_DIGITS = Context(prec=60)
# Coefficients of Stirling's series: B(2k) / (2k (2k - 1)), with Bernoulli numbers, k = 1 to 9.
_STIRLING = (
    *(Fraction(1, 12), Fraction(-1, 360), Fraction(1, 1260), Fraction(-1, 1680)),
    *(Fraction(1, 1188), Fraction(-691, 360360), Fraction(1, 156), Fraction(-3617, 122400)),
    Fraction(43867, 244188),
)


def binomial_test(fewer: int, every: int) -> float:
    """Return the p-value: twice the probability of at most `fewer` heads, and at most 1.

    For more than 2,000 tosses, the largest probability is computed to 40 digits.

    Example:
        >>> binomial_test(1, 4)  # 2 (1 + 4) / 16
        0.625
    """
    # The largest term of the tail first; the others, relative to it, have 256 bits.
    term = total = 1 << _BITS
    heads = fewer
    while heads and term:
        term = term * heads // (every - heads + 1)
        total += term
        heads -= 1
    if every <= _EXACT_UP_TO:
        exact = Fraction(2 * math.comb(every, fewer) * total, 1 << (every + _BITS))
        return min(float(exact), 1.0)
    with localcontext(_DIGITS):
        ways = log_ways(every, fewer)
        tails = 2 * (ways - every * Decimal(2).ln()).exp() * total / (1 << _BITS)
        return float(min(tails, Decimal(1)))


def log_ways(every: int, chosen: int) -> Decimal:
    """Return the natural logarithm of the number of ways to choose this many of all.

    Example:
        >>> round(log_ways(4, 2), 6)  # 6 ways
        Decimal('1.791759')
    """
    with localcontext(_DIGITS):
        return _log_factorial(every) - _log_factorial(chosen) - _log_factorial(every - chosen)


@lru_cache(maxsize=4096)  # a tail is summed for many shares of the same samples
def _log_factorial(number: int) -> Decimal:
    """Return the natural logarithm of a factorial: Abramowitz and Stegun 6.1.41."""
    if number <= _EXACT_UP_TO:
        return Decimal(math.factorial(number)).ln()
    n = Decimal(number)
    rest = sum(
        (Decimal(c.numerator) / c.denominator / n ** (2 * k + 1) for k, c in enumerate(_STIRLING)),
        Decimal(0),
    )
    return n * n.ln() - n + (2 * PI * n).ln() / 2 + rest
