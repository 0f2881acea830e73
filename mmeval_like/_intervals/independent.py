"""The difference of two values of different samples, from the interval of each."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

from mmeval_like._intervals.distributions import normal_cdf, t_cdf, t_quantile
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.spanning import spanning, spans

__all__ = ["Independent", "difference_of"]

_HALVINGS = 60  # of the distance to a quantile


@dataclass(frozen=True)
class Independent:
    """The difference of two values.

    Attributes:
        interval: The interval of the difference.
        p: The two-sided p-value of no difference, below 1 - level if 0 is not between the ends.
    """

    interval: Interval
    p: float


def difference_of(one: Interval, other: Interval, *, together: bool = False) -> Independent:
    """Return the difference one - other of two values, whose samples are independent.

    Where samples have no score, it reaches from that of the lowest and the highest value to that of
    the highest and the lowest: what the missing scores may be is no error that averages out.

    The squares of the arms add up (G. Y. Zou and A. Donner, Construction of confidence limits about
    effect measures: a general approach, Statist. Med. 27, 2008; for two shares R. G. Newcombe,
    Interval estimation for the difference between independent proportions, Statist. Med. 17, 1998).
    The p-value is that of Student's t, with the degrees of freedom of B. L. Welch (The
    generalization of 'Student's' problem when several different population variances are involved,
    Biometrika 34, 1947). For two shares of hits, it is at least the one that belongs to Newcombe's
    intervals at all levels: intervals of rare hits grow faster than the quantile. Those of other
    values near a bound do so too, but they are wide enough: at 0.005, the level of ten slices, a
    wrong difference of scores that are nearly hits is found in at most 0.003 of cases. Intervals
    without a standard error, those of quantiles, say nothing of other levels: the p-value is then
    no less than just below 1 - level. If values
    depend on each other positively, as those of the same samples do, the interval is too wide. If
    they may depend on each other negatively, as those of the "yes" and of the "no" questions that
    the same lenient judge answers, the arms themselves add up: no dependence is stronger.

    Args:
        one: The interval of the first value.
        other: The interval of the second value, of the same level. The marks of both are kept.
        together: Whether some clusters have samples of both.

    Example:
        >>> found = difference_of(*(
        ...     Interval(x, x - 0.1, x + 0.1, 0.95, 0.05, "t", "sample", 100, 1.0, None)
        ...     for x in (0.7, 0.5)
        ... ))
        >>> round(found.interval.low, 3), round(found.interval.high, 3), found.p < 0.05
        (0.059, 0.341, True)
    """
    if spans(one) or spans(other):
        return _from_worst_to_best(one, other, together)
    return _difference(one, other, together)


def _from_worst_to_best(one: Interval, other: Interval, together: bool) -> Independent:
    main = _difference(one, other, together)
    if math.isnan(main.interval.low):
        return main
    lowest = _difference(one.below, other.above, together)
    highest = _difference(one.above, other.below, together)
    found = spanning(main.interval, lowest.interval, highest.interval)
    if lowest.interval.value <= 0 <= highest.interval.value:
        return Independent(found, 1.0)
    return Independent(found, (lowest if lowest.interval.value > 0 else highest).p)


def _difference(one: Interval, other: Interval, together: bool) -> Independent:
    value = one.value - other.value
    thin = one.thin or other.thin
    units = min(one.units, other.units)
    if not all(map(math.isfinite, (one.low, one.high, other.low, other.high, value))):
        nan, thin = math.nan, thin or "one of the two values has no interval"
        found = replace(one, value=value, low=nan, high=nan, standard_error=nan, method="none")
        return Independent(replace(found, units=units, thin=thin, counts=None), nan)
    below = one.value - one.low, other.high - other.value
    above = one.high - one.value, other.value - other.low
    whole: Callable[..., float] = operator.add if together else math.hypot
    low, high = value - whole(*below), value + whole(*above)
    error = whole(one.standard_error, other.standard_error)
    method = "added arms" if together else "independent"
    interval = Interval(value, low, high, one.level, error, method, one.unit, units, math.nan, thin)
    arms = below if value > 0 else above
    p = _chance(value, arms, whole(*arms), (one, other))
    if one.counts is not None and other.counts is not None and value:
        p = max(p, _chance_of_shares(one.counts, other.counts))
    if math.isnan(error):
        p = max(p, math.nextafter(1 - one.level, 0.0))
    return Independent(interval, p)


def _chance(
    difference: float,
    arms: tuple[float, float],
    whole: float,
    intervals: tuple[Interval, Interval],
) -> float:
    largest = max(arms)
    if not difference or not largest:
        return float(not difference)
    squares = [(arm / largest) ** 2 for arm in arms]
    free = [max(one.units - 1, 1) for one in intervals]
    lost = sum(square**2 / df for square, df in zip(squares, free, strict=True))
    df, level = math.floor(sum(squares) ** 2 / lost), intervals[0].level
    return 2 * t_cdf(-abs(difference) / whole * t_quantile((1 + level) / 2, df), df)


def _chance_of_shares(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return the p-value with which Newcombe's interval of two different shares ends at 0.

    Args:
        one: The numbers of hits and of misses.
        other: The same of the other share.
    """
    larger, smaller = sorted((one, other), key=lambda counts: counts[0] / sum(counts), reverse=True)
    apart = larger[0] / sum(larger) - smaller[0] / sum(smaller)

    def excluded(quantile: float) -> bool:
        arms = _arm(larger[1], larger[0], quantile), _arm(smaller[0], smaller[1], quantile)
        return math.hypot(*arms) < apart

    low, high = 0.0, 1.0
    while excluded(high):
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if excluded(middle) else (low, middle)
    return 2 * normal_cdf(-low)


def _arm(hits: int, misses: int, quantile: float) -> float:
    """Return the distance of the upper end of Wilson's interval from the share of hits."""
    count = hits + misses
    share, square = hits / count, quantile * quantile / count
    moved = square * (1 - 2 * share) / 2
    return (moved + math.sqrt(square * share * (1 - share) + square * square / 4)) / (1 + square)
