"""Marks of functions of sums: heavy tails, and numbers so far from 0 that rounding hides them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction

from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import Estimand, Numbers
from mmeval_like._intervals.jackknife.moved_sums import Directions, Sums, both_ways, variance_of
from mmeval_like._intervals.jackknife.residuals import Residuals
from mmeval_like._intervals.tails import HEAVY, heavy, heavy_squares
from mmeval_like._intervals.transforms import as_decimal
from mmeval_like._states.kinds.powers import Spread, Tails

__all__ = ["free_of_scale", "mark_heavy_tails", "mark_lost", "mark_rounding"]

_DIGITS = Context(prec=50)
_ROUNDED = Fraction(1, 1 << 100)  # times a mean square: the variance from rounding to floats
_LOST = 1e-6  # times a value: the smallest change by rounding errors that matters
_SAME = 1e-9  # relative to a value: the rounding of one that does not change
_FAR = "rounding hides how numbers so far from 0 vary: subtract a constant from all of them"

Places = set[tuple[str, int]]  # the keys of values, and their places in lists


@dataclass(frozen=True)
class _Heavy:
    """A number with heavy tails.

    Attributes:
        direction: How far it moves the sums.
        values: The values that it may mark.
        why: Why it marks them.
        share: The least share of the variance of a value that it makes.
        light: Whether its tails are heavy only for errors.
    """

    direction: list[Decimal]
    values: Places
    why: str
    share: float = 0.5
    light: bool = False


def mark_heavy_tails(
    estimand: Estimand,
    found: dict[str, list[Interval]],
    sums: Sums,
    spread: Spread,
    of_values: Residuals,
    free: int,
) -> None:
    """Mark intervals if a number with heavy tails causes much of the variance.

    That is the residuals of a value that has some, see `residuals`. Of other values, it is a sum
    that causes half of it. From moments, it is the squared distances of labels, of predictions or
    of errors from their mean that cause a quarter, as several of these share the variance. A number
    whose tails are hidden by rounding counts as well.

    Errors by total, and other functions of several sums of errors, are marked at two thirds as
    heavy tails as means: other intervals would miss lognormal errors more often.

    Few hits among many misses have heavy tails too, and Wilson's interval allows for them. So a
    share is marked only if it varies less than half as much as hits would.
    """
    count = len(estimand.results)
    for (key, index), residual in of_values.items():
        lighter = _are_errors(estimand, found[key][index], key)
        if (why := _heavy(residual.tails, 2 * count // 3 if lighter else count)) is not None:
            _mark(estimand, found, key, index, why)
    for heavy_one in _heavy_directions(estimand, spread, sums):
        at = [sums.numbers(way) for way in both_ways(heavy_one.direction, free)]
        for key, index in heavy_one.values.difference(of_values):
            one = found[key][index]
            part, whole = variance_of(at, key, index), one.standard_error**2
            counts = not heavy_one.light or _are_errors(estimand, one, key)
            if counts and part >= heavy_one.share * whole > 0:
                _mark(estimand, found, key, index, heavy_one.why)


def _are_errors(estimand: Estimand, one: Interval, key: str) -> bool:
    """Return whether a value is a function of several sums of errors, such as one by total."""
    return one.method.startswith("log t") and estimand.range(key)[0] == 0


def _mark(
    estimand: Estimand, found: dict[str, list[Interval]], key: str, index: int, why: str
) -> None:
    """Mark an interval, unless it varies like a share of hits."""
    one, moments = found[key][index], estimand.statistic.jackknife.pairs
    hits = not moments and one.effective <= 2 * len(estimand.results)
    if one.thin is None and not hits:
        found[key][index] = replace(one, thin=why)


def _heavy(tails: Tails, count: int) -> str | None:
    """Return why the mean of a number with these tails is uncertain, or None."""
    if tails.variance and not tails.fourth_is_known:
        return _FAR
    return HEAVY.format("sample") if heavy(tails.kurtosis, count) else None


def _heavy_directions(estimand: Estimand, spread: Spread, sums: Sums) -> Iterator[_Heavy]:
    """Yield the sums with heavy tails, and the squares."""
    count, size = len(estimand.results), len(spread.mean)
    every = {(key, n) for key, values in estimand.numbers.items() for n in range(len(values))}
    pairs = estimand.statistic.jackknife.pairs
    moments = {place for _, *places in pairs for place in places}
    for place in range(size):
        tails = spread.tails({place: 1})
        why = None if place in moments or tails is None else _heavy(tails, 2 * count // 3)
        if why is None or tails is None:
            continue
        with localcontext(_DIGITS):
            step = as_decimal(tails.variance).sqrt()
        direction = [step * (other == place) for other in range(size)]
        yield _Heavy(direction, every, why, light=_heavy(tails, count) is None)
    for places in pairs:
        free = free_of_scale(estimand, spread, sums, places)
        for a, b, values in _numbers(spread, places, every, free):
            w, x, y, xx, xy, yy = places
            c = -(a * spread.mean[x] + b * spread.mean[y]) / spread.mean[w]
            tails = spread.tails({w: c, x: a, y: b})
            if tails is None or not tails.variance:
                continue
            if tails.fourth_is_known and not heavy_squares(tails.kurtosis, count):
                continue
            # The square of a x + b y + c, times the weight, is a sum of what samples add.
            square = {w: c * c, x: 2 * a * c, y: 2 * b * c, xx: a * a, xy: 2 * a * b, yy: b * b}
            with localcontext(_DIGITS):
                step = as_decimal(spread.shared(square, square)).sqrt()
                direction = [
                    as_decimal(spread.shared({place: 1}, square)) / step if step else Decimal(0)
                    for place in range(size)
                ]
            why = HEAVY.format("sample") if tails.fourth_is_known else _FAR
            yield _Heavy(direction, values, why, share=0.25)


def _numbers(
    spread: Spread, places: Sequence[int], every: Places, free: Places
) -> Iterator[tuple[Fraction, Fraction, Places]]:
    """Yield the factors of x and y in numbers whose squares decide, and for which values.

    Those are x and y, and the difference between them. Correlations do not depend on the scales of
    x and y, and so on the sum and the difference in units of standard deviations.
    """
    one, none = Fraction(1), Fraction(0)
    yield from ((one, none, every), (none, one, every), (one, -one, every - free))
    w, x, y, xx, _, yy = places
    with localcontext(_DIGITS):
        units = []
        for first, second in ((x, xx), (y, yy)):
            mean = spread.mean[first] / spread.mean[w]
            squared = spread.mean[second] / spread.mean[w] - mean**2
            units.append(1 / Fraction(as_decimal(squared).sqrt()) if squared > 0 else none)
    yield from ((units[0], sign * units[1], free) for sign in (1, -1))


def free_of_scale(estimand: Estimand, spread: Spread, sums: Sums, places: Sequence[int]) -> Places:
    """Return the values that stay the same if all y are doubled, as correlations do."""
    _, _, y, _, xy, yy = places
    steps = [Decimal(0)] * len(spread.mean)
    for place, times in ((y, 1), (xy, 1), (yy, 3)):
        steps[place] = times * as_decimal(spread.mean[place])
    doubled = sums.numbers(steps)
    return {
        (key, n)
        for key, values in estimand.numbers.items()
        for n, value in enumerate(values)
        if key in doubled and abs(doubled[key][n] - value) <= _SAME * abs(value)
    }


def mark_rounding(
    found: dict[str, list[Interval]],
    spread: Spread,
    directions: Directions,
    at: list[Numbers],
) -> None:
    """Mark the intervals if a tenth of their variance may come from the rounding of terms."""
    noise: list[Numbers] = []
    for number, (place, direction) in enumerate(directions.items()):
        if Fraction(direction[place]) ** 2 < _ROUNDED * spread.square(place):
            noise += at[2 * number : 2 * number + 2]
    for key, intervals in found.items():
        for index, one in enumerate(intervals):
            moved = [numbers[key][index] if key in numbers else math.nan for numbers in noise]
            whole = one.standard_error**2
            if one.thin is None and not all(10 * (m - one.value) ** 2 < whole for m in moved):
                intervals[index] = replace(one, thin=_FAR)


def mark_lost(
    found: dict[str, list[Interval]],
    spread: Spread,
    directions: Directions,
    sums: Sums,
    free: int,
) -> None:
    """Mark the intervals of values that rounding errors of terms without a direction would change.

    Terms have no direction of their own if they follow from others. Rounding may be the reason: far
    from 0 the square of a number is rounded to a linear function of it.
    """
    moved: list[Numbers] = []
    for place, row in enumerate(spread.covariance):
        if place in directions or not row[place]:
            continue
        with localcontext(_DIGITS):
            step = as_decimal(_ROUNDED * spread.square(place)).sqrt()
        direction = [step if other == place else Decimal(0) for other in range(len(row))]
        moved += [sums.numbers(way) for way in both_ways(direction, free)]
    for key, intervals in found.items():
        for index, one in enumerate(intervals):
            least = max(one.standard_error, _LOST * abs(one.value))
            steps = [abs(numbers[key][index] - one.value) for numbers in moved if key in numbers]
            if one.thin is None and any(10 * step**2 >= least**2 > 0 for step in steps):
                intervals[index] = replace(one, thin=_FAR)
