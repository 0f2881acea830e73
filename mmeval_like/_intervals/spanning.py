"""Intervals from the worst to the best value of samples some of which have no score.

The lower end is that of the interval of the lowest value, the upper end that of the highest. Each
of these two intervals contains its value in the share of cases that is its level; whatever the
missing scores are, the true value lies between the two, so that the interval from end to end covers
at least as often (C. F. Manski, Partial Identification of Probability Distributions, 2003).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from mmeval_like._intervals.difference import Difference, Family
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.value_ranges import Range

__all__ = ["between", "shifted", "spanning", "spans"]

_SPANS = ", worst to best"  # how the names of their methods end


@dataclass(frozen=True)
class Spanning(Interval):
    """An interval from the lower end of one interval to the upper end of another."""

    lowest: Any = field(default=None, repr=False)
    highest: Any = field(default=None, repr=False)

    @property
    def below(self) -> Interval:
        """The interval of the lowest value."""
        found: Interval = self.lowest
        return found

    @property
    def above(self) -> Interval:
        """The interval of the highest value."""
        found: Interval = self.highest
        return found


@dataclass(frozen=True)
class _Hull:
    """The hulls of the intervals of the lowest and of the highest difference, at all levels."""

    lowest: Difference
    highest: Difference

    def ends(self, level: float) -> tuple[float, float]:
        return self.lowest.ends(level)[0], self.highest.ends(level)[1]

    def p_at(self, supposed: float) -> float:
        if self.lowest.value <= supposed <= self.highest.value:
            return 1.0
        return (self.lowest if supposed < self.lowest.value else self.highest).p_at(supposed)

    def detectable(self, level: float, power: float) -> float:
        gap = self.highest.value - self.lowest.value
        return gap + max(one.detectable(level, power) for one in (self.lowest, self.highest))


def spanning(main: Interval, one: Interval, other: Interval) -> Interval:
    """Return the interval from the lower end of one interval to the upper end of another.

    Args:
        main: The interval of the value of the samples with a score.
        one: The interval at one end of the bounds.
        other: The interval at the other end.

    Example:
        >>> from mmeval_like._intervals.interval import share
        >>> one, other = share(0.4, 0.95, 50, (0.0, 1.0)), share(0.6, 0.95, 50, (0.0, 1.0))
        >>> found = spanning(one, one, other)
        >>> (found.low, found.high) == (one.low, other.high)
        True
    """
    lowest, highest = sorted((one, other), key=lambda end: end.value)
    thin = lowest.thin or highest.thin
    method, unit = lowest.method + _SPANS, lowest.unit
    ends = min(lowest.low, main.value), max(highest.high, main.value)
    shared = (main.value, *ends, main.level, main.standard_error, method, unit, lowest.units)
    if isinstance(lowest, Difference) and isinstance(highest, Difference):
        family: Family = _Hull(lowest, highest)
        changed = max(lowest.changed, highest.changed)
        return Difference(*shared, float("nan"), thin, None, family.p_at(0.0), changed, family)
    return Spanning(*shared, float("nan"), thin, None, lowest, highest)


def between(one: Interval, worst: float, best: float) -> Interval:
    """Return an interval that was written, with the worst and the best value, as `spanning` does.

    Of the intervals of these values, only the outer ends are written. The inner ones are the values
    themselves: a difference of two such intervals ends where the outer ends are.

    Example:
        >>> written = Interval(0.5, 0.3, 0.8, 0.95, 0.1, "t, worst to best", "sample", 9, 9.0, None)
        >>> found = between(written, 0.4, 0.7)
        >>> found.below.low, found.below.value, found.above.value, found.above.high
        (0.3, 0.4, 0.7, 0.8)
    """
    least, most = sorted((worst, best))
    method = one.method.removesuffix(_SPANS)
    lowest = replace(one, value=least, low=min(one.low, least), high=least, method=method)
    highest = replace(one, value=most, low=most, high=max(one.high, most), method=method)
    return spanning(one, lowest, highest)


def spans(one: Interval) -> bool:
    """Return whether an interval is one from a worst to a best value, which may differ."""
    return one.method.endswith(_SPANS)


def shifted(one: Interval, value: float, bounds: Range) -> Interval:
    """Return an interval of the same arms around another value, within the range of values."""
    by, (least, most) = value - one.value, bounds
    if by == 0:
        return one
    low, high = max(one.low + by, least), min(one.high + by, most)
    return replace(one, value=value, low=min(low, value), high=max(high, value), counts=None)
