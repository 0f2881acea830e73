"""Clusters whose size tells their value, such as long documents with fewer hits.

The largest clusters then decide, and there are few of them: if a test set has fewer of these by
chance, its share of hits is too high, and its clusters also look more alike. Of 40 clusters of
geometric sizes whose share of hits falls by 0.02 with each sample, 5.6% of intervals end above the
true share. So the end on the side of the long tail is farther away, by five times the skewness
that was measured, because the sample rarely has the largest of all clusters. Without a trend, the
interval stays as it is: few clusters of equal chances are allowed for by other rules.

A mark for heavy tails would not help: the samples that miss are those without the largest clusters,
and of these, neither the sizes nor the residuals have a heavy tail. Of 100 clusters of lognormal
sizes (sigma = 1) whose share of hits falls by 0.006 with each sample, it would mark 82%, and 28% of
the others would miss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.tilting import tilt, tilted
from mmeval_like._intervals.transforms import as_decimal
from mmeval_like._intervals.value_ranges import Range

__all__ = ["of_size_trend"]

_MORE = 5  # times the measured skewness
_NO_TREND, _TREND = 0.75, 2.0  # standard errors of the trend: the end moves in between


def of_size_trend(one: Interval, left: LeftOut, key: str, place: int, bounds: Range) -> Interval:
    """Return the interval, whose end on the side of the long tail is moved if sizes tell values.

    The end is that of `tilting`. It is moved in part if the trend of the clusters' values with
    their sizes is between 0.75 and 2 standard errors, so that one cluster more hardly changes it.

    Args:
        one: The interval by the standard error, of a value between two bounds.
        left: The clusters, left out one at a time.
        key: The key of the value.
        place: Its place in a list.
        bounds: The range of the value.
    """
    least, most = bounds
    sizes, without = left.sizes, left.without[key][place]
    unequal = left.members == "clusters" and sizes is not None and left.alike < left.units
    known = math.isfinite(most - least) and all(map(math.isfinite, without))
    if not (unequal and known and one.standard_error > 0):
        return one
    skew = _MORE * tilt(without, left.weights, left.units, math.inf)
    trend = _trend(one.value, without, sizes or (), left.weights)
    part = (abs(trend) - _NO_TREND) / (_TREND - _NO_TREND)
    if part <= 0 or not trend * float(skew) > 0:
        return one
    squared = as_decimal(one.standard_error) ** 2
    low, high = tilted(one.value, squared, skew, one.level, left.df)
    farther = min(part, 1.0)
    method = f"{one.method}, tilted t"
    if skew < 0:
        moved = min(max(low, least) - one.low, 0.0)
        return replace(one, low=one.low + farther * moved, method=method)
    moved = max(min(high, most) - one.high, 0.0)
    return replace(one, high=one.high + farther * moved, method=method)


def _trend(
    value: float, without: Sequence[float], sizes: Sequence[float], numbers: Sequence[int]
) -> float:
    """Return how much values of clusters rise with their sizes, in standard errors; 0 if unknown.

    It is Student's statistic of a line through all clusters, which count equally.

    Args:
        value: The value of all clusters.
        without: The value without a cluster of each kind.
        sizes: The size of a cluster of each kind.
        numbers: The number of clusters of each kind.
    """
    whole, count = math.fsum(s * n for s, n in zip(sizes, numbers, strict=True)), sum(numbers)
    if count < 3 or min(sizes) <= 0:
        return 0.0
    values = [(value - w) * (whole - s) / s for w, s in zip(without, sizes, strict=True)]
    across, up = _centred(sizes, numbers), _centred(values, numbers)
    both = math.fsum(n * a * b for a, b, n in zip(across, up, numbers, strict=True))
    squares = [math.fsum(n * a * a for a, n in zip(x, numbers, strict=True)) for x in (across, up)]
    rest = squares[0] * squares[1] - both * both
    if not squares[0] * squares[1] > 0:
        return 0.0
    return both * math.sqrt((count - 2) / rest) if rest > 0 else math.copysign(math.inf, both)


def _centred(numbers: Sequence[float], counts: Sequence[int]) -> list[float]:
    middle = math.fsum(x * n for x, n in zip(numbers, counts, strict=True)) / sum(counts)
    return [number - middle for number in numbers]
