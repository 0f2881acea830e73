"""Few changes: what units that did not change may hide, from the binomial distribution.

If all units are equal, the variance of a difference is 0, and if few units differ, it is hardly
known. But a share of the units that differ is bounded by the end of Clopper and Pearson's interval,
and a mean difference is at most this share of the range.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

from mmeval_like._intervals.exact_shares import least_share, tail
from mmeval_like._intervals.transforms import as_decimal, as_float

__all__ = ["FewChanges"]

_DIGITS = Context(prec=50)


@dataclass(frozen=True)
class FewChanges:
    """The differences that are compatible with the numbers of units that change.

    Attributes:
        down: The number of units in which the second system may be lower, at most all.
        up: The number of units in which it may be higher, at most all.
        units: The number of units, at least 1.
        width: The largest difference of one unit.

    Example:
        >>> found = FewChanges(down=0, up=1, units=40, width=1.0)
        >>> [round(end, 3) for end in found.ends(0.95)]
        [-0.088, 0.132]
        >>> found.p_at(0.0), round(found.p_at(found.ends(0.95)[0]), 9)
        (1.0, 0.05)
    """

    down: int
    up: int
    units: int
    width: float

    def ends(self, level: float) -> tuple[float, float]:
        """Return minus and plus the largest shares of units that change, on the scale of values."""
        with localcontext(_DIGITS):
            chance = (1 - Decimal(repr(level))) / 2
            low, high = (
                as_decimal(self.width) * (1 - least_share(self.units - k, self.units, chance))
                for k in (self.down, self.up)
            )
            return as_float(-low), as_float(high)

    def p_at(self, supposed: float) -> float:
        """Return twice the probability of so few changes of the largest size, at most 1."""
        changes = self.down if supposed < 0 else self.up
        with localcontext(_DIGITS):
            share = abs(as_decimal(supposed)) / as_decimal(self.width)
            if share >= 1:
                return 1.0 if share == 1 and changes >= self.units else 0.0
            return as_float(min(2 * tail(self.units - changes, self.units, 1 - share), Decimal(1)))
