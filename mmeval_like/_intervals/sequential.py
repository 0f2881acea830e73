"""Confidence sequences: intervals that hold for all looks at the data together.

An interval that contains the truth in 95 of 100 cases at each look misses it at some look much
more often than in 5. A confidence sequence contains it at all looks at once in 95 of 100 cases.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

__all__ = ["LEAST_DIFFERENT", "LEAST_SAMPLES", "Looks", "two_sided_at_any_time"]

LEAST_SAMPLES, LEAST_DIFFERENT = 100, 20  # with fewer, nothing is decided

_DIGITS = Context(prec=50)
_PRIOR = 10  # both parameters of the Beta distribution in the test of coins


class Looks:
    """The confidence sequence of a mean whose samples arrive one after the other.

    I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, Time-uniform central limit
    theory and asymptotic confidence sequences, Annals of Statistics 52 (2024), theorem 2.2. It is
    narrowest, relative to an interval of one look, after a fifth of the planned samples.

    Args:
        planned: How many samples are planned; it tunes the width, and any number is valid.
        level: The share of sequences that contain the truth at all looks, for instance 0.95.
    """

    def __init__(self, planned: int, level: float) -> None:
        with localcontext(_DIGITS):
            self._alpha = 1 - Decimal(repr(level))
            twice = -2 * self._alpha.ln()
            self._rate = max(twice + twice.ln() + 1, twice) * 5 / planned

    def radius(self, error: Decimal, count: int) -> Decimal:
        """Return the distance of the ends from the value, from its standard error and sample size.

        Example:
            >>> round(Looks(1000, 0.95).radius(Decimal("0.01"), 1000), 5)
            Decimal('0.03165')
        """
        with localcontext(_DIGITS):
            grown = count * self._rate + 1
            inside = 2 * grown / (count * self._rate) * (grown.sqrt() / self._alpha).ln()
            return error * inside.sqrt()

    def p_value(self, difference: Decimal, error: Decimal, count: int) -> float:
        """Return the p-value; it is below 1 - level exactly if the radius is below the difference.

        Example:
            >>> Looks(1000, 0.95).p_value(Decimal(0), Decimal("0.01"), 1000)
            1.0
        """
        if not error:
            return 1.0 if not difference else 0.0
        with localcontext(_DIGITS):
            grown = count * self._rate + 1
            size = (difference / error) ** 2 * count * self._rate / (2 * grown)
            return float(min(grown.sqrt() * (-size).exp(), Decimal(1)))


def two_sided_at_any_time(heads: int, tails: int) -> float:
    """Return the p-value of a fair coin, which may be looked at after every toss.

    It is 1 over the likelihood ratio of a coin whose bias is distributed as Beta(10, 10) to a fair
    coin, at most 1 (A. Ramdas, P. Grunwald, V. Vovk and G. Shafer, Game-theoretic statistics and
    safe anytime-valid inference, Statistical Science 2023). It is exact for any order of tosses.

    Example:
        >>> two_sided_at_any_time(5, 5), round(two_sided_at_any_time(50, 20), 5)
        (1.0, 0.01234)
    """
    count = heads + tails
    # 2^-count B(10, 10) / B(10 + heads, 10 + tails), in integers.
    ways = math.comb(count + 2 * _PRIOR - 2, heads + _PRIOR - 1) * (count + 2 * _PRIOR - 1)
    before = math.comb(2 * _PRIOR - 2, _PRIOR - 1) * (2 * _PRIOR - 1)
    return min(float(Fraction(ways, before << count)), 1.0)
