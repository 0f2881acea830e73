"""Heavy tails: whether so few units dominate a variance that it may be far from the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from functools import lru_cache

from mmeval_like._intervals.distributions import normal_quantile, precise_quantile

__all__ = [
    "HEAVY",
    "heavy",
    "heavy_squares",
    "kurtosis",
    "rare_failures",
    "show_failures",
    "unseen_failures",
    "unseen_units",
]

_DIGITS = Context(prec=28)
_RARE = Decimal("0.01")

HEAVY = "a few {}s account for most of its variance, and unseen ones may lie even farther away"
"""Why an interval with heavy tails may cover less than its level."""


def heavy(kurtosis: float, units: int) -> bool:
    """Return whether a few units contribute most of a variance.

    For n units with shares w of the variance, the kurtosis is n times the sum of w^2. It is above
    n / 16 if one unit contributes a quarter of the variance. Few units without heavy tails come
    close to that too. Of 100 samples of 100 numbers each, about 8 have a kurtosis above 4 + n / 12
    if the numbers are exponential, 54 if their logarithms are standard normal, and 91 if they are
    squares of Student's t with 3 degrees of freedom.

    Example:
        >>> heavy(9.0, 100), heavy(9.0, 30)  # 9 is that of exponential numbers
        (False, True)
    """
    return kurtosis > 4 + units / 12


def heavy_squares(kurtosis: float, units: int) -> bool:
    """Return whether squared distances to the mean have heavy tails, from the numbers' kurtosis.

    It tells that of the squares well: in samples of seven distributions, from uniform to lognormal
    numbers, `heavy` agrees with this limit in 88% to 93% of cases, whatever the number of samples.
    Unlike the eighth powers, the fourth ones tell it also of numbers far from 0.

    Example:
        >>> heavy_squares(5.0, 200), heavy_squares(5.0, 1000)
        (True, False)
    """
    return kurtosis > 2 + math.sqrt(units) / 6


def kurtosis(deviations: Sequence[float], numbers: Sequence[int]) -> float:
    """Return the kurtosis of numbers from their distances to the mean; 0 if all are equal.

    Args:
        deviations: The distance of every kind of number from the mean.
        numbers: The count of numbers of each kind.

    Example:
        >>> kurtosis([-1.0, 1.0], [5, 5])
        1.0
    """
    largest = max(map(abs, deviations), default=0.0)
    if not 0 < largest < math.inf:
        return 0.0
    shares = [((d / largest) ** 2, n) for d, n in zip(deviations, numbers, strict=True)]
    squares = math.fsum(n * w for w, n in shares)
    return sum(numbers) * math.fsum(n * w * w for w, n in shares) / squares**2


def show_failures(units: float, level: float) -> bool:
    """Return whether so many units show a failure that happens in 1% of them.

    They do if the probability that none of them fails is at most that of a miss on one side.

    Args:
        units: The number of units.
        level: The level of the interval, for instance 0.95.

    Example:
        >>> [next(n for n in range(2000) if show_failures(n, level)) for level in (0.95, 0.99)]
        [368, 528]
    """
    with localcontext(_DIGITS):
        return -Decimal(units) * (1 - _RARE).ln() >= unseen_units(level)


def unseen_units(level: float) -> Decimal:
    """Return how many failures are expected if none is seen with the probability of a miss.

    Example:
        >>> [round(unseen_units(level), 2) for level in (0.95, 0.9999)]
        [Decimal('3.69'), Decimal('9.90')]
    """
    with localcontext(_DIGITS):
        return -_chance(level).ln()


def rare_failures(unit: str, units: int, farthest: float, error: float, level: float) -> str | None:
    """Return why units that are alike do not show how a mean varies; None if they do.

    If a unit at the farther bound would move the mean by more than its standard error, it would
    account for most of the variance. Of 60 scores between 0.85 and 0.95, of which 2% are 0, 30% of
    samples contain no 0, and their intervals by the standard error are too high.

    Args:
        unit: "sample" or "cluster".
        units: The number of units.
        farthest: The distance from the mean to the farther bound.
        error: The standard error of the mean.
        level: The level of the interval.

    Example:
        >>> rare_failures("sample", 60, 0.9, 0.006, 0.95)
        'one sample that fails would account for most of its variance, and 60 may show none'
        >>> rare_failures("sample", 60, 0.9, 0.03, 0.95)
        >>> rare_failures("sample", 400, 0.9, 0.002, 0.95)  # at 0.99, they may show none
    """
    if show_failures(units, level) or farthest <= units * error:
        return None
    return (
        f"one {unit} that fails would account for most of its variance, and {units} may show none"
    )


def unseen_failures(units: int, farthest: float, error: float, level: float) -> float:
    """Return how far from a mean the end towards its farther bound is, given unseen failures.

    If k of n units are expected to fail, none does with a probability of (1 - k / n)^n. So a miss
    is as rare as it should be if, whenever no unit fails, the end misses with the chance of a miss
    divided by this probability: it is Student's for that chance, moved by k failures. The end is
    the farthest one of all k. It is the usual one if a failure moves the mean by less than about
    half of the standard error, at the level 0.95: for the normal quantile z, by at most z / (1 +
    z^2) standard errors (R. D. Gordon, Values of Mills' ratio, Ann. Math. Statist. 12, 1941).

    Args:
        units: The number of units, at least 2.
        farthest: The distance from the mean to the farther bound.
        error: The standard error of the mean.
        level: The level of the interval.

    Returns:
        The distance; 0 if so many units show failures, or one of them would hardly matter.

    Example:
        >>> found = [unseen_failures(100, 0.9, error, 0.95) for error in (0.02, 0.015, 0.01)]
        >>> [round(arm, 4) for arm in found]  # Student's are 0.0397, 0.0298 and 0.0198
        [0.039, 0.0315, 0.0269]
    """
    usual = normal_quantile((1 + level) / 2)
    if show_failures(units, level) or farthest * (usual + 1 / usual) <= units * error:
        return 0.0
    return max((k * farthest / units + t * error for k, t in _quantiles(units, level)), default=0.0)


@lru_cache(maxsize=256)
def _quantiles(units: int, level: float) -> list[tuple[int, float]]:
    """Return Student's quantile for every number of failures that may be unseen."""
    found = []
    with localcontext(_DIGITS):
        for k in range(1, units):
            chance = _chance(level) / (1 - Decimal(k) / units) ** units
            if chance >= 1:
                break
            found.append((k, float(precise_quantile(1 - chance, units - 1))))
    return found


def _chance(level: float) -> Decimal:
    """Return the probability of a miss on one side."""
    return (1 - Decimal(repr(level))) / 2
