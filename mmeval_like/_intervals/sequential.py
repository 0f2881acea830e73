"""Confidence sequences: intervals that hold for all looks at the data together.

An interval that contains the truth in 95 of 100 cases at each look misses it at some look much
more often than in 5. A confidence sequence contains it at all looks at once in 95 of 100 cases.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

__all__ = ["LEAST_DIFFERENT", "LEAST_SAMPLES", "Looks", "added_flips"]

LEAST_SAMPLES, LEAST_DIFFERENT = 100, 20  # with fewer, nothing is decided

_DIGITS = Context(prec=50)


def added_flips(one_way: float) -> float:
    """Return how many flips are added to those that the variance of a share of hits is made of.

    Where flips are few by chance, their variance is too small. If as many go in either direction,
    this does not matter; if all go in one direction, the difference is then too close to 0, and a
    gate at the true difference passed in 3.2% of 14,704 streams. With 5 flips, at most 2.5% of
    50,748 pass.

    Args:
        one_way: The difference of the flips in both directions, divided by all flips, in [0, 1].

    Example:
        >>> added_flips(0.0), added_flips(1.0)
        (1.0, 5.0)
    """
    return 1 + 4 * one_way


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

    def radius(self, error: Decimal, count: int, level: float | None = None) -> Decimal:
        """Return the distance of the ends from the value, from its standard error and sample size.

        Args:
            error: The standard error of the value.
            count: The number of samples.
            level: The level; None: that for which the width is tuned.

        Example:
            >>> round(Looks(1000, 0.95).radius(Decimal("0.01"), 1000), 5)
            Decimal('0.03165')
        """
        with localcontext(_DIGITS):
            grown = count * self._rate + 1
            alpha = self._alpha if level is None else 1 - Decimal(repr(level))
            inside = 2 * grown / (count * self._rate) * (grown.sqrt() / alpha).ln()
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
