"""Two systems on the same samples: differences, intervals, tests and flips from their rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from mmeval_like._intervals.betting import Bets
from mmeval_like._intervals.binomial_test import binomial_test
from mmeval_like._intervals.distributions import precise_quantile, t_cdf
from mmeval_like._intervals.interval import TOO_LARGE, Interval, WithIntervals, unknown
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.jackknife.pair_differences import Side, without_rows
from mmeval_like._intervals.jackknife.sample_values import sample_values
from mmeval_like._intervals.sequential import (
    LEAST_DIFFERENT,
    LEAST_SAMPLES,
    Looks,
    two_sided_at_any_time,
)
from mmeval_like._intervals.share_differences import difference_of_shares, no_difference
from mmeval_like._intervals.transforms import as_decimal, as_float
from mmeval_like._intervals.value_ranges import Range, Ranges
from mmeval_like._states.kinds.folding import Hits
from mmeval_like._states.unequal_rows import differing

__all__ = ["Comparison", "flipped"]

_POWER = 0.8  # the power of the test for the difference that is called detectable
_PAIRED = "paired t"
_CLOSE = 1e-9  # the share of a range by which rounding may exceed it
_FEW = 20  # an interval of fewer units is thin
_NO_VARIANCE = 1e-12  # relative to both values: a smaller error comes from rounding


@dataclass(frozen=True)
class Comparison:
    """The options of a comparison of two systems.

    Attributes:
        ranges: The ranges of the metric's values.
        level: The level of the interval of a difference.
        planned: How many samples are planned, if the values may be looked at repeatedly; None for a
            single look.
        refused: Why no interval would be valid; None if intervals are valid.
    """

    ranges: Ranges
    level: float
    planned: int | None
    refused: str | None = None

    def of(self, a: Side, b: Side) -> WithIntervals:
        """Return the values of the difference b - a, with the interval of every difference."""
        values = [a.numbers(), b.numbers()]
        keys = [k for k in values[0] if len(values[0][k]) == len(values[1].get(k, ())) == 1]
        left = None if self.refused else without_rows(a, b, keys)
        different, flips, few = _different(a, b), flipped(a, b), a.caveat()
        hits = all(isinstance(state, Hits) for state in a.states.values())
        means: dict[str, list[np.ndarray]] = {}
        if left is not None and (self.planned is not None or _are_groups(left)):
            of_sides = [sample_values(side, keys) for side in (a, b)]
            means = {k: [v[k] for v in of_sides] for k in keys if all(k in v for v in of_sides)}
        found: dict[str, Any] = {}
        intervals: dict[str, Interval] = {}
        for key in keys:
            ends = (values[0][key][0], values[1][key][0])
            if self.planned is None or left is None or (hits and key in means):
                each = left
                if left is not None and key in means and _are_groups(left):
                    each = _one_by_one(key, means[key])
                one, p, detectable = self._compared(key, *ends, each, len(a), different, few)
            else:
                one, p, detectable = self._bet(key, ends, len(a), means.get(key), self.planned)
            if flips is not None and one.method == _PAIRED and one.units == len(a):
                one, p = self._of_shares(key, ends, (a, b), flips, one, p)
            found |= {f"{key}_a": ends[0], f"{key}_b": ends[1], f"{key}_difference": one.value}
            found |= {f"{key}_p": p, f"{key}_detectable": detectable}
            intervals[f"{key}_difference"] = one
        found["samples"] = len(a)
        if flips is not None:
            up, down = map(len, flips)
            found |= {"flips_up": up, "flips_down": down}
            if self.planned is not None:
                found["flips_p"] = two_sided_at_any_time(up, down)
            elif a.clusters is None:  # the exact test is for samples that are independent
                found["flips_p"] = binomial_test(min(up, down), up + down)
        return WithIntervals.of(found, intervals)

    def _compared(
        self,
        key: str,
        a: float,
        b: float,
        left: LeftOut | None,
        count: int,
        different: int,
        few: str | None,
    ) -> tuple[Interval, float, float]:
        """Return the interval of the difference, its p-value, and the detectable difference."""
        if left is None:
            one = unknown(b - a, self.level, count, self.refused or "")
            return one, math.nan, math.nan
        least, most = range_of(self.ranges, key)
        difference, df, nan = b - a, left.df, math.nan
        variance = left.variance(key) if left.defined(key) else nan
        method = _PAIRED if self.planned is None else "confidence sequence"
        at = (left.unit, left.units, nan)
        if df < 1 or not math.isfinite(variance) or not math.isfinite(difference):
            why = f"it is undefined without some {left.unit}s"
            if variance == math.inf:
                why = TOO_LARGE
            if not math.isfinite(difference):
                why = "the difference is not finite"
            if df < 1:
                why = f"there is only one {left.unit}"
            return Interval(difference, nan, nan, self.level, nan, "none", *at, why), nan, nan
        with localcontext() as context:
            context.prec = 50
            width = as_decimal(most) - as_decimal(least)
            flip = as_decimal(most) / count if width.is_finite() else Decimal(0)
            error = (as_decimal(variance) + flip * flip).sqrt()
            arm, p = self._decided(as_decimal(difference), error, count, df)
            low, high = (
                as_float(max(-width, min(as_decimal(difference) + sign * arm, width)))
                for sign in (-1, 1)
            )
            detectable = as_float(arm + precise_quantile(_POWER, None) * error)
        thin = left.caveat or few
        if self.planned is None:
            if left.unit == "sample" and left.units < _FEW:
                thin = f"there are only {left.units} samples"
            if different and as_float(error) <= _NO_VARIANCE * (abs(a) + abs(b)):
                thin = thin or f"no {left.unit} changes the difference"
            elif not width.is_finite():
                thin = thin or left.heavy_tails(key)
        elif count < LEAST_SAMPLES or different < LEAST_DIFFERENT:
            thin = (
                f"no decision before {LEAST_SAMPLES} samples and {LEAST_DIFFERENT} on which "
                f"the systems differ; there are {count} and {different}"
            )
            low, high, p = as_float(-width), as_float(width), 1.0
        one = Interval(difference, low, high, self.level, as_float(error), method, *at, thin)
        return one, p, detectable

    def _bet(
        self,
        key: str,
        ends: tuple[float, float],
        count: int,
        values: Sequence[np.ndarray] | None,
        planned: int,
    ) -> tuple[Interval, float, float]:
        """Return the same as `_compared`, for bounded values at any number of looks.

        Args:
            key: The key of the value.
            ends: The value of each system.
            count: The number of samples.
            values: The values of the samples in both systems; None if the value is not their mean.
            planned: As for `Looks`.
        """
        least, most = range_of(self.ranges, key)
        value, width, why = ends[1] - ends[0], most - least, None
        if not math.isfinite(value):
            why = "the difference is not finite"
        elif not math.isfinite(width):
            why = (
                "with anytime=True it needs values between two bounds: if each sample's value has "
                "bounds that you know, compare Mean(bounds=(least, most)) of these values"
            )
        elif values is None:
            why = "with anytime=True, it must be a mean of one value per sample"
        elif any(_beyond(side, least, most) for side in values):
            why = f"the values of some samples are not between {least} and {most}"
        if why is not None or values is None:
            return unknown(value, self.level, count, why or ""), math.nan, math.nan
        bets, scaled = Bets(planned, self.level), np.clip((values[1] - values[0]) / width, -1, 1)
        low, high = (end * width for end in bets.ends(scaled))
        low, high = min(low, value), max(high, value)  # rounding leaves the value inside
        error = math.sqrt(_one_by_one(key, values).variance(key))
        detectable = (high - low) / 2 + as_float(precise_quantile(_POWER, None)) * error
        at = ("sample", count, math.nan)
        one = Interval(value, low, high, self.level, error, "betting", *at, None)
        return one, bets.p_value(scaled), detectable

    def _of_shares(
        self,
        key: str,
        values: tuple[float, float],
        sides: tuple[Side, Side],
        flips: tuple[np.ndarray, np.ndarray],
        one: Interval,
        p: float,
    ) -> tuple[Interval, float]:
        """Return the score interval of a difference of shares of hits or misses, and its p-value.

        If the values are not such shares, return the given interval and p-value.
        """
        least, most = range_of(self.ranges, key)
        hits = [int(np.sum(np.asarray(rows))) for side in sides for rows in side.rows.values()]
        sign = _direction(values, hits, len(sides[0]), (least, most))
        if not sign:
            return one, p
        up, down = [*map(len, flips)][::sign]
        ends = difference_of_shares(up, down, len(sides[0]), self.level)
        low, high = ((most - least) * end for end in ends)
        low, high = min(low, one.value), max(high, one.value)  # rounding leaves the value inside
        counts = up, down, len(sides[0]) - up - down
        score = replace(one, low=low, high=high, method="Tango", counts=counts)
        return score, no_difference(up, down)

    def _decided(
        self, difference: Decimal, error: Decimal, count: int, df: int
    ) -> tuple[Decimal, float]:
        """Return the distance of the ends from the difference, and its p-value."""
        if self.planned is not None:
            looks = Looks(self.planned, self.level)
            return looks.radius(error, count), looks.p_value(difference, error, count)
        quantile = precise_quantile((1 + Decimal(repr(self.level))) / 2, df)
        size = as_float(abs(difference) / error) if error else math.inf
        return quantile * error, 2 * t_cdf(-size, df) if difference else 1.0


def _are_groups(left: LeftOut) -> bool:
    """Return whether the units are groups of samples, not of clusters."""
    return left.unit == "group" and left.members == "samples"


def _beyond(values: np.ndarray, least: float, most: float) -> bool:
    """Return whether a value is outside of the range by more than rounding."""
    slack = (most - least) * _CLOSE
    return bool(np.min(values) < least - slack or np.max(values) > most + slack)


def _one_by_one(key: str, values: Sequence[np.ndarray]) -> LeftOut:
    """Return the difference of two means, with each of the samples left out."""
    differences = values[1] - values[0]
    count = len(differences)
    middle = math.fsum(differences.tolist()) / count
    without = (middle - (differences - middle) / max(count - 1, 1)).tolist()
    return LeftOut("sample", count, [1] * count, lambda: {key: [without]})


def _direction(values: tuple[float, float], hits: Sequence[int], count: int, bounds: Range) -> int:
    """Return 1 if the values are shares of hits, -1 if they are shares of misses, else 0."""
    least, most = bounds
    if not math.isfinite(most - least):
        return 0
    found = [(value - least) / (most - least) * count for value in values]
    for sign, wanted in ((1, hits), (-1, [count - number for number in hits])):
        if all(abs(x - y) <= 1e-6 + 1e-12 * count for x, y in zip(found, wanted, strict=True)):
            return sign
    return 0


def flipped(a: Side, b: Side) -> tuple[np.ndarray, np.ndarray] | None:
    """Return where b is right and a wrong, and vice versa; None without a share of hits.

    The metric must have a single state, which counts hits.
    """
    [*states] = a.states.items()
    if len(states) != 1 or not isinstance(states[0][1], Hits) or states[0][1].shape:
        return None
    one, other = (np.asarray(side.rows[states[0][0]]) for side in (a, b))
    return np.flatnonzero(~one & other), np.flatnonzero(one & ~other)


def _different(a: Side, b: Side) -> int:
    """Return the number of samples on which the systems differ."""
    found = np.zeros(len(a), bool)
    for name, rows in a.rows.items():
        found |= _differ(rows, b.rows[name])
    return int(found.sum())


def _differ(rows: Any, others: Any) -> np.ndarray:
    if isinstance(rows, np.ndarray) and isinstance(others, np.ndarray):
        if rows.shape == others.shape:
            unequal: np.ndarray = (rows != others).reshape(len(rows), -1).any(axis=1)
            return unequal
        return np.ones(len(rows), bool)
    return differing(rows, others)
