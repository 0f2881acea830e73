"""Means whose units weigh unequally: heavy units that all hit do not show that they miss.

If one sample of ten has ten times the weight of the others, these make half of the variance. Of 100
samples with a share of 0.9, a third of all test sets have no heavy miss: the squared distances to
the share then say that it varies little, and it is too high. So the variance is at least the one
that follows from the share and from the weights. The same holds for other values between bounds, if
those that decide are rare.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from mmeval_like._intervals.distributions import normal_quantile
from mmeval_like._intervals.interval import Interval, estimate, share
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.tails import heavy, show_failures, unseen_units
from mmeval_like._intervals.value_ranges import Range
from mmeval_like._states.kinds.powers import Spread

__all__ = ["of_hits", "of_unequal_clusters", "of_weights"]

_CLOSE = 1e-6  # hits: the rounding of a share times the number of samples
_SAME = 1e-12  # relative to a share: the rounding of a ratio of sums
_ALL_HITS = Fraction(1, 10**12)  # relative to the square of a range: the rounding of products
_UNLIKE, _MOST = (
    4,
    3,
)  # how many heavy samples at a bound must not decide: 1 if all weights are equal
_UNSEEN = 2  # times what a heavy sample at a bound changes: the standard error for unseen ones


def of_weights(
    value: float,
    variance: float,
    bounds: Range,
    level: float,
    spread: Spread,
    count: int,
    weights: slice,
) -> float:
    """Return the variance of a weighted mean, at least that of hits if heavy samples may hide it.

    A value is a weighted mean if it is the ratio of two sums. If every sample adds to the upper one
    nothing, or all that it adds to the lower one, it is a share p of hits, and its variance is at
    least p (1 - p) / n, with the effective number n of L. Kish, Survey Sampling (1965). No values
    between the same bounds vary more than hits. So this is also the least variance of other values,
    if a few of them make most of the variance. If the fewer heavy samples there are may show none
    of those that would, the variance is larger by the square of what two of them at the farther
    bound would change, and at most that of hits: a 95% interval is then at least as long, on the
    side of this bound, as about four unseen ones would move the mean. As many may be unseen with a
    probability of 2.5%, however many heavy samples there are (exp(-3.7) = 0.025). At higher levels,
    more of them may be.

    Args:
        value: The value.
        variance: The square of its standard error.
        bounds: Its range.
        level: The level of the interval.
        spread: The moments of what samples add to the sums.
        count: The number of samples.
        weights: The places of sums of weights; empty if samples have none.
    """
    least, most = bounds
    if not (math.isfinite(most - least) and least < value < most and variance < math.inf):
        return variance
    width = most - least
    part = (value - least) / width
    for upper, lower, ends in _quotients(value, bounds, spread):
        of_hits_alone = part * (1 - part) / float(spread.kish(lower, count)) * width**2
        if _are_hits(spread, upper, lower, ends):
            return max(variance, of_hits_alone)
        if lower not in range(len(spread.mean))[weights] or not _unlike(spread, lower, count):
            continue
        if _few_decide(spread, upper, lower, count):
            return max(variance, of_hits_alone)
        one = _heavy_weight(spread, lower, count) * width * max(part, 1 - part)
        if _hide(spread, lower, count, math.sqrt(variance) / one, level):
            moved = one * max(
                _UNSEEN, float(unseen_units(level)) / normal_quantile((1 + level) / 2)
            )
            return max(variance, min(variance + moved**2, of_hits_alone))
    return variance


def of_hits(one: Interval, bounds: Range, spread: Spread, weights: slice) -> Interval:
    """Return the interval of a share of hits if a mean is one: it has counts, so gates are exact.

    All values are at one of the two bounds, and all weights are equal, but for samples of weight 0.

    Args:
        one: The interval by the standard error; returned as it is if the mean is not such a share.
        bounds: The range of the values.
        spread: The moments of what samples add to the sums.
        weights: The places of sums of weights; empty if samples have none.
    """
    if not math.isfinite(bounds[1] - bounds[0]):
        return one
    for upper, lower, ends in _quotients(one.value, bounds, spread):
        if lower in range(len(spread.mean))[weights] and _are_hits(spread, upper, lower, ends):
            alike = round(spread.kish(lower, one.units))
            if alike > 1 and abs(_heavy_ones(spread, lower, one.units) - alike) <= _CLOSE:
                return replace(share(one.value, one.level, alike, bounds), units=one.units)
    return one


def _quotients(
    value: float, bounds: Range, spread: Spread
) -> Iterator[tuple[int, int, tuple[Fraction, Fraction]]]:
    """Yield the places of two sums whose quotient is the value, and the quotients at its bounds."""
    least, most = bounds
    part = (value - least) / (most - least)
    for lower, upper in itertools.permutations(range(len(spread.mean)), 2):
        if not spread.mean[lower]:
            continue
        ratio = float(spread.mean[upper] / spread.mean[lower])
        if abs(ratio - part) <= _SAME:
            yield upper, lower, (Fraction(0), Fraction(1))
        elif abs(ratio - value) <= _SAME * max(abs(least), abs(most)):
            yield upper, lower, (Fraction(least), Fraction(most))


def _are_hits(spread: Spread, upper: int, lower: int, ends: tuple[Fraction, Fraction]) -> bool:
    """Return whether every sample adds one of two multiples of a number to another number."""
    first, second = ends
    both = spread.covariance[upper][lower] + spread.mean[upper] * spread.mean[lower]
    square = spread.square(lower)
    # The mean of (u - first w) (second w - u), which is 0 only if one factor always is.
    between = (first + second) * both - spread.square(upper) - first * second * square
    return between <= _ALL_HITS * square * (second - first) ** 2


def _heavy_ones(spread: Spread, lower: int, count: int) -> float:
    """Return how many samples make the sum of squared weights: the others are 0 if it is Kish's."""
    return float(count * spread.square(lower) ** 2 / spread.raw_fourth(lower))


def _unlike(spread: Spread, lower: int, count: int) -> float:
    """Return how unlike the weights are: 0 if all are equal or 0, and at most 1."""
    unlike = 1 - _heavy_ones(spread, lower, count) / float(spread.kish(lower, count))
    return unlike if unlike > _SAME else 0.0


def _few_decide(spread: Spread, upper: int, lower: int, count: int) -> bool:
    """Return whether few samples make most of the variance of a weighted mean."""
    # The distances of values to their mean, times the weights.
    apart = spread.tails({upper: 1, lower: -spread.mean[upper] / spread.mean[lower]})
    return apart is not None and heavy(apart.kurtosis, count)


def _heavy_weight(spread: Spread, lower: int, count: int) -> float:
    """Return the share of all weights that a heavy sample has, of weight (E w^4 / E w^2)^(1/2)."""
    square, fourth = spread.square(lower), spread.raw_fourth(lower)
    return math.sqrt(fourth / square) / float(spread.mean[lower] * count)


def _hide(spread: Spread, lower: int, count: int, alike: float, level: float) -> bool:
    """Return whether heavy samples may hide how a weighted mean varies.

    Args:
        spread: The moments.
        lower: The place of the weights.
        count: The number of samples.
        alike: The standard error over what one heavy sample at the farther bound would change.
        level: The level of the interval.
    """
    if show_failures(_heavy_ones(spread, lower, count), level):
        return False
    return min(1 + _UNLIKE * _unlike(spread, lower, count), _MOST) > alike


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
    part = (one.value - bounds[0]) / width
    unequal = left.sizes is not None and left.members == "clusters" and left.alike < clusters
    without = left.without[key][place]
    known = all(map(math.isfinite, without)) and one.method == "Wilson, effective n"
    if not (unequal and known and 0 < part < 1):
        return one
    sizes = [*map(float, left.sizes or ())]
    hits = []
    for size, value in zip(sizes, without, strict=True):
        found = part * samples - (value - bounds[0]) / width * (samples - size)
        if not abs(found - round(found)) <= _CLOSE * samples:  # no share of all samples
            return one
        hits.append(round(found))
    each = [*zip(sizes, hits, strict=True)]
    within = math.fsum(h - h * h / m for m, h in each) / max(samples - clusters, 1)
    apart = [h - m * part for m, h in each]
    between = math.fsum(a * a / m for a, m in zip(apart, sizes, strict=True)) / (clusters - 1)
    squares = math.fsum(m * m for m in sizes)
    usual = (samples - squares / samples) / (clusters - 1)
    whole = between + (usual - 1) * within
    alike = min(max((between - within) / whole, 0.0), 1.0) if whole > 0 else 1.0
    variance = part * (1 - part) * (alike * squares + (1 - alike) * samples) / samples**2
    variance *= clusters / (clusters - 1) * width**2
    units = (clusters, left.df, left.unit)
    other = estimate(one.value, variance, bounds, one.level, *units, None, left.effective)
    if other.effective >= one.effective:
        return one
    low, high = min(one.low, other.low), max(one.high, other.high)
    error, effective = other.standard_error, other.effective
    return replace(one, low=low, high=high, standard_error=error, effective=effective)
