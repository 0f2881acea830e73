"""Values between two bounds whose skewness is not that of a proportion.

Wilson's formula takes a value above the middle of its range for skewed towards its lower end, as a
proportion is. Scores from 1 to 10 that are mostly 5 and 6, or a rare class that is rarely predicted
right, are skewed the other way: of 100 such scores, 4% of intervals ended below the true mean, and
as many below a kappa of 0.3 of 300 samples of classes 9 to 1. What each sample changes tells the
skewness, see `tilting`: the variance at a supposed value then also grows with its distance. For
values of classes, it does so at half of the measured rate, since the smoothed matrix allows for a
part. Where Wilson's variance grows faster, the interval stays as it is.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal

from mmeval_like._intervals.distributions import precise_quantile
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.tilting import tilt
from mmeval_like._intervals.value_ranges import Range

__all__ = ["of_skewed_samples", "towards_the_tail"]

_PART = 0.5  # of the measured skewness


def of_skewed_samples(
    one: Interval, left: LeftOut, key: str, place: int, bounds: Range
) -> Interval:
    """Return the interval, extended on the side of the long tail that the samples show.

    Args:
        one: The interval of Wilson's form; returned as it is if it is unknown, or if no single
            samples are left out.
        left: The samples, left out one at a time.
        key: The key of the value.
        place: Its place in a list.
        bounds: The range of the value.
    """
    without = left.without[key][place]
    if left.unit != "sample" or left.sampled or not all(map(math.isfinite, without)):
        return one
    tilted = _PART * float(tilt(without, left.weights, left.units, math.inf))
    return towards_the_tail(one, tilted, left.df, bounds)


def towards_the_tail(one: Interval, skew: float, df: int, bounds: Range) -> Interval:
    """Return the interval, extended on the side towards which the variance grows faster.

    Args:
        one: The interval of Wilson's form.
        skew: How much the variance grows with the value.
        df: The degrees of freedom.
        bounds: The range of the value.

    Example:
        >>> from mmeval_like._intervals.interval import estimate
        >>> one = estimate(0.6, 0.02**2, (0.0, 1.0), 0.95, 100, 99)
        >>> found = towards_the_tail(one, 0.002, 99, (0.0, 1.0))
        >>> found.low == one.low, round(one.high, 4), round(found.high, 4)
        (True, 0.6389, 0.6429)
    """
    least, most = bounds
    width = most - least
    share = (one.value - least) / width
    if math.isnan(one.low) or not 0 < share < 1:
        return one
    quantile = float(precise_quantile((1 + Decimal(repr(one.level))) / 2, df))
    square, side = quantile * quantile, math.copysign(1.0, skew)
    slope = side * (1 - 2 * share) / one.effective  # of Wilson's variance, towards the long tail
    more = abs(skew) / width - max(slope, 0.0)
    if more <= 0:
        return one
    # The arm a is the root of a^2 = z^2 (x (1 - x) / n + more a), with the end x = share + side a.
    whole, half = 1 + square / one.effective, square * (slope + more) / 2
    root = math.sqrt(half * half + whole * square * share * (1 - share) / one.effective)
    end = one.value + side * width * (half + root) / whole
    if skew < 0:
        return replace(one, low=min(one.low, max(end, least)))
    return replace(one, high=max(one.high, min(end, most)))
