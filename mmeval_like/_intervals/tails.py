"""Heavy tails: whether so few units dominate a variance that it may be far from the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["HEAVY", "MANY", "heavy", "heavy_squares", "kurtosis", "rare_failures"]

MANY = 370
"""The number of samples that show a failure that happens in 1% of them in 97.5% of cases."""

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


def rare_failures(unit: str, units: int, farthest: float, error: float) -> str | None:
    """Return why units that are alike do not show how a mean varies; None if they do.

    If a unit at the farther bound would move the mean by more than its standard error, it would
    account for most of the variance. Of 60 scores between 0.85 and 0.95, of which 2% are 0, 30% of
    samples contain no 0, and their intervals by the standard error are too high.

    Args:
        unit: "sample" or "cluster".
        units: The number of units.
        farthest: The distance from the mean to the farther bound.
        error: The standard error of the mean.

    Example:
        >>> rare_failures("sample", 60, 0.9, 0.006)
        'one sample that fails would account for most of its variance, and 60 may show none'
        >>> rare_failures("sample", 60, 0.9, 0.03), rare_failures("sample", 370, 0.9, 0.002)
        (None, None)
    """
    if units >= MANY or farthest <= units * error:
        return None
    return (
        f"one {unit} that fails would account for most of its variance, and {units} may show none"
    )
