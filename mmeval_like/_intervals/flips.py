"""Flips: intervals of a difference of two shares of hits of the same samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import lru_cache

from mmeval_like._intervals.distributions import normal_quantile, t_quantile
from mmeval_like._intervals.exact_shares import (
    FEW,
    exact_difference,
    least_share,
    square_and_add,
    tail,
)
from mmeval_like._intervals.share_differences import no_difference, supposed_difference
from mmeval_like._intervals.transforms import as_decimal, as_float

__all__ = ["Flips"]

_DIGITS = Context(prec=50)
_ENOUGH = Decimal("1e-18")  # the precision of the shape of a triangle
_NEVER = Decimal("1e-400")  # smaller chances are 0 as floats


@dataclass(frozen=True)
class Flips:
    """The intervals of a difference of shares, from the numbers of samples that flip.

    They are those of `exact_difference`. Their p-values are the larger ones of both methods.

    Attributes:
        up: The number of samples that are hits only for the second system.
        down: The number of samples that are hits only for the first system.
        count: The number of all samples, at least 1.
        width: The difference if all samples flip up.

    Example:
        >>> flips = Flips(up=10, down=0, count=100, width=1.0)
        >>> low, high = flips.ends(0.95)
        >>> round(low, 4), round(high, 4), round(flips.p_at(low), 9)
        (0.0375, 0.1762, 0.05)
        >>> round(flips.p_at(0.0), 4), round(flips.detectable(0.95, 0.8), 4)
        (0.0016, 0.0898)
    """

    up: int
    down: int
    count: int
    width: float

    @property
    def few(self) -> bool:
        """Whether few samples flip in one direction, so that the exact interval is needed."""
        return min(self.up, self.down) <= FEW

    @property
    def method(self) -> str:
        """The name of the method."""
        return "Tango, Clopper-Pearson" if self.few else "Tango"

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of samples that flip up, that flip down, and that do not flip."""
        return self.up, self.down, self.count - self.up - self.down

    @property
    def error(self) -> float:
        """The standard error, to which one flip is added, since it is 0 without flips."""
        difference, flips = (self.up - self.down) / self.count, (self.up + self.down) / self.count
        squared = (flips - difference * difference) / max(self.count - 1, 1) + 1 / self.count**2
        return math.sqrt(squared) * self.width

    def ends(self, level: float) -> tuple[float, float]:
        """Return both ends."""
        low, high = exact_difference(self.up, self.down, self.count, level)
        return low * self.width, high * self.width

    def p_at(self, supposed: float) -> float:
        """Return the p-value of a supposed difference; of 0, McNemar's if many samples flip."""
        if abs(supposed) > self.width:
            return 0.0
        with localcontext(_DIGITS):
            share = as_decimal(supposed) / as_decimal(self.width)
        if share:
            p = supposed_difference(self.up, self.down, self.count, share)
        else:
            p = no_difference(self.up, self.down)
        return max(p, _p_of_few(self.up, self.down, self.count, share)) if self.few else p

    def detectable(self, level: float, power: float) -> float:
        """Return the difference that excludes 0 with this power.

        It is at least that of the fewest flips in one direction that exclude 0. With few flips, the
        normal approximation promises more.
        """
        needed = _significant(self.count, level)
        if needed is None:
            return self.width
        exact = as_float(least_share(needed, self.count, Decimal(repr(power))))
        size = t_quantile((1 + level) / 2, max(self.count - 1, 1)) + normal_quantile(power)
        return min(max(size * self.error, exact * self.width), self.width)


@lru_cache(maxsize=4096)  # many slices have the same few flips
def _p_of_few(up: int, down: int, count: int, supposed: Decimal) -> float:
    """Return the p-value of a supposed difference to which the square-and-add interval belongs.

    The end is the supposed difference if the distances of an exact lower bound of the share that
    flips up, and of an exact upper bound of the other, are the sides of a right triangle with the
    distance of the difference. At one shape of this triangle, found by regula falsi (Illinois
    algorithm), both bounds have the same chance.
    """
    with localcontext(_DIGITS):
        if supposed > Decimal(up - down) / count:
            up, down, supposed = down, up, -supposed
        ups, downs = Decimal(up) / count, Decimal(down) / count
        apart = ups - downs - supposed

        def chances(rise: Decimal) -> tuple[Decimal, Decimal]:
            least, most = ups - apart * (1 - rise * rise).sqrt(), downs + apart * rise
            return tail(up, count, least), tail(count - down, count, 1 - most)

        def beyond(rise: Decimal) -> Decimal:
            one, other = (max(chance, _NEVER).ln() for chance in chances(rise))
            return one - other

        low, high = Decimal(0), Decimal(1)
        below, above = beyond(low), beyond(high)
        if up and below >= 0:  # the supposed difference is the observed one, or nearly
            return 1.0
        if not up or above <= 0:  # no bound of the share that flips up is as likely
            return as_float(min(2 * chances(high)[1], Decimal(1)))
        moved = 0  # which end moved last: if one moves twice, the other gets less weight
        while high - low > _ENOUGH:
            middle = (low * above - high * below) / (above - below)
            at = beyond(middle)
            if at < 0:
                above = above / 2 if moved < 0 else above
                step, low, below, moved = middle - low, middle, at, -1
            else:
                below = below / 2 if moved > 0 else below
                step, high, above, moved = high - middle, middle, at, 1
            if step < _ENOUGH or not at:
                break
        return as_float(min(2 * chances(middle)[1], Decimal(1)))


@lru_cache(maxsize=1024)
def _significant(count: int, level: float) -> int | None:
    """Return how many flips in one direction, and none in the other, exclude 0; None: no number."""
    chance = (1 - Decimal(repr(level))) / 2
    for flips in range(1, count + 1):
        if no_difference(flips, 0) < 1 - level:
            below, _ = square_and_add(flips, 0, count, chance)
            if flips > below * count:
                return flips
    return None
