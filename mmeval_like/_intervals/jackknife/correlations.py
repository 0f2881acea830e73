"""Correlations: an end is farther away on the side on which their estimates have a long tail.

Fisher's z of a correlation is half the logarithm of the ratio of the variances of s = x + y and of
d = x - y, with both numbers in units of their standard deviations. The variance of a sum of squares
like these is skewed, the less so the shorter the tails of the numbers are. If labels are evenly
spread and errors are normal, s varies less than normal numbers and d as they do: the skewness of
both no longer cancels out, and a correlation that is too high comes with a standard error that is
too small.

The third cumulant of s^2 is taken as the cube of its variance v, which is right for normal numbers
(8 = 2^3), for two equally frequent values (0), and nearly so for evenly spread ones (0.457, v^3 =
0.512). Longer tails than those of normal numbers count as normal: few samples do not show how
skewed their squares are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext

from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.tilting import tilted
from mmeval_like._intervals.transforms import Number, as_decimal, as_float
from mmeval_like._states.kinds.powers import Spread

__all__ = ["of_correlation"]

_DIGITS = Context(prec=50)
_NORMAL = Decimal(2)  # the variance of the square of a standard normal number
_NEAR = 1e-9  # a value that is no correlation of these numbers is farther from it


def of_correlation(
    one: Interval, spread: Spread, places: Sequence[int], alike: Number, df: int
) -> Interval:
    """Return the interval of a correlation, tilted on Fisher's scale.

    Args:
        one: The interval; returned as it is if the value is not the correlation of both numbers.
        spread: The moments of the sums.
        places: The places of the sums of w, w x, w y, w x^2, w x y and w y^2.
        alike: The effective number of samples.
        df: The degrees of freedom.
    """
    if not (math.isfinite(one.low) and abs(one.value) < 1 and one.standard_error > 0):
        return one
    with localcontext(_DIGITS):
        w, x, y, xx, xy, yy = (as_decimal(spread.mean[place]) for place in places)
        x, y, xx, xy, yy = x / w, y / w, xx / w, xy / w, yy / w
        across, along, both = xx - x * x, yy - y * y, xy - x * y
        if not (across > 0 and along > 0):
            return one
        value = both / (across * along).sqrt()
        if abs(float(value) - one.value) > _NEAR or not abs(value) < 1:
            return one
        thirds = []
        for sign in (1, -1):
            a, b = 1 / across.sqrt(), sign / along.sqrt()
            c = a * x + b * y
            square = (c * c, -2 * a * c, -2 * b * c, a * a, 2 * a * b, b * b)  # (a x + b y - c)^2
            variance = sum(
                left * right * as_decimal(spread.covariance[i][j])
                for left, i in zip(square, places, strict=True)
                for right, j in zip(square, places, strict=True)
            )
            relative = variance / (2 * w * (1 + sign * value)) ** 2
            # Of n samples of unequal weights, it is larger by n / alike.
            thirds.append(min(relative * as_decimal(alike) / one.units, _NORMAL) ** 3)
        scale = 1 / (1 - value * value)
        squared = (as_decimal(one.standard_error) * scale) ** 2
        skew = (thirds[0] - thirds[1]) / 8 / as_decimal(alike) ** 2 / squared
        middle = (1 + value).ln() / 2 - (1 - value).ln() / 2
        ends = tilted(middle, squared, skew, one.level, df)
        low, high = (as_float(1 - 2 / (1 + (2 * Decimal(end)).exp())) for end in ends)
    low = min(one.low, low) if skew < 0 else one.low
    high = max(one.high, high) if skew > 0 else one.high
    if (low, high) == (one.low, one.high):
        return one
    return replace(one, low=low, high=high, method=f"{one.method}, tilted t")
