"""Shares of hits whose units weigh unequally: heavy units that all hit do not show that they miss.

If one sample of ten has ten times the weight of the others, these make half of the variance. Of 100
samples with a share of 0.9, a third of all test sets have no heavy miss: the squared distances to
the share then say that it varies little, and it is too high. So the variance is at least the one
that follows from the share and from the weights.
"""

from __future__ import annotations

import math
from dataclasses import replace

from mmeval_like._intervals.interval import Interval, estimate
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.value_ranges import Range
from mmeval_like._states.kinds.powers import Spread

__all__ = ["of_unequal_clusters", "of_weights"]

_CLOSE = 1e-6  # hits: the rounding of a share times the number of samples
_SAME = 1e-12  # relative to a share: the rounding of a ratio of sums


def of_weights(value: float, bounds: Range, spread: Spread, count: int) -> float:
    """Return the least variance of a weighted share of hits; 0 if the value is none.

    It is one if it is the ratio of two sums, and every sample adds to the upper one nothing, or all
    that it adds to the lower one. The variance of a share p is then p (1 - p) / n, with the
    effective number n of L. Kish, Survey Sampling (1965).

    Args:
        value: The value.
        bounds: Its range.
        spread: The moments of what samples add to the sums.
        count: The number of samples.
    """
    width = bounds[1] - bounds[0]
    share = (value - bounds[0]) / width
    if not 0 < share < 1:
        return 0.0
    mean, places = spread.mean, range(len(spread.mean))
    for lower in places:
        for upper in places:
            if upper == lower or not mean[lower]:
                continue
            if abs(float(mean[upper] / mean[lower]) - share) > _SAME:
                continue
            both = spread.covariance[upper][lower] + mean[upper] * mean[lower]
            if both == spread.square(upper):
                return share * (1 - share) / float(spread.kish(lower, count)) * width**2
    return 0.0


def of_unequal_clusters(
    one: Interval, left: LeftOut, key: str, place: int, bounds: Range, samples: int
) -> Interval:
    """Return the interval of a share of hits in clusters of unequal sizes.

    It also contains the interval with the variance that follows from the share p and from the
    correlation r of two samples of a cluster, which small clusters show as well as large ones:
    p (1 - p) (r sum m^2 + (1 - r) sum m) / (sum m)^2 for clusters of m samples. The correlation is
    that of the analysis of variance (M. S. Ridout, C. G. B. Demetrio and D. Firth, Estimating
    intraclass correlation for binary data, Biometrics 55, 1999).

    Args:
        one: The interval by the standard error.
        left: The clusters, left out one at a time.
        key: The key of the value.
        place: Its place in a list.
        bounds: The range of the value.
        samples: The number of samples in all clusters.
    """
    width, clusters = bounds[1] - bounds[0], left.units
    share = (one.value - bounds[0]) / width
    unequal = left.sizes is not None and left.members == "clusters" and left.alike < clusters
    without = left.without[key][place]
    known = all(map(math.isfinite, without)) and one.method == "Wilson, effective n"
    if not (unequal and known and 0 < share < 1):
        return one
    sizes = [*map(float, left.sizes or ())]
    hits = []
    for size, value in zip(sizes, without, strict=True):
        found = share * samples - (value - bounds[0]) / width * (samples - size)
        if not abs(found - round(found)) <= _CLOSE * samples:  # no share of all samples
            return one
        hits.append(round(found))
    each = [*zip(sizes, hits, strict=True)]
    within = math.fsum(h - h * h / m for m, h in each) / max(samples - clusters, 1)
    apart = [h - m * share for m, h in each]
    between = math.fsum(a * a / m for a, m in zip(apart, sizes, strict=True)) / (clusters - 1)
    squares = math.fsum(m * m for m in sizes)
    usual = (samples - squares / samples) / (clusters - 1)
    whole = between + (usual - 1) * within
    alike = min(max((between - within) / whole, 0.0), 1.0) if whole > 0 else 1.0
    variance = share * (1 - share) * (alike * squares + (1 - alike) * samples) / samples**2
    variance *= clusters / (clusters - 1) * width**2
    units = (clusters, left.df, left.unit)
    other = estimate(one.value, variance, bounds, one.level, *units, None, left.effective)
    if other.effective >= one.effective:
        return one
    low, high = min(one.low, other.low), max(one.high, other.high)
    error, effective = other.standard_error, other.effective
    return replace(one, low=low, high=high, standard_error=error, effective=effective)
