"""Sums: intervals of functions of sums, from the covariances of the samples' terms.

The value is computed at the sums, and at the sums moved by one standard error of their means in
each of several independent directions, both ways; the directions are the columns of the Cholesky
factor of the covariance of the means. Half the squared differences add up to the variance (the
delta method). Quotients of two sums are moved in the direction of their residuals alone, see
`residuals`. With n samples and d sums it is multiplied by n / (n - d), and Student's t has n - d
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
from itertools import combinations
from typing import Any

import numpy as np

from mmeval_like._intervals.interval import Interval, estimate, unknown
from mmeval_like._intervals.jackknife.bounded_samples import (
    allow_for_unseen,
    bets,
    hides_failures,
)
from mmeval_like._intervals.jackknife.correlations import of_correlation
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._intervals.jackknife.few_errors import of_few_values
from mmeval_like._intervals.jackknife.few_labels import of_few_labels
from mmeval_like._intervals.jackknife.moved_ends import move_ends
from mmeval_like._intervals.jackknife.moved_sums import (
    WEIGHT,
    Directions,
    Sums,
    both_ways,
    variance_of,
)
from mmeval_like._intervals.jackknife.residuals import residuals, tilt_intervals
from mmeval_like._intervals.jackknife.skewed_sums import allow_for_skewness
from mmeval_like._intervals.jackknife.sum_marks import mark_heavy_tails, mark_lost, mark_rounding
from mmeval_like._intervals.jackknife.whole_units import of_hits, of_weights
from mmeval_like._intervals.tails import HEAVY
from mmeval_like._intervals.transforms import Number, as_decimal
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import Hits
from mmeval_like._states.kinds.powers import Powers, Spread
from mmeval_like._states.statistic import Augmented, Statistic

__all__ = ["WithMoments", "moment_intervals"]

_POWERS = "powers_of_rows"  # the state added to those of the statistic
_MOST_NUMBERS = 24  # as many as chrF++ has; their products are 300
_MOST_JOINT = 3  # of so few sums, a value may be the quotient of any two
_FEW = 20  # an interval of a mean of fewer samples is thin
_DIGITS = Context(prec=50)
_LINEAR = 1e-9  # times the range of a value: the rounding of a linear function


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
        return self.inner.states() | {_POWERS: Powers(self.width, self._joint())}

    def extended(self, rows: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the rows with the terms of each row in all sums."""
        terms = [state.terms(state.check(name, rows[name])) for name, state in self.sums.items()]
        return {**rows, _POWERS: np.concatenate(terms, axis=1)}

    def _joint(self) -> Iterator[tuple[int, ...]]:
        """Yield the places of sums that belong together: values may be quotients of two of them."""
        places, start = {}, 0
        for name, state in self.sums.items():
            places[name] = range(start, start := start + (state.width or 0))
        weights = places.get(WEIGHT, range(0))
        kept = [place for place in range(start) if place not in self.jackknife.roundings]
        if self.jackknife.labels:
            yield self.jackknife.labels
        elif self.jackknife.pairs:
            yield from (several[:3] for several in self.jackknife.pairs)
        elif len(weights) == 1:
            yield from ((place, *weights) for place in kept if place not in weights)
        elif len(kept) <= _MOST_JOINT:
            yield from combinations(kept, 2)
        else:
            several = (each for each in places.values() if each != weights)
            yield from (pair for each in several for pair in zip(each, weights, strict=False))


def _sums_of(statistic: Statistic) -> dict[str, State]:
    states, named = statistic.states(), statistic.jackknife.sums
    return states if named is None else {name: states[name] for name in named}


def moment_intervals(estimand: Estimand) -> dict[str, list[Interval]] | None:
    """Return the interval of every value; None unless the statistic keeps moments."""
    statistic, results = estimand.statistic, estimand.results
    if not isinstance(statistic, WithMoments):
        return None
    count = len(results)
    powers = statistic.states()[_POWERS]
    assert isinstance(powers, Powers)
    try:
        spread = powers.spread(results.exact(_POWERS), count)
    except (ValueError, OverflowError):
        return _unknown(estimand, "a sum is nan or infinite, or the numbers are too large")
    sums = Sums(estimand, statistic.sums, spread.mean)
    beyond = _beyond(estimand, statistic, spread, sums)
    if len(beyond) == sum(map(len, estimand.numbers.values())):
        return {
            key: [unknown(v, estimand.level, count, beyond[key, n]) for n, v in enumerate(values)]
            for key, values in estimand.numbers.items()
        }
    directions = _directions(spread, statistic.jackknife.roundings)
    free = max(count - max(len(directions), 1), 1)  # too few samples get no interval below
    alike = sums.alike(estimand, spread)
    weights = sums.place_of(WEIGHT) or slice(0)
    df = math.floor(alike) - max(len(directions), 1)
    own = _own_counts(estimand, statistic, spread)
    ways = (way for direction in directions.values() for way in both_ways(direction, free))
    at = [sums.numbers(way) for way in ways]
    of_values = residuals(estimand, spread, sums, directions, statistic.jackknife.roundings)
    alone = {id(one): one.moved(sums, free) for one in of_values.values()}
    found: dict[str, list[Interval]] = {}
    for key, values in estimand.numbers.items():
        counts = own.get(key, [alike] * len(values))
        found[key] = [
            _interval(
                estimand,
                key,
                value,
                variance_of(alone.get(id(of_values.get((key, place))), at), key, place),
                spread,
                df,
                alike,
                n,
                weights,
            )
            for place, (value, n) in enumerate(zip(values, counts, strict=True))
        ]
    tilt_intervals(estimand, found, of_values, sums, alike)
    if df > 0 and not statistic.jackknife.pairs:
        allow_for_skewness(estimand, found, sums, spread, of_values, free, float(alike), df)
    if df > 0:
        if statistic.jackknife.pairs:
            move_ends(estimand, found, spread, sums, directions, at, free, df)
        for intervals in found.values():
            for index, (one, places) in enumerate(zip(intervals, statistic.jackknife.pairs)):  # noqa: B905  # a mean of several has one
                intervals[index] = of_correlation(one, spread, places, alike, df)
    of_few_labels(found, statistic.jackknife, results, spread)
    mark_heavy_tails(estimand, found, sums, spread, of_values, free)
    mark_rounding(found, spread, directions, at)
    mark_lost(found, spread, directions, sums, free)
    if len(directions) == 1 and count > 1:
        _allow_for_few(estimand, found, sums, spread, directions)
    for key, intervals in found.items():
        bounds = estimand.range(key)
        if key not in own and not estimand.caveat(key):
            intervals[:] = [of_hits(one, bounds, spread, weights) for one in intervals]
        if len(directions) == 1 and count > 1:
            intervals[:] = [of_few_values(one, bounds) for one in intervals]
    for (key, place), why in beyond.items():
        found[key][place] = unknown(found[key][place].value, estimand.level, count, why)
    return found


def _beyond(
    estimand: Estimand, statistic: WithMoments, spread: Spread, sums: Sums
) -> dict[tuple[str, int], str]:
    """Return why values have no interval that depend on numbers whose powers are no floats.

    By key and place of the value.
    """
    found: dict[tuple[str, int], str] = {}
    for place in range(len(spread.mean)):
        size = None if place in statistic.jackknife.roundings else spread.beyond(place)
        if size is None:
            continue
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
    thin = thin or estimand.caveat(key)
    variance = of_weights(value, variance, bounds, level, spread, count, weights)
    return estimate(value, variance, bounds, level, count, df, thin=thin, rests_on=min(alike, own))


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


def _allow_for_few(
    estimand: Estimand,
    found: dict[str, list[Interval]],
    sums: Sums,
    spread: Spread,
    directions: Directions,
) -> None:
    """Replace the intervals of means of bounded values that rest on few samples.

    Such samples may also be unseen. A value is such a mean if it depends on one sum, linearly
    between its bounds. If it varies like a share of hits, its interval allows for few samples
    already.
    """
    [(place, direction)], count = directions.items(), len(estimand.results)
    tails = spread.tails({place: 1})
    if tails is None:
        return
    central = (tails.variance, tails.third, tails.fourth)
    for key, intervals in found.items():
        least, most = estimand.range(key)
        for index, one in enumerate(intervals):
            few = one.thin == HEAVY.format("sample")
            unseen = hides_failures(one, (least, most), count)
            farther = allow_for_unseen(one, (least, most), count)
            if not math.isfinite(most - least) or not (few or unseen or farther is not one):
                continue
            up, down = (sums.numbers(way) for way in both_ways(direction, 1))
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
            if not few and not unseen:
                intervals[index] = farther
                continue
            moments = [slope**power * moment for power, moment in enumerate(central, 2)]
            marked = replace(one, thin=one.thin or unseen)
            intervals[index] = bets(marked, (least, most), moments)


def _ends_at(sums: Sums, ways: Sequence[list[Decimal]], key: str, index: int) -> list[float]:
    """Return a value with the sums moved in these ways; nan where it is undefined."""
    moved = [sums.numbers(way) for way in ways]
    return [numbers[key][index] if key in numbers else math.nan for numbers in moved]
