"""Sums: intervals of functions of sums, from the covariances of the samples' terms.

The value is computed at the sums, and at the sums moved by one standard error of their means in
each of several independent directions, both ways; the directions are the columns of the Cholesky
factor of the covariance of the means. Half the squared differences add up to the variance (the
delta method). With n samples and d sums it is multiplied by n / (n - d), and Student's t has n - d
degrees of freedom: in measurements, the coverage is that of leaving out every sample, without rows.
Samples of unequal weights have fewer degrees of freedom, by their effective number: samples of
weight 0 add no certainty. The moments do not contain single samples, so none is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from mmeval_like._intervals.interval import Interval, estimate, unknown
from mmeval_like._intervals.jackknife.bounded_samples import bets, hides_failures
from mmeval_like._intervals.jackknife.correlations import of_correlation
from mmeval_like._intervals.jackknife.estimand import Estimand, Numbers
from mmeval_like._intervals.jackknife.few_errors import of_few_values
from mmeval_like._intervals.jackknife.whole_units import of_hits, of_weights
from mmeval_like._intervals.tails import HEAVY, heavy, heavy_squares
from mmeval_like._intervals.tilting import growth, tilted
from mmeval_like._intervals.transforms import Number, as_decimal
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import Hits, IntSum
from mmeval_like._states.kinds.powers import Powers, Spread
from mmeval_like._states.results import Results
from mmeval_like._states.statistic import Augmented, Statistic

__all__ = ["WithMoments", "moment_intervals"]

_POWERS = "powers_of_rows"  # the state added to those of the statistic
_WEIGHT = "weight"  # the state of metrics of weighted samples that sums the weights
_MOST_NUMBERS = 24  # as many as chrF++ has; their products are 300
_SCALE = 1 << 20  # sums are multiplied by it, so that integers can be moved by fractions
_FEW = 20  # an interval of a mean of fewer samples is thin
_DIGITS = Context(prec=50)
_ROUNDED = Fraction(1, 1 << 100)  # times a mean square: the variance from rounding to floats
_LINEAR = 1e-9  # times the range of a value: the rounding of a linear function
_LOST = 1e-6  # times a value: the smallest change by rounding errors that matters
_FAR = "rounding hides how numbers so far from 0 vary: subtract a constant from all of them"

Directions = dict[int, list[Decimal]]  # by the place of the sum that is the first to move


class WithMoments(Augmented):
    """A statistic of sums that also keeps the products of every sample's terms."""

    @classmethod
    def of(cls, inner: Statistic) -> WithMoments | None:
        """Wrap a statistic of sums of few numbers; return None for any other."""
        states = _sums_of(inner).values()
        widths = [state.width for state in states]
        hits = all(isinstance(state, Hits) for state in states)  # hits need no other state
        if hits or None in widths or sum(w or 0 for w in widths) > _MOST_NUMBERS:
            return None
        return cls(inner)

    @cached_property
    def sums(self) -> dict[str, State]:
        """The states whose products are kept."""
        return _sums_of(self.inner)

    @property
    def width(self) -> int:
        """The number of sums in these states."""
        return sum(state.width or 0 for state in self.sums.values())

    def states(self) -> dict[str, State]:
        """Return the states of the metric's statistic, and the products."""
        width = self.width + self.jackknife.tail_count
        return self.inner.states() | {_POWERS: Powers(width)}

    def extended(self, rows: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the rows with the terms of each row in all sums."""
        terms = [state.terms(state.check(name, rows[name])) for name, state in self.sums.items()]
        if self.jackknife.tails is not None:
            terms.append(self.jackknife.tails(rows))
        return {**rows, _POWERS: np.concatenate(terms, axis=1)}


def _sums_of(statistic: Statistic) -> dict[str, State]:
    states, named = statistic.states(), statistic.jackknife.sums
    return states if named is None else {name: states[name] for name in named}


class _Moved:
    """An exactly known sum, with the method that `Results.exact` calls."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def fraction(self) -> Any:
        return self._value


class _Sums:
    """The sums of an estimand, and the results if the sums are moved."""

    def __init__(self, estimand: Estimand, states: Mapping[str, State], mean: list[Any]) -> None:
        self._estimand, self._states, self._mean = estimand, states, mean
        self._count = len(estimand.results)
        self._scale = 1
        unmoved = [Fraction(0)] * len(mean)
        self._scale = _SCALE
        [scaled] = estimand.evaluate([self.moved(unmoved)])
        if any(
            not np.allclose(scaled[key], values, rtol=1e-9, atol=0, equal_nan=True)
            for key, values in estimand.numbers.items()
        ):
            self._scale = 1  # the value depends on the number of samples, not only on means

    def alike(self, estimand: Estimand, spread: Spread) -> Fraction:
        """Return the effective number of samples: unequal weights make it smaller.

        Where a state counts the weights, other sums do not tell it: without a heavy sample that is
        no hit, hits look as if all samples had the same weight.
        """
        unmoved = [Fraction(0)] * len(self._mean)
        try:
            once, twice = estimand.evaluate([self.moved(unmoved), self.moved(unmoved, 2)])
        except MemoryError:
            raise
        except Exception:  # it rejects sums of fewer samples than the given count
            return Fraction(self._count)
        # If a value depends on the number of samples, all samples count equally.
        if repr(once) != repr(twice):
            return Fraction(self._count)
        return spread.alike(self._count, self.place_of(_WEIGHT) or slice(None))

    def place_of(self, wanted: str) -> slice | None:
        """Return the places of the numbers of a state; None if there is no such state."""
        place = 0
        for name, state in self._states.items():
            if name == wanted:
                return slice(place, place + (state.width or 0))
            place += state.width or 0
        return None

    def numbers(self, steps: list[Decimal]) -> Numbers:
        """Return the values with the means moved by these steps; empty if no such sums exist.

        For instance, the mean of squares cannot be negative, and so would have no root.
        """
        try:
            [found] = self._estimand.evaluate([self.moved([Fraction(step) for step in steps])])
        except (ArithmeticError, ValueError):
            return {}
        return found

    def moved(self, steps: list[Fraction], times: int = 1) -> Results:
        """Return the results of the same number of samples, with the means moved by these steps.

        With `times`, the number of samples is multiplied, and so are only the sums to which every
        sample adds the same.
        """
        count, place = self._count * self._scale, 0
        values: dict[str, Any] = {}
        exact: dict[str, Any] = {}
        for name, state in self._states.items():
            width = state.width or 0
            here = slice(place, place + width)
            moved = [m + s for m, s in zip(self._mean[here], steps[here], strict=True)]
            place += width
            shape = state.shape  # type: ignore[attr-defined]  # a sum has one
            if isinstance(state, IntSum):
                same = times if all(mean in (0, 1) for mean in moved) else 1
                whole = [round(number * count * same) for number in moved]
                values[name] = np.array(whole, np.int64).reshape(shape) if shape else whole[0]
                continue
            sums = np.array([number * count for number in moved], object).reshape(shape)
            exact[name] = _Moved(sums if shape else sums[()])
            values[name] = sums.astype(np.float64) if shape else float(sums[()])
        return Results(values, count * times, exact)


def moment_intervals(estimand: Estimand) -> dict[str, list[Interval]] | None:
    """Return the interval of every value; None unless the statistic keeps moments."""
    statistic, results = estimand.statistic, estimand.results
    if not isinstance(statistic, WithMoments):
        return None
    count = len(results)
    powers = statistic.states()[_POWERS]
    assert isinstance(powers, Powers)
    try:
        every = powers.spread(results.exact(_POWERS), count)
    except (ValueError, OverflowError):
        return _unknown(estimand, "a sum is nan or infinite, or the numbers are too large")
    spread = every.of_first(statistic.width)
    sums = _Sums(estimand, statistic.sums, spread.mean)
    beyond = _beyond(estimand, statistic, every, sums)
    if len(beyond) == sum(map(len, estimand.numbers.values())):
        return {
            key: [unknown(v, estimand.level, count, beyond[key, n]) for n, v in enumerate(values)]
            for key, values in estimand.numbers.items()
        }
    directions = _directions(spread, statistic.jackknife.roundings)
    free = max(count - max(len(directions), 1), 1)  # too few samples get no interval below
    alike = sums.alike(estimand, spread)
    weights = sums.place_of(_WEIGHT) or slice(0)
    df = math.floor(alike) - max(len(directions), 1)
    own = _own_counts(estimand, statistic, spread)
    ways = (way for direction in directions.values() for way in _both_ways(direction, free))
    at = [sums.numbers(way) for way in ways]
    found: dict[str, list[Interval]] = {}
    for key, values in estimand.numbers.items():
        counts = own.get(key, [alike] * len(values))
        found[key] = [
            _interval(
                estimand, key, value, _variance(at, key, place), spread, df, alike, n, weights
            )
            for place, (value, n) in enumerate(zip(values, counts, strict=True))
        ]
    if len(directions) == 1 and count > 1:
        _correct_skewness(estimand, found, sums, spread, directions)
    elif df > 0 and not statistic.jackknife.pairs:
        _allow_for_skewness(estimand, found, sums, spread, free, float(alike), df)
    if df > 0:
        for intervals in found.values():
            for index, (one, places) in enumerate(zip(intervals, statistic.jackknife.pairs)):  # noqa: B905  # a mean of several has one
                intervals[index] = of_correlation(one, spread, places, alike, df)
    _mark_heavy_tails(estimand, found, sums, every, statistic.width, free)
    _mark_rounding(found, spread, directions, at)
    _mark_lost(found, spread, directions, sums, free)
    if len(directions) == 1 and count > 1:
        _allow_for_few(estimand, found, sums, spread, directions)
    for key, intervals in found.items():
        bounds = estimand.range(key)
        if key not in own and not estimand.caveat:
            intervals[:] = [of_hits(one, bounds, spread, weights) for one in intervals]
        if len(directions) == 1 and count > 1:
            intervals[:] = [of_few_values(one, bounds) for one in intervals]
    for (key, place), why in beyond.items():
        found[key][place] = unknown(found[key][place].value, estimand.level, count, why)
    return found


def _beyond(
    estimand: Estimand, statistic: WithMoments, spread: Spread, sums: _Sums
) -> dict[tuple[str, int], str]:
    """Return why values have no interval that depend on numbers whose powers are no floats.

    By key and place of the value. All values depend on numbers that are no sums, as their tails.
    """
    found: dict[tuple[str, int], str] = {}
    for place in range(len(spread.mean)):
        size = None if place in statistic.jackknife.roundings else spread.beyond(place)
        if size is None:
            continue
        at: Numbers = {}
        if place < statistic.width:
            with localcontext(_DIGITS):
                root = as_decimal(spread.square(place)).sqrt() + abs(as_decimal(spread.mean[place]))
            at = sums.numbers([root * (other == place) for other in range(statistic.width)])
        unit = {"small": "smaller", "large": "larger"}[size]
        why = f"the numbers are too {size} for their fourth powers: use a {unit} unit"
        for key, values in estimand.numbers.items():
            for n, value in enumerate(values):
                if key not in at or at[key][n] != value:
                    found[key, n] = why
    return found


def _unknown(estimand: Estimand, why: str) -> dict[str, list[Interval]]:
    level, count = estimand.level, len(estimand.results)
    return {k: [unknown(v, level, count, why) for v in vs] for k, vs in estimand.numbers.items()}


def _own_counts(
    estimand: Estimand, statistic: WithMoments, spread: Spread
) -> dict[str, Sequence[float | Fraction]]:
    """Return the effective number of samples of values by key, if it is not that of all."""
    count, place = len(estimand.results), 0
    found: dict[str, Sequence[float | Fraction]] = {**estimand.own_counts}
    for name, state in statistic.sums.items():
        width = state.width or 0
        if name == statistic.jackknife.divisor:
            alike = [spread.kish(place + index, count) for index in range(width)]
            found |= {key: alike for key, vs in estimand.numbers.items() if len(vs) == width}
        place += width
    return found


def _interval(
    estimand: Estimand,
    key: str,
    value: float,
    variance: float,
    spread: Spread,
    df: int,
    alike: Fraction,
    own: Number,
    weights: slice,
) -> Interval:
    level, count, bounds = estimand.level, len(estimand.results), estimand.range(key)
    if math.isnan(variance) and math.isfinite(value):
        return unknown(value, level, count, "the value is undefined close to these sums")
    thin = f"there are only {count} samples" if count < _FEW else None
    if alike < _FEW <= count:
        thin = f"given their weights or sizes, {count} samples count as {round(float(alike), 1)}"
    thin = thin or estimand.caveat
    variance = of_weights(value, variance, bounds, spread, count, weights)
    return estimate(value, variance, bounds, level, count, df, thin=thin, rests_on=min(alike, own))


def _mark_heavy_tails(
    estimand: Estimand,
    found: dict[str, list[Interval]],
    sums: _Sums,
    spread: Spread,
    size: int,
    free: int,
) -> None:
    """Mark intervals if a number with heavy tails causes half of the variance.

    A number whose tails are hidden by rounding counts as well.

    Errors that depend on one mean are tilted by all their skewness. Ratios of sums, such as errors
    by total, are tilted by that of one sum, and so are marked at two thirds as heavy tails.

    A number that is not a sum moves the sums by their covariance. Few hits among many misses
    have heavy tails too, and Wilson's interval allows for them. So a share is marked only if it
    varies less than half as much as hits would.
    """
    count = len(estimand.results)
    tails = _heavy_directions(estimand.statistic, spread, size, count)
    for direction, known, outright in tails:
        at = [sums.numbers(way) for way in _both_ways(direction, free)]
        for key, intervals in found.items():
            least, _ = estimand.range(key)
            for index, one in enumerate(intervals):
                part, whole = _variance(at, key, index), one.standard_error**2
                hits = least == 0 and one.effective <= 2 * count
                ratio = known and one.method.startswith("log t") and least == 0
                counts = outright or ratio
                if one.thin is None and 2 * part >= whole > 0 and not hits and counts:
                    thin = HEAVY.format("sample") if known else _FAR
                    intervals[index] = replace(one, thin=thin)


def _heavy_directions(
    statistic: Statistic, spread: Spread, size: int, count: int
) -> Iterator[tuple[list[Decimal], bool, bool]]:
    """Yield how much numbers with heavy tails move the sums, and what is known of their tails.

    That is whether the fourth moment is known, and whether the tails are heavy for any value.
    """
    for place, fourth in enumerate(spread.fourth):
        row = spread.covariance[place]
        second = row[place]
        known = spread.fourth_is_known(place)
        tail = float(fourth / second**2) if second and known else 0.0
        if not second or (known and not heavy(tail, 2 * count // 3)):
            continue
        with localcontext(_DIGITS):
            step = as_decimal(second).sqrt()
            direction = [step if other == place else Decimal(0) for other in range(size)]
            if place >= size:
                direction = [as_decimal(shared) / step for shared in row[:size]]
        yield direction, known, not known or heavy(tail, count)
    squares = [
        square
        for w, x, y, xx, _, yy in statistic.jackknife.pairs
        for square in ((w, x, xx), (w, y, yy))
    ]
    for weight, number, square in squares:
        second = spread.covariance[number][number]
        if not second or not heavy_squares(float(spread.fourth[number] / second**2), count):
            continue
        # w (x - m)^2 = w x^2 - 2 m w x + m^2 w
        mean = spread.mean[number] / spread.mean[weight]
        row = [
            cells[square] - 2 * mean * cells[number] + mean**2 * cells[weight]
            for cells in spread.covariance
        ]
        variance = row[square] - 2 * mean * row[number] + mean**2 * row[weight]
        if not variance:
            continue
        with localcontext(_DIGITS):
            step = as_decimal(variance).sqrt()
            direction = [as_decimal(shared) / step for shared in row[:size]]
        yield direction, True, True


def _mark_rounding(
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


def _mark_lost(
    found: dict[str, list[Interval]],
    spread: Spread,
    directions: Directions,
    sums: _Sums,
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
        moved += [sums.numbers(way) for way in _both_ways(direction, free)]
    for key, intervals in found.items():
        for index, one in enumerate(intervals):
            least = max(one.standard_error, _LOST * abs(one.value))
            steps = [abs(numbers[key][index] - one.value) for numbers in moved if key in numbers]
            if one.thin is None and any(10 * step**2 >= least**2 > 0 for step in steps):
                intervals[index] = replace(one, thin=_FAR)


def _directions(spread: Spread, roundings: tuple[int, ...]) -> Directions:
    """Return the nonzero columns of the Cholesky factor of the covariances, by their pivots.

    Args:
        spread: The moments.
        roundings: The places of sums of rounding errors. They change no value, and would take a
            part of the variance of the others.
    """
    with localcontext(_DIGITS):
        left = [[as_decimal(cell) for cell in row] for row in spread.covariance]
        found: Directions = {}
        for j, own in enumerate(spread.covariance):
            pivot = left[j][j]
            if j in roundings or pivot <= as_decimal(own[j]) * Decimal("1e-40"):
                continue
            root = pivot.sqrt()
            column = [Decimal(0)] * j + [left[i][j] / root for i in range(j, len(left))]
            left = [
                [cell - a * b for cell, b in zip(row, column, strict=True)]
                for row, a in zip(left, column, strict=True)
            ]
            found[j] = column
        return found


def _both_ways(direction: list[Decimal], free: int) -> list[list[Decimal]]:
    with localcontext(_DIGITS):
        root = Decimal(free).sqrt()
        return [[step / root for step in direction], [-step / root for step in direction]]


def _variance(at: list[Numbers], key: str, place: int) -> float:
    values = [one[key][place] if key in one else math.nan for one in at]
    steps = [(a - b) / 2 for a, b in zip(values[::2], values[1::2], strict=True)]
    return math.fsum(step * step for step in steps)  # ** differs between processors


def _correct_skewness(
    estimand: Estimand,
    found: dict[str, list[Interval]],
    sums: _Sums,
    spread: Spread,
    directions: Directions,
) -> None:
    """Replace the intervals of unbounded values that depend on one mean, see `tilting`."""
    count = len(estimand.results)
    [(place, direction)] = directions.items()
    variance = spread.covariance[place][place]
    with localcontext(_DIGITS):
        sized = as_decimal(variance)
        third = spread.third[place] if spread.third_is_known(place) else 0
        skewness = as_decimal(third) / (sized * sized.sqrt())
        squared = sized / (count - 1)
        skew = skewness * as_decimal(growth(float(skewness), count)) * sized.sqrt() / count
        ends = tilted(0, squared, skew, estimand.level, count - 1)
        ways = [[Decimal(end) / direction[place] * step for step in direction] for end in ends]
    at = [sums.numbers(way) for way in ways]
    for key, intervals in found.items():
        least, most = estimand.range(key)
        if math.isfinite(least) and math.isfinite(most):
            continue
        for index, one in enumerate(intervals):
            if math.isnan(one.low):
                continue
            moved = [numbers[key][index] if key in numbers else math.nan for numbers in at]
            low, high = (
                (min(moved), max(moved)) if all(map(math.isfinite, moved)) else (least, most)
            )
            low, high = max(least, min(low, one.value)), min(most, max(high, one.value))
            intervals[index] = replace(one, low=low, high=high, method="tilted t")


def _allow_for_skewness(
    estimand: Estimand,
    found: dict[str, list[Interval]],
    sums: _Sums,
    spread: Spread,
    free: int,
    alike: float,
    df: int,
) -> None:
    """Extend the intervals of ratios of sums, such as errors by total, on the side of a long tail.

    If a value moves by d with one of the sums, as far as that sum explains it, and by s in all,
    which are standard errors, its third cumulant is d^3 times the skewness of what the n samples
    add to this sum, over the root of n. The sum that tilts an end most decides. Sums of squares far
    from 0 have another skewness than squared distances, so that these are no such ratios.

    Args:
        estimand: The estimand.
        found: Its intervals, by key.
        sums: The sums.
        spread: Their moments.
        free: As in `_both_ways`.
        alike: The effective number of samples.
        df: The degrees of freedom.
    """
    tails = []
    for place, row in enumerate(spread.covariance):
        if row[place] <= 0 or not spread.third_is_known(place):
            continue
        with localcontext(_DIGITS):
            step = as_decimal(row[place]).sqrt()
            skewness = as_decimal(spread.third[place]) / step**3
            skewness *= as_decimal(growth(float(skewness), alike))
            direction = [as_decimal(shared) / step for shared in row]
        tails.append((skewness, [sums.numbers(way) for way in _both_ways(direction, free)]))
    for key, intervals in found.items():
        for index, one in enumerate(intervals):
            if one.method != "log t" or estimand.range(key)[0] != 0:
                continue
            low, high, squared = one.low, one.high, as_decimal(one.standard_error) ** 2
            for skewness, at in tails:
                up, down = (numbers[key][index] if key in numbers else math.nan for numbers in at)
                if not math.isfinite(up - down):
                    continue
                with localcontext(_DIGITS):
                    moved = (as_decimal(up) - as_decimal(down)) / 2
                    skew = moved**3 * skewness / squared / as_decimal(alike).sqrt()
                ends = tilted(one.value, squared, skew, one.level, df)
                low = min(low, max(ends[0], 0.0)) if skew < 0 else low
                high = max(high, ends[1]) if skew > 0 else high
            if (low, high) != (one.low, one.high):
                intervals[index] = replace(one, low=low, high=high, method="log t, tilted t")


def _allow_for_few(
    estimand: Estimand,
    found: dict[str, list[Interval]],
    sums: _Sums,
    spread: Spread,
    directions: Directions,
) -> None:
    """Replace the intervals of means of bounded values that rest on few samples.

    Such samples may also be unseen. A value is such a mean if it depends on one sum, linearly
    between its bounds. If it varies like a share of hits, its interval allows for few samples
    already.
    """
    [(place, direction)], count = directions.items(), len(estimand.results)
    central = (spread.covariance[place][place], spread.third[place], spread.fourth[place])
    for key, intervals in found.items():
        least, most = estimand.range(key)
        for index, one in enumerate(intervals):
            few = one.thin == HEAVY.format("sample")
            unseen = hides_failures(one, (least, most), count)
            if not (few or unseen) or not math.isfinite(most - least):
                continue
            up, down = (sums.numbers(way) for way in _both_ways(direction, 1))
            rise = (up[key][index] - down[key][index]) / 2 if key in up and key in down else 0.0
            if not math.isfinite(rise) or not rise:
                continue
            with localcontext(_DIGITS):
                times = [
                    (as_decimal(end) - as_decimal(one.value)) / as_decimal(rise)
                    for end in (least, most)
                ]
                ways = [[step * each for step in direction] for each in times]
                slope = Fraction(as_decimal(rise) / direction[place])
            at = _ends_at(sums, ways, key, index)
            if not np.allclose(at, (least, most), rtol=0, atol=_LINEAR * (most - least)):
                continue
            if one.effective <= 2 * count:
                intervals[index] = replace(one, thin=None)
                continue
            moments = [slope**power * moment for power, moment in enumerate(central, 2)]
            marked = replace(one, thin=one.thin or unseen)
            intervals[index] = bets(marked, (least, most), moments)


def _ends_at(sums: _Sums, ways: Sequence[list[Decimal]], key: str, index: int) -> list[float]:
    """Return a value with the sums moved in these ways; nan where it is undefined."""
    moved = [sums.numbers(way) for way in ways]
    return [numbers[key][index] if key in numbers else math.nan for numbers in moved]
