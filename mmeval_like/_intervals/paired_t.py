"""Paired t: intervals of a difference whose variance grows with the supposed difference.

A supposed difference is rejected if its distance from the measured one exceeds the quantile of
Student's t times the root of the variance that it would have, see `tilting`. If a few units of many
are worse by the same amount, the number of such units, and with it the variance, is larger where
the true difference is farther away from 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import lru_cache

from mmeval_like._intervals.distributions import precise_quantile, t_cdf
from mmeval_like._intervals.exact_shares import least_share
from mmeval_like._intervals.few_changes import FewChanges, FewOfRare
from mmeval_like._intervals.tilting import tilted
from mmeval_like._intervals.transforms import as_decimal, as_float

__all__ = ["PairedT"]

_DIGITS = Context(prec=50)
_FIRST = 4  # with fewer changes, no difference is detected


@dataclass(frozen=True)
class PairedT:
    """The intervals of a difference, from its variance and its skewness.

    Attributes:
        value: The difference.
        variance: Its squared standard error.
        tilt: How much the variance grows with the difference.
        df: The degrees of freedom of the variance.
        units: The number of units.
        width: The largest difference that there can be; inf if there is none.
        largest: The largest difference of one unit.
        few: What few changes may hide; None if there are enough.

    Example:
        >>> even = PairedT(0.1, Decimal("0.0025"), Decimal(0), 99, 100, 1.0, 1.0)
        >>> [round(end, 4) for end in even.ends(0.95)], round(even.p_at(0.0), 4)
        ([0.0008, 0.1992], 0.0482)
        >>> uneven = PairedT(0.1, Decimal("0.0025"), Decimal("0.01"), 99, 100, 1.0, 1.0)
        >>> [round(end, 4) for end in uneven.ends(0.95)]  # the variance grows on this side
        [0.0008, 0.2208]
    """

    value: float
    variance: Decimal
    tilt: Decimal
    df: int
    units: int
    width: float
    largest: float
    few: FewChanges | FewOfRare | None = None

    def ends(self, level: float) -> tuple[float, float]:
        """Return both ends, inside the range of differences."""
        low, high = tilted(self.value, self.variance, self.tilt, level, self.df)
        low, high = max(low, -self.width), min(high, self.width)
        if self.few is not None:
            least, most = self.few.ends(level)
            low, high = max(min(low, least), -self.width), min(max(high, most), self.width)
        return low, high

    def p_at(self, supposed: float) -> float:
        """Return the p-value of a supposed difference."""
        if abs(supposed) > self.width:
            return 0.0
        with localcontext(_DIGITS):
            apart = as_decimal(supposed) - as_decimal(self.value)
            variance = self.variance + max(self.tilt * apart, Decimal(0))
            size = as_float(abs(apart) / variance.sqrt()) if variance else math.inf
        p = 2 * t_cdf(-size, self.df) if apart else 1.0
        return p if self.few is None else max(p, self.few.p_at(supposed))

    def detectable(self, level: float, power: float) -> float:
        """Return the difference that excludes 0 with this power; nan if no unit shows a size.

        It is at least that of units that change in one direction by the largest difference: it
        needs a number of them that is significant. With few changes, the normal approximation
        promises more. If the long tail lies between the measured difference and 0, the arm towards
        0 is that of the larger variance there.
        """
        largest, units = self.largest, self.units
        if self.few is not None:
            largest, units = self.few.width, self.few.units
        if not largest:
            return math.nan
        needed = _significant(units, level)
        if needed is None:
            return self.width if math.isfinite(self.width) else math.nan
        exact = largest * as_float(least_share(needed, units, Decimal(repr(power))))
        with localcontext(_DIGITS):
            quantile = precise_quantile((1 + Decimal(repr(level))) / 2, self.df)
            error = self.variance.sqrt()
            away = -self.tilt if self.value > 0 else self.tilt if self.value < 0 else abs(self.tilt)
            grown = max(away, Decimal(0)) * quantile * quantile / 2
            arm = grown + (quantile * quantile * self.variance + grown * grown).sqrt()
            found = as_float(arm + precise_quantile(Decimal(repr(power)), None) * error)
        return min(max(found, exact), self.width)


@lru_cache(maxsize=1024)
def _significant(units: int, level: float) -> int | None:
    """Return how many units must change by the same amount to exclude 0; None: more than all."""
    for changes in range(_FIRST, units):
        share = changes / units
        variance = share * (1 - share) / (units - 1) + (1 - share) / units**2
        if 2 * t_cdf(-share / math.sqrt(variance), units - 1) < 1 - level:
            return changes
    return None
