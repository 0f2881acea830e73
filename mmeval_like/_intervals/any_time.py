"""Any time: confidence sequences of a difference as families of intervals.

A level holds for all looks and for both ends together. So the ends at a level below that for which
a sequence was made are those of its own level: they may be looked at as often, from either side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

import numpy as np

from mmeval_like._intervals.betting import Bets
from mmeval_like._intervals.distributions import precise_quantile
from mmeval_like._intervals.sequential import Looks
from mmeval_like._intervals.transforms import as_decimal, as_float

__all__ = ["BetsSoFar", "LooksSoFar"]

_DIGITS = Context(prec=50)


@dataclass(frozen=True)
class LooksSoFar:
    """The confidence sequence of a share of hits, as it is after these samples.

    Attributes:
        value: The difference.
        error: Its standard error.
        count: The number of samples.
        looks: The sequence.
        level: Its level.
        width: The largest difference that there can be.

    Example:
        >>> found = LooksSoFar(0.05, Decimal("0.01"), 1000, Looks(1000, 0.95), 0.95, 1.0)
        >>> [round(end, 4) for end in found.ends(0.9)], round(found.p_at(found.ends(0.95)[0]), 9)
        ([0.0183, 0.0817], 0.05)
    """

    value: float
    error: Decimal
    count: int
    looks: Looks
    level: float
    width: float

    def ends(self, level: float) -> tuple[float, float]:
        """Return both ends, inside the range of differences."""
        with localcontext(_DIGITS):
            value, width = as_decimal(self.value), as_decimal(self.width)
            arm = self.looks.radius(self.error, self.count, max(level, self.level))
            return as_float(max(value - arm, -width)), as_float(min(value + arm, width))

    def p_at(self, supposed: float) -> float:
        """Return the p-value of a supposed difference."""
        if abs(supposed) > self.width:
            return 0.0
        with localcontext(_DIGITS):
            apart = as_decimal(self.value) - as_decimal(supposed)
        return self.looks.p_value(apart, self.error, self.count)

    def detectable(self, level: float, power: float) -> float:
        """Return the difference that excludes 0 at this look with this power."""
        with localcontext(_DIGITS):
            arm = self.looks.radius(self.error, self.count, max(level, self.level))
            return as_float(arm + precise_quantile(Decimal(repr(power)), None) * self.error)


@dataclass(frozen=True, eq=False)
class BetsSoFar:
    """The confidence sequence of a mean of bounded values, as it is after these samples.

    Attributes:
        scaled: The differences of the samples, divided by `width`, (n,).
        bets: The sequence.
        level: Its level.
        width: The largest difference that there can be.

    Example:
        >>> found = BetsSoFar(np.repeat([0.0, 1.0], [900, 100]), Bets(1000, 0.95), 0.95, 10.0)
        >>> [round(end, 2) for end in found.ends(0.95)], round(found.p_at(found.ends(0.95)[0]), 6)
        ([0.74, 1.31], 0.05)
    """

    scaled: np.ndarray
    bets: Bets
    level: float
    width: float

    def ends(self, level: float) -> tuple[float, float]:
        """Return both ends."""
        low, high = self.bets.ends(self.scaled, max(level, self.level))
        return low * self.width, high * self.width

    def p_at(self, supposed: float) -> float:
        """Return the p-value of a supposed difference."""
        if abs(supposed) > self.width:
            return 0.0
        return self.bets.p_value(self.scaled, supposed / self.width)

    def detectable(self, level: float, power: float) -> float:
        """Return the difference that excludes 0 at this look with this power, about."""
        low, high = self.ends(level)
        count = len(self.scaled)
        middle = math.fsum(self.scaled.tolist()) / count
        squares = math.fsum(((self.scaled - middle) ** 2).tolist())
        error = math.sqrt(squares / max(count - 1, 1) / count) * self.width
        return (high - low) / 2 + as_float(precise_quantile(Decimal(repr(power)), None)) * error
