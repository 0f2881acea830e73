"""Difference: the interval of a difference of two systems, as one of a family for all levels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

from mmeval_like._intervals.interval import Interval

__all__ = ["Difference", "Family", "Undecided"]


class Family(Protocol):
    """The intervals of one value at all levels, and the p-values that belong to them."""

    def ends(self, level: float) -> tuple[float, float]:
        """Return both ends of the interval at a level; a higher level contains a lower one."""
        ...

    def p_at(self, supposed: float) -> float:
        """Return the two-sided p-value of a supposed value.

        It is below 1 - level exactly if the supposed value is outside the interval at that level.
        """
        ...

    def detectable(self, level: float, power: float) -> float:
        """Return the smallest true value that excludes 0 with this power; nan if unknown."""
        ...


@dataclass(frozen=True)
class Undecided:
    """Intervals of any value in a range: the samples decide nothing yet.

    Example:
        >>> nothing = Undecided(1.0, 0.2)
        >>> nothing.ends(0.95), nothing.p_at(0.5), nothing.detectable(0.95, 0.8)
        ((-1.0, 1.0), 1.0, 0.2)
    """

    width: float
    needed: float

    def ends(self, level: float) -> tuple[float, float]:
        """Return the whole range."""
        return -self.width, self.width

    def p_at(self, supposed: float) -> float:
        """Return 1, or 0 outside the range."""
        return 1.0 if abs(supposed) <= self.width else 0.0

    def detectable(self, level: float, power: float) -> float:
        """Return what would be detectable if the samples could decide."""
        return self.needed


@dataclass(frozen=True)
class Difference(Interval):
    """The interval of a difference b - a, one of a family of intervals for all levels.

    Attributes:
        p: The two-sided p-value of no difference, below 1 - level exactly if 0 is outside the
            interval; nan without an interval.
        changed: The number of units, samples or clusters, on which the two systems differ.
        family: The intervals at other levels; None without an interval.

    Example:
        >>> from mmeval_like import Accuracy, Paired
        >>> pair = Paired(Accuracy())
        >>> pair.a.add([1] * 70 + [0] * 30, [1] * 100, ids=range(100))
        >>> pair.b.add([1] * 80 + [0] * 20, [1] * 100, ids=range(100))
        >>> _ = pair.compute()
        >>> found = pair.intervals["top1_difference"]
        >>> found.changed, found.ends(found.level) == (found.low, found.high)
        (10, True)
        >>> low, high = found.ends(0.9)
        >>> found.low < low < found.value < high < found.high
        True
        >>> found.p_at(0.0) == found.p, found.p_at(0.1)
        (True, 1.0)
    """

    p: float = math.nan
    changed: int = 0
    family: Family | None = field(default=None, repr=False, compare=False)

    def ends(self, level: float) -> tuple[float, float]:
        """Return both ends at another level, by the same method; nan without an interval.

        The intervals of a comparison with `anytime=True` hold for all looks and both ends together.
        For a level below their own, they are those of their own level.
        """
        if self.family is None:
            return math.nan, math.nan
        low, high = self.family.ends(level)
        return min(low, self.value), max(high, self.value)  # in spite of rounding

    def p_at(self, supposed: float) -> float:
        """Return the two-sided p-value of a supposed difference; nan without an interval.

        It is below 1 - level exactly if the supposed difference is outside `ends(level)`; with
        `anytime=True`, for levels from that of the interval on.
        """
        return math.nan if self.family is None else self.family.p_at(supposed)

    def detectable(self, level: float | None = None, power: float = 0.8) -> float:
        """Return the smallest true difference that such a comparison detects; nan if unknown.

        Args:
            level: The level of the interval that excludes 0; None: that of this interval.
            power: The probability of it.
        """
        if self.family is None:
            return math.nan
        return self.family.detectable(self.level if level is None else level, power)
