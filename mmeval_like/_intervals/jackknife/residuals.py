"""Residuals: numbers whose mean is 0 if a supposed value is the true one.

A mean, weighted or not, is a quotient of two sums, as a rate or an error by total is. Of what a
sample adds to them, u and w, the residual is u - R w: R is the quotient if the residuals are 0 on
average. So the interval contains all R for which their mean is not too far from 0, by the standard
error that they have at this R (E. C. Fieller, Some problems in interval estimation, J. R. Stat.
Soc. B 16, 1954). It does not matter that a quotient is biased. That the residuals are skewed makes
their variance grow towards the long tail, see `tilting`. If all w are equal, this is the interval
of the mean of u.

A value that is a function of the quotient, such as the root of a mean, has the interval whose ends
are those of the quotient, under the same function.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import Estimand, Numbers
from mmeval_like._intervals.jackknife.moved_sums import WEIGHT, Directions, Sums, both_ways
from mmeval_like._intervals.jackknife.skewed_samples import towards_the_tail
from mmeval_like._intervals.tilting import growth, tilted
from mmeval_like._intervals.transforms import as_decimal
from mmeval_like._states.kinds.powers import Spread, Tails

__all__ = ["Residual", "Residuals", "residuals", "tilt_intervals"]

_DIGITS = Context(prec=50)
_STEP = Decimal(2) ** -20  # relative: so small that sums of squares still fit, and integers too
_SAME = 1e-3  # of the change by such a step of one sum: by how much rounding changes a quotient

Residuals = dict[tuple[str, int], "Residual"]  # by the key of a value and its place in a list


@dataclass(frozen=True)
class Residual:
    """The residuals of a value that depends on one sum, or on the quotient of two.

    Attributes:
        tails: Their moments.
        along: How far the means of all sums move with that of the residuals.
        slope: How much the variance of residuals changes with their mean, as the quotient does.
        curve: How much it changes with the square of their mean.
    """

    tails: Tails
    along: list[Decimal]
    slope: Fraction = Fraction(0)
    curve: Fraction = Fraction(0)

    def moved(self, sums: Sums, free: int) -> list[Numbers]:
        """Return the values if the mean of the residuals is a standard error higher, and lower."""
        with localcontext(_DIGITS):
            error = as_decimal(self.tails.variance).sqrt()
            direction = [error * step for step in self.along]
        return [sums.numbers(way) for way in both_ways(direction, free)]

    def skew(self, count: int) -> float:
        """Return how much the variance of their mean grows with it, between two bounds."""
        if not self.tails.third_is_known:
            return 0.0
        return float(self.tails.third / self.tails.variance / count)

    def ends(self, count: int, alike: Fraction, level: float) -> tuple[float, float, Decimal]:
        """Return both ends of the interval of their mean, and how much its variance grows with it.

        Args:
            count: The number of samples.
            alike: The effective number of samples.
            level: As in `Interval`.
        """
        with localcontext(_DIGITS):
            variance = as_decimal(self.tails.variance)
            third = as_decimal(self.tails.third) if self.tails.third_is_known else Decimal(0)
            skewness = third / (variance * variance.sqrt())
            skewness *= as_decimal(growth(float(skewness), float(alike)))
            skew = skewness * variance.sqrt() / count
            free = count * (1 - 1 / alike)
            slope, curve = (as_decimal(each / free) for each in (self.slope, self.curve))
            variance /= as_decimal(free)
        df = math.floor(alike) - 1
        return *tilted(0, variance, skew, level, df, slope, curve), skew + slope


def residuals(
    estimand: Estimand, spread: Spread, sums: Sums, directions: Directions, roundings: Sequence[int]
) -> Residuals:
    """Return the residuals of all values that have some.

    Args:
        estimand: The estimand.
        spread: The moments of what samples add to the sums.
        sums: The sums.
        directions: The independent directions in which they vary.
        roundings: The places of sums of rounding errors.
    """
    every = [(key, n) for key, values in estimand.numbers.items() for n in range(len(values))]
    size, found = len(spread.mean), Residuals()
    if len(directions) == 1:
        [(place, direction)] = directions.items()
        with localcontext(_DIGITS):
            along = [step / direction[place] for step in direction]
        tails = spread.tails({place: 1})
        return {} if tails is None else dict.fromkeys(every, Residual(tails, along))
    still, moved = sums.numbers([Decimal(0)] * size), dict[int, Numbers]()
    weights = range(size)[sums.place_of(WEIGHT) or slice(0)]
    for place in range(size):
        if spread.covariance[place][place] and place not in roundings:
            with localcontext(_DIGITS):
                step = as_decimal(spread.covariance[place][place]).sqrt() * _STEP
            moved[place] = sums.numbers([step * (other == place) for other in range(size)])
    for key, n in every:
        changes = {place: _change(one, still, key, n) for place, one in moved.items()}
        changing = [place for place, change in changes.items() if change != 0]
        one = None
        if len(changing) == 1:
            one = _of_sums(spread, changing[0], None)
        elif len(changing) == 2 and all(spread.mean[place] for place in changing):
            upper, lower = sorted(changing, key=lambda p: (p in weights, spread.kish(p, 1)))
            with localcontext(_DIGITS):
                grown = [
                    as_decimal(mean) * _STEP * (place in changing)
                    for place, mean in enumerate(spread.mean)
                ]
            if _change(sums.numbers(grown), still, key, n) <= _SAME * max(changes.values()):
                one = _of_sums(spread, upper, lower)
        if one is not None and one.tails.variance > 0:
            found[key, n] = one
    return found


def _change(moved: Numbers, still: Numbers, key: str, n: int) -> float:
    if key not in moved or key not in still:
        return math.nan
    return abs(moved[key][n] - still[key][n])


def _of_sums(spread: Spread, upper: int, lower: int | None) -> Residual | None:
    """Return the residuals of a sum, or of the quotient of two; None if they are unknown."""
    factors: dict[int, Fraction] = {upper: Fraction(1)}
    slope = curve = Fraction(0)
    if lower is not None:
        mean = spread.mean[lower]
        factors[lower] = -spread.mean[upper] / mean
        # Where their mean is m, the residuals are these less m w / mean(w).
        slope = -2 * spread.shared(factors, {lower: 1}) / mean
        curve = spread.covariance[lower][lower] / mean**2
    tails = spread.tails(factors)
    along = [Decimal(place == upper) for place in range(len(spread.mean))]
    return None if tails is None else Residual(tails, along, slope, curve)


def tilt_intervals(
    estimand: Estimand,
    found: dict[str, list[Interval]],
    of_values: Residuals,
    sums: Sums,
    alike: Fraction,
) -> None:
    """Replace or extend the intervals of values that have residuals.

    Those of means between two bounds are extended if they are skewed otherwise than a proportion.

    If such a value is a quotient of two sums and its interval is that of the logarithmic scale, as
    that of an error by total is, it is extended on the side towards which the variance grows.

    Args:
        estimand: The estimand.
        found: Its intervals, by key.
        of_values: The residuals.
        sums: The sums.
        alike: The effective number of samples.
    """
    count = len(estimand.results)
    for (key, n), residual in of_values.items():
        one, (least, most) = found[key][n], estimand.range(key)
        if math.isnan(one.low):
            continue
        if math.isfinite(most - least):
            if one.method == "Wilson, effective n" and not residual.curve:
                skew = residual.skew(count) * _slope(sums, residual, key, n)
                found[key][n] = towards_the_tail(one, skew, one.units - 1, (least, most))
            continue
        low, high, growing = residual.ends(count, alike, estimand.level)
        at = [_moved(sums, residual, end, key, n) for end in (low, high)]
        ends = sorted(at) if all(map(math.isfinite, at)) else [least, most]
        method = "tilted t"
        if one.method == "log t" and residual.curve:
            towards, method = at[growing > 0], "log t, tilted t"
            ends = [min(one.low, towards), max(one.high, towards)]
        low, high = max(least, min(ends[0], one.value)), min(most, max(ends[1], one.value))
        found[key][n] = replace(one, low=low, high=high, method=method)


def _slope(sums: Sums, residual: Residual, key: str, n: int) -> float:
    """Return how much the value changes with the mean of the residuals; 0 unless it is linear."""
    error = math.sqrt(residual.tails.variance)
    down, middle, up = (_moved(sums, residual, end, key, n) for end in (-error, 0.0, error))
    rise = (up - down) / 2
    return rise / error if abs(up - middle - rise) <= _SAME * abs(rise) else 0.0


def _moved(sums: Sums, residual: Residual, end: float, key: str, n: int) -> float:
    """Return the value with the mean of the residuals at this end; nan if there is none."""
    if not math.isfinite(end):
        return math.nan
    with localcontext(_DIGITS):
        numbers = sums.numbers([as_decimal(end) * step for step in residual.along])
    return numbers[key][n] if key in numbers else math.nan
