"""Few changes: what units that did not change may hide, from the binomial distribution.

If two systems differ by the same number on all units, usually by 0, the variance of the difference
is 0, and if few units are exceptions, it is hardly known. But the share of exceptions is bounded by
the end of Clopper and Pearson's interval, and they are not beyond the range.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

from mmeval_like._intervals.exact_shares import FEW, least_share, tail
from mmeval_like._intervals.transforms import as_decimal, as_float

__all__ = ["FewChanges", "FewOfRare"]

_DIGITS = Context(prec=50)


@dataclass(frozen=True)
class FewChanges:
    """The differences that are compatible with the numbers of exceptional units.

    Attributes:
        down: The number of units whose difference may be below the usual one, at most all.
        up: The number of units whose difference may be above it, at most all.
        units: The number of units, at least 1.
        width: The largest difference of one unit.
        usual: The difference of all other units.

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
    usual: float = 0.0

    def ends(self, level: float) -> tuple[float, float]:
        """Return the usual difference, moved by the largest shares of the largest exceptions."""
        with localcontext(_DIGITS):
            chance = (1 - Decimal(repr(level))) / 2
            low, high = (
                1 - least_share(self.units - exceptions, self.units, chance)
                for exceptions in (self.down, self.up)
            )
            usual, width = as_decimal(self.usual), as_decimal(self.width)
            return as_float(usual - low * (width + usual)), as_float(usual + high * (width - usual))

    def p_at(self, supposed: float) -> float:
        """Return twice the probability of so few exceptions of the largest size, at most 1."""
        if supposed == self.usual:
            return 1.0
        lower = supposed < self.usual
        exceptions = self.down if lower else self.up
        with localcontext(_DIGITS):
            usual, width = as_decimal(self.usual), as_decimal(self.width)
            most = width + usual if lower else width - usual
            share = abs(as_decimal(supposed) - usual) / most if most > 0 else Decimal(2)
            if share >= 1:
                return 1.0 if share == 1 and exceptions >= self.units else 0.0
            chance = tail(self.units - exceptions, self.units, 1 - share)
            return as_float(min(2 * chance, Decimal(1)))


@dataclass(frozen=True)
class FewOfRare:
    """The differences that are compatible with few changes in a rare class, beside others.

    What is added to the difference on either side is what the numbers of changes of the class allow
    beyond those that there are. More than three in one direction show their variance.

    Attributes:
        value: The difference of all units.
        rare: The changes of the class.

    Example:
        >>> found = FewOfRare(-0.2, FewChanges(down=20, up=0, units=100, width=1.0))
        >>> [round(end, 3) for end in found.ends(0.95)]
        [-0.2, -0.164]
        >>> found.p_at(-0.3), round(found.p_at(found.ends(0.95)[1]), 9)
        (0.0, 0.05)
    """

    value: float
    rare: FewChanges

    @property
    def width(self) -> float:
        """The difference if all units changed as those of the class do."""
        return self.rare.width

    @property
    def units(self) -> int:
        """The number of all units."""
        return self.rare.units

    def ends(self, level: float) -> tuple[float, float]:
        """Return the difference, moved on either side by the changes that may be hidden."""
        low, high = self.rare.ends(level)
        below, above = self._seen
        return (
            self.value + (0.0 if below is None else low + below),
            self.value + (0.0 if above is None else high - above),
        )

    def p_at(self, supposed: float) -> float:
        """Return twice the probability of so few changes if as many more were usual, at most 1."""
        apart, (below, above) = supposed - self.value, self._seen
        seen = below if apart < 0 else above
        if not apart or seen is None:
            return float(not apart)
        return self.rare.p_at(apart - seen if apart < 0 else apart + seen)

    @property
    def _seen(self) -> tuple[float | None, float | None]:
        each = self.rare.width / self.rare.units
        below, above = (
            None if many > FEW else many * each for many in (self.rare.down, self.rare.up)
        )
        return below, above
