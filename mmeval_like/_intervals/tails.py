"""Heavy tails: whether a variance rests on so few units that it may be far from the true one."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["HEAVY", "heavy", "kurtosis"]

HEAVY = "a few {}s make most of its variance, and others may lie farther away still"
"""Why an interval of heavy tails promises less than its level."""


def heavy(kurtosis: float, units: int) -> bool:
    """Return whether a few units make most of a variance.

    Of n units with the shares w of the variance, the kurtosis is n times the sum of w^2. It is
    above n / 16 where one unit makes a quarter of the variance. Few units of numbers without heavy
    tails come near to that too. Above 4 + n / 12 are about 8 of 100 samples of 100 exponential
    numbers, 54 where the logarithms of the numbers are standard normal, and 91 where the numbers
    are squares of Student's t with 3 degrees of freedom.

    Example:
        >>> heavy(9.0, 100), heavy(9.0, 30)  # 9 is that of exponential numbers
        (False, True)
    """
    return kurtosis > 4 + units / 12


def kurtosis(deviations: Sequence[float], numbers: Sequence[int]) -> float:
    """Return the kurtosis of numbers by their distances from the mean; 0 where all are equal.

    Args:
        deviations: The distance of every kind of number.
        numbers: How many there are of each kind.

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
