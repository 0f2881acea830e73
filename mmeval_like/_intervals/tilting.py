"""Tilting: the variance of a mean grows towards the long tail of its samples.

If a few samples are far larger than the others, a larger true mean comes with a larger variance.
Student's interval uses the variance at the measured mean, and ends too early on that side: of 30
exponential numbers, the true mean is above it in 7% of cases instead of 2.5%. Here, the variance
V(x) at a supposed mean x is

    V(x) = V + max(0, k (x - m)), k = third cumulant / variance,

with the measured mean m. That is how the variance of any distribution changes if it is tilted
exponentially towards another mean (B. Efron, Nonparametric standard errors and confidence
intervals, Canadian J. Statist. 9, 1981); for counts, it leads to the score interval. Where this
would be less than V, it is V: the interval always contains Student's. Without skewness, k is 0, and
the interval is Student's.

Few samples of a skewed distribution rarely contain its largest values, so that their skewness is
too small. It is taken as larger, the more so the fewer samples there are: as twice as large for 50
samples whose skewness is at least 1. Those of symmetric distributions are less skewed, and their
interval hardly changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext

from mmeval_like._intervals.distributions import precise_quantile
from mmeval_like._intervals.transforms import Number, as_decimal, as_float

__all__ = ["growth", "tilt", "tilted"]

_DIGITS = Context(prec=50)
_MORE = 50  # of so many skewed units, the skewness is taken as twice as large
_FEWEST = 20  # of fewer units, it is not taken as larger still: their intervals are marked


def growth(skewness: float, units: float) -> float:
    """Return how many times larger than measured the skewness of few units is taken to be.

    Args:
        skewness: The third central moment over the 1.5th power of the second.
        units: The effective number of units.

    Example:
        >>> growth(0.1, 50), growth(-2.0, 50), growth(2.0, 1000)
        (1.01, 2.0, 1.05)
    """
    return 1 + _MORE / max(units, _FEWEST) * min(1.0, skewness * skewness)


def tilt(without: Sequence[float], numbers: Sequence[int], units: int, effective: float) -> Decimal:
    """Return how much the variance of a value grows with it, from the values without one unit.

    Args:
        without: The value without a unit of each kind, finite.
        numbers: The number of units of each kind.
        units: The number of units.
        effective: The number of equally large units that would be as informative; inf if no value
            can be larger than those that were seen, as between two bounds.

    Returns:
        The third cumulant of the value divided by its variance, larger for few units; 0 without
        variance.

    Example:
        >>> without = [-1 / 999, *[0.0] * 998, 1 / 999]  # of -1, 0, ..., 0 and 1
        >>> float(tilt(without, [1] * 1000, 1000, 1000.0))
        0.0
        >>> without = [1 / 3, 1 / 3, 1 / 3, 0.0]  # of 0, 0, 0 and 1: (0.75 - 0.25) / 4
        >>> round(tilt(without, [1, 1, 1, 1], 4, 1e9), 6)
        Decimal('0.125000')
    """
    count = sum(numbers)
    middle = math.fsum(v * n for v, n in zip(without, numbers, strict=True)) / count
    moved = [middle - value for value in without]
    largest = max(map(abs, moved), default=0.0)
    if not 0 < largest < math.inf:
        return Decimal(0)
    scaled = [(move / largest, n) for move, n in zip(moved, numbers, strict=True)]
    squares = math.fsum(n * s * s for s, n in scaled)
    cubes = math.fsum(n * s * s * s for s, n in scaled)
    skewness = cubes / squares * math.sqrt(count / squares)
    with localcontext(_DIGITS):
        ratio = as_decimal(cubes) / as_decimal(squares) * as_decimal(largest)
        ratio *= as_decimal(growth(skewness, effective))
        return ratio * (units - 1) / units


def tilted(
    value: Number,
    variance: Decimal,
    skew: Decimal,
    level: float,
    df: int,
    slope: Decimal = Decimal(0),
    curve: Decimal = Decimal(0),
) -> tuple[float, float]:
    """Return both ends of the interval; infinite if the variance grows too fast for an end.

    Args:
        value: The value.
        variance: The squared standard error.
        skew: What `tilt` returns.
        level: The share of such intervals that contain the truth, for instance 0.95.
        df: The degrees of freedom of Student's t.
        slope: What the variance gains besides, relative to the distance from the value, also where
            this is negative: that of a quotient changes with it, as the weights vary.
        curve: What it gains relative to the square of the distance.

    Example:
        >>> [round(end, 4) for end in tilted(0.1, Decimal("0.0025"), Decimal(0), 0.95, 99)]
        [0.0008, 0.1992]
        >>> [round(end, 4) for end in tilted(0.1, Decimal("0.0025"), Decimal("0.01"), 0.95, 99)]
        [0.0008, 0.2208]
    """
    with localcontext(_DIGITS):
        quantile = precise_quantile((1 + Decimal(repr(level))) / 2, df)
        # An end is the root x of d^2 = quantile^2 (variance + (skew + slope) d + curve d^2), with
        # the distance d = x - value.
        square = quantile * quantile
        left = 1 - square * curve
        if left <= 0:
            return -math.inf, math.inf
        grown = [(max(s * skew, Decimal(0)) + s * slope) * square / 2 for s in (-1, 1)]
        arms = [(each + (square * variance * left + each * each).sqrt()) / left for each in grown]
        middle = as_decimal(value)
        return as_float(middle - arms[0]), as_float(middle + arms[1])
