"""Means of bounded values that rest on few samples, which are seen, or may be unseen.

Their interval holds for any distribution between the bounds, or ends farther away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from mmeval_like._intervals.bounded_means import any_clusters, any_distribution
from mmeval_like._intervals.distributions import normal_quantile
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.left_out import LeftOut, effective_clusters
from mmeval_like._intervals.tails import rare_failures, show_failures, unseen_failures
from mmeval_like._intervals.value_ranges import Range

__all__ = ["allow_for_unseen", "bets", "hides_failures", "of_clusters", "of_counts"]

_DECIDING = 5  # the least effective number of clusters with failures that show how these vary
_LEVEL = 0.95  # the level for which simulations showed from when on clusters may hide failures
_CLOSE = 1e-9  # times the range of a value: the rounding of a mean


def of_counts(one: Interval, left: LeftOut, key: str, place: int, bounds: Range) -> Interval:
    """Return the interval of a mean of shares of counts; the given one if few do not decide it.

    Few samples decide if they make most of the variance, or if all samples together are nearer to a
    bound than one sample at the other bound would move the mean: if each of 30 questions was solved
    in nearly all attempts, what matters is how often another question cannot be solved at all.

    Args:
        one: The interval by the standard error.
        left: The samples, left out one at a time.
        key: The key of the value.
        place: Its place in a list.
        bounds: The range of the value.
    """
    least, most = bounds
    width, count = most - least, one.units
    if left.unit != "sample" or left.alone is None or left.sampled:
        return one
    if one.thin is not None or math.isnan(one.low):
        return one
    if not (math.isfinite(width) and one.effective > 2 * count):
        return one
    near = min(one.value - least, most - one.value) * count < width
    few = near or left.heavy_tails(key, place) is not None
    unseen = hides_failures(one, bounds, count)
    farther = allow_for_unseen(one, bounds, count)
    if not few and not unseen and farther is one:
        return one
    try:
        values = left.alone()[key][place]
    except MemoryError:
        raise
    except Exception:  # a metric may reject a single sample
        return one
    without = [(count * one.value - value) / (count - 1) for value in values]
    apart = (abs(a - b) for a, b in zip(without, left.without[key][place], strict=True))
    if not all(distance <= _CLOSE * width for distance in apart):  # nan is no distance
        return one
    if not few and not unseen:
        return farther
    return bets(replace(one, thin=unseen), bounds, _central(values, left.weights))


def of_clusters(
    one: Interval, left: LeftOut, key: str, place: int, bounds: Range, samples: int, hits: bool
) -> Interval:
    """Return the interval of a mean of values in clusters that rests on few of them.

    Few clusters decide if most failures, or most successes if these are rarer, are in few of them:
    a test set with one such cluster less has a higher share of hits, and its clusters look more
    alike. The interval is then the one that holds for any distribution of the clusters.

    Failing clusters may also be unseen. If one that fails would move the mean by more than half of
    the way to the end of the interval, this end moves towards that of any distribution, and reaches
    it if one would move the mean to the end: so one sample more hardly changes an end. If values
    that are no hits vary less than half as much as hits, the interval is the other one if one that
    fails would make most of the variance, and else its end is that of `allow_for_unseen`.

    Args:
        one: The interval by the standard error.
        left: The clusters, left out one at a time.
        key: The key of the value.
        place: Its place in a list.
        bounds: The range of the value.
        samples: The number of samples in all clusters.
        hits: Whether the values are hits.
    """
    least, most = bounds
    width, sizes = most - least, left.sizes or ()
    if left.unit != "cluster" or left.sampled or left.alone is None or not sizes:
        return one
    if not math.isfinite(width) or math.isnan(one.low) or one.thin is not None:
        return one
    alike = not hits and hides_failures(one, bounds, samples) is not None
    few = alike or _few_decide(one, left.without[key][place], sizes, bounds)
    part = 1.0 if few else min(2 * _moved_by_one(one, bounds, left.alike) - 1, 1.0)
    farther = one if hits else allow_for_unseen(one, bounds, samples)
    if part <= 0 and farther is one:
        return one
    try:
        values = left.alone()[key][place]
    except MemoryError:
        raise
    except Exception:  # a metric may reject a single cluster
        return one
    shares = (value * size for value, size in zip(values, sizes, strict=True))
    if not abs(math.fsum(shares) / samples - one.value) <= _CLOSE * width:  # nan is not close
        return one
    one = farther
    if part <= 0:
        return one
    counts = [*map(Fraction, sizes)]
    sums = [
        (Fraction(value) - Fraction(least)) / Fraction(width) * size
        for value, size in zip(values, counts, strict=True)
    ]
    ends = any_clusters(sums, counts, one.level)
    if ends is None:
        return one
    low, high = (least + width * end for end in ends)
    if few:
        return replace(one, low=min(low, one.value), high=max(high, one.value), method="betting")
    method = f"{one.method}, betting"
    if one.value - least > most - one.value:
        return replace(one, low=one.low + part * min(low - one.low, 0.0), method=method)
    return replace(one, high=one.high + part * max(high - one.high, 0.0), method=method)


def _few_decide(
    one: Interval, without: Sequence[float], sizes: Sequence[float], bounds: Range
) -> bool:
    """Return whether few clusters have most failures, or successes if rarer.

    If few large clusters have most samples, they also have most failures: so fewer of these decide.
    """
    least, most = bounds
    rarer = least if one.value - least < most - one.value else most
    whole = math.fsum(sizes)
    more = [
        whole * (one.value - rarer) - (whole - size) * (value - rarer)
        for value, size in zip(without, sizes, strict=True)
    ]
    if not all(map(math.isfinite, more)):
        return False
    least_known = _DECIDING * effective_clusters(sizes) / len(sizes)
    return 0 < effective_clusters([*map(abs, more)]) < least_known - _CLOSE


def _moved_by_one(one: Interval, bounds: Range, clusters: float) -> float:
    """Return which part of the way to an end a cluster at the farther bound would move a mean.

    It is 0 if there are so many clusters that they show failures. At another level than 0.95, the
    part is multiplied by the square of the ratio of the normal quantiles. The end is then farther
    away, and unseen failures are rare among its misses only if one of them moves the mean by less.

    Args:
        one: The interval of the mean.
        bounds: The least and the largest possible value of a sample.
        clusters: The number of equally large clusters that are as informative.
    """
    below, above = one.value - bounds[0], bounds[1] - one.value
    arm = one.value - one.low if below > above else one.high - one.value
    if show_failures(one.units, one.level) or arm <= 0:
        return 0.0
    more = normal_quantile((1 + one.level) / 2) / normal_quantile((1 + _LEVEL) / 2)
    return max(below, above) / clusters / arm * more * more


def hides_failures(one: Interval, bounds: Range, samples: int) -> str | None:
    """Return why an interval of a mean may hide failures; None if it varies as hits do, or more.

    Args:
        one: The interval.
        bounds: The least and the largest possible value of a sample.
        samples: The number of samples.
    """
    if _varies_as_hits(one, bounds, samples):
        return None
    farthest = max(one.value - bounds[0], bounds[1] - one.value)
    return rare_failures(one.unit, one.units, farthest, one.standard_error, one.level)


def allow_for_unseen(one: Interval, bounds: Range, samples: int) -> Interval:
    """Return the interval of a mean with its farther end moved for failures that may be unseen.

    The given one if none is likely to matter, or if it varies as hits do, or more.

    Args:
        one: The interval.
        bounds: The least and the largest possible value of a sample.
        samples: The number of samples.

    Example:
        >>> from mmeval_like._intervals.interval import estimate
        >>> one = estimate(0.9, 0.01**2, (0.0, 1.0), 0.95, 120, 119)
        >>> found = allow_for_unseen(one, (0.0, 1.0), 120)
        >>> round(one.low, 4), round(found.low, 4), found.high == one.high
        (0.8784, 0.8761, True)
    """
    if _varies_as_hits(one, bounds, samples):
        return one
    below, above = one.value - bounds[0], bounds[1] - one.value
    arm = unseen_failures(one.units, max(below, above), one.standard_error, one.level)
    if below > above and one.value - arm < one.low:
        return replace(one, low=max(one.value - arm, bounds[0]))
    if below <= above and one.value + arm > one.high:
        return replace(one, high=min(one.value + arm, bounds[1]))
    return one


def _varies_as_hits(one: Interval, bounds: Range, samples: int) -> bool:
    """Return whether a mean varies at least half as much as hits; also if this is not known."""
    known = math.isfinite(bounds[1] - bounds[0]) and not math.isnan(one.low) and one.thin is None
    return not known or one.effective <= 2 * samples


def _central(values: Sequence[float], numbers: Sequence[int]) -> list[Fraction]:
    """Return the second to fourth central moments of values that occur so often."""
    exact, count = [*zip(map(Fraction, values), numbers, strict=True)], sum(numbers)
    mean = sum((value * number for value, number in exact), Fraction(0)) / count
    return [
        sum((number * (value - mean) ** power for value, number in exact), Fraction(0)) / count
        for power in (2, 3, 4)
    ]


def bets(one: Interval, bounds: Range, central: Sequence[Fraction]) -> Interval:
    """Return the interval of a mean that holds for any distribution between the bounds.

    It is not marked. If a value is not between the bounds, the given interval is returned.

    Args:
        one: The interval of the mean, in which few samples make most of the variance, or may do so.
        bounds: The least and the largest possible value of a sample.
        central: The second to fourth central moments of the values of all samples.

    Example:
        >>> from mmeval_like._intervals.interval import estimate
        >>> one = estimate(0.9, 0.81 / 90, (0.0, 1.0), 0.95, 10, 9, thin="one sample of 10 is 0")
        >>> central = [Fraction(9, 100), Fraction(-72, 1000), Fraction(657, 10**4)]
        >>> found = bets(one, (0.0, 1.0), central)
        >>> found.method, round(found.low, 3), round(found.high, 3), found.thin
        ('betting', 0.49, 0.999, None)
    """
    least, most = map(Fraction, bounds)
    width = most - least
    mean = (Fraction(one.value) - least) / width
    second, third, fourth = (m / width**power for power, m in enumerate(central, 2))
    moments = (
        mean,
        second + mean**2,
        third + 3 * mean * second + mean**3,
        fourth + 4 * mean * third + 6 * mean**2 * second + mean**4,
    )
    ends = any_distribution(moments, one.units, one.level)
    if ends is None:
        return one
    low, high = (float(least + width * Fraction(end)) for end in ends)
    low, high = min(low, one.value), max(high, one.value)
    return replace(one, low=low, high=high, method="betting", thin=None)
