"""Two systems on the same samples: differences, their intervals, and flips, from their rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from functools import cached_property
from typing import Any

import numpy as np

from mmeval_like._intervals.any_time import BetsSoFar, LooksSoFar
from mmeval_like._intervals.betting import Bets
from mmeval_like._intervals.difference import Difference, Family, Undecided
from mmeval_like._intervals.exact_shares import FEW
from mmeval_like._intervals.few_changes import FewChanges, FewOfRare
from mmeval_like._intervals.flips import Flips
from mmeval_like._intervals.interval import BEYOND, WithIntervals, unknown
from mmeval_like._intervals.jackknife.changed_units import ChangedUnits
from mmeval_like._intervals.jackknife.estimand import matches, range_of
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.jackknife.pair_differences import Side, without_rows
from mmeval_like._intervals.jackknife.pair_weights import pair_weights
from mmeval_like._intervals.jackknife.sample_values import sample_values
from mmeval_like._intervals.jackknife.unequal_units import variance_if_alike
from mmeval_like._intervals.paired_t import PairedT
from mmeval_like._intervals.sequential import (
    LEAST_DIFFERENT,
    LEAST_SAMPLES,
    Looks,
    added_flips,
)
from mmeval_like._intervals.tails import HEAVY, heavy, kurtosis
from mmeval_like._intervals.tilting import tilt
from mmeval_like._intervals.transforms import as_decimal
from mmeval_like._intervals.value_ranges import Range, Ranges
from mmeval_like._states.kinds.folding import Hits

__all__ = ["Comparison", "flipped"]

_DIGITS = Context(prec=50)
_CLOSE = 1e-9  # the share of a range by which rounding may exceed it
_NO_VARIANCE = 1e-12  # relative to both values: a smaller error comes from rounding
_NO_MEAN = "with anytime=True, it must be a mean of one value per sample"
_NO_BOUNDS = (
    "with anytime=True it needs values between two bounds: if each sample's value has bounds that "
    "you know, compare Mean(bounds=(least, most)) of these values"
)

Values = Sequence[np.ndarray]  # of the samples, in both systems


@dataclass(frozen=True)
class Comparison:
    """The options of a comparison of two systems.

    Attributes:
        ranges: The ranges of the metric's values.
        level: The level of the interval of a difference.
        planned: How many samples are planned, if the values may be looked at repeatedly; None for a
            single look.
        refused: Why no interval would be valid; None if intervals are valid.
        refused_of: Why no interval of some of the values would be valid, by key.
        pooled_keys: The keys, or patterns, of values that pool all classes.
        by_class: Whether the values are those of a confusion matrix, in which a rare class may
            count as much as a frequent one.
    """

    ranges: Ranges
    level: float
    planned: int | None
    refused: str | None = None
    refused_of: Mapping[str, str] = field(default_factory=dict)
    pooled_keys: Sequence[str] = ()
    by_class: bool = False

    def of(self, a: Side, b: Side) -> WithIntervals:
        """Return the values of the difference b - a, with the interval of every difference."""
        values = [a.numbers(), b.numbers()]
        keys = [k for k in values[0] if len(values[0][k]) == len(values[1].get(k, ())) == 1]
        weighing = pair_weights(a, b)
        caveat = a.caveat()
        few = {key: None if matches(self.pooled_keys, key) else caveat for key in keys}
        both = _Both(a, b, keys, ChangedUnits.of(a, b, weighing), flipped(a, b), few)
        left = None if self.refused else without_rows(a, b, keys, weighing)
        found: dict[str, Any] = {}
        intervals: dict[str, Difference] = {}
        for key in keys:
            ends = (values[0][key][0], values[1][key][0])
            one = self._difference(key, ends, both, left)
            found |= {f"{key}_a": ends[0], f"{key}_b": ends[1], f"{key}_difference": one.value}
            found |= {f"{key}_p": one.p, f"{key}_detectable": one.detectable()}
            intervals[f"{key}_difference"] = one
        found["samples"] = len(a)
        if both.flips is not None:
            up, down = map(len, both.flips)
            found |= {"flips_up": up, "flips_down": down}
        return WithIntervals.of(found, intervals)

    def _difference(
        self,
        key: str,
        values: tuple[float, float],
        both: _Both,
        left: LeftOut | None,
    ) -> Difference:
        """Return the interval of the difference of two values.

        Args:
            key: The key of the values.
            values: The value of each system.
            both: The two systems.
            left: The differences without each unit; None: no interval would be valid.
        """
        value, count, bounds = values[1] - values[0], len(both.a), range_of(self.ranges, key)
        why = _why_unknown(value, key, left) if left is not None else self.refused
        if why is None and _beyond(np.array(values), *bounds):  # such as COCO's -1 for no value
            why = f"a value is not between {bounds[0]} and {bounds[1]}"
        why = self.refused_of.get(key, why)
        means = None
        if left is not None and (self.planned is not None or _are_groups(left)):
            means = both.means.get(key)
        if self.planned is not None and not (both.all_hits and means is not None):
            why = why or _why_no_bets(means, bounds)
            if why is None and means is not None:
                return self._bet(value, both, means, bounds, self.planned)
        if why is not None or left is None:
            unit, units = ("sample", count) if left is None else (left.unit, left.units)
            found = unknown(value, self.level, units, why or "", unit)
            return Difference(**vars(found), changed=both.units.changed)
        if self.planned is not None:
            return self._sequence(key, value, both, left, bounds, self.planned)
        if _are_groups(left) and means is not None:
            left = _one_by_one(key, means)
        flips = _flips_of(values, both, bounds) if left.units == count else None
        if flips is not None:
            thin = left.caveat or both.few[key] or both.units.too_few
            return self._of(flips, value, flips.error, flips.method, left, thin, both, flips.counts)
        return self._paired_t(key, values, both, left, bounds)

    def _paired_t(
        self,
        key: str,
        values: tuple[float, float],
        both: _Both,
        left: LeftOut,
        bounds: Range,
    ) -> Difference:
        """Return the interval from the jackknife; the arguments are those of `_difference`."""
        value, width, units = values[1] - values[0], bounds[1] - bounds[0], both.units
        parts, variance = left.parts(key, value), left.variance(key)
        with localcontext(_DIGITS):
            hidden = both.hidden(key, left) if self.by_class and math.isfinite(width) else 0.0
            largest = as_decimal(max(float(np.abs(parts).max()), hidden))
            more = variance_if_alike(parts, left, both.within(key, left)) - as_decimal(variance)
            more = (largest**2 + max(more, Decimal(0))) * as_decimal(units.unchanged)
            squared = as_decimal(variance) + more
            error = float(squared.sqrt())
        few: FewChanges | FewOfRare | None = None
        thin = left.caveat or both.few[key] or units.too_few
        alike = error <= _NO_VARIANCE * (abs(values[0]) + abs(values[1]))
        if math.isfinite(width) and (units.few or alike):
            means = both.means.get(key)
            reach = width if means is not None else _spread(key, left) * (left.units - 1)
            if alike:
                few = units.all_alike(value, max(reach, width))
            elif means is not None:
                few = units.of_means(means, width)
            else:
                few = units.of_others(max(reach, width))
            if not reach:
                thin = thin or f"no {left.unit} changes a value, and so shows how much one may"
        elif units.few:
            thin = thin or units.only_few
        elif alike:
            thin = thin or f"no {left.unit} changes the difference by more than rounding may"
        elif math.isfinite(width):
            thin = thin or _heavy_tails(key, parts, left, width)
            few = _few_of_rare(key, value, left, hidden)
        else:
            thin = thin or left.heavy_tails(key)
        # Bounds leave no room for larger ones.
        alike_units = left.alike if math.isinf(width) else math.inf
        skew = tilt(left.without[key][0], left.weights, left.units, alike_units)
        unit = float(largest) * left.units
        family = PairedT(value, squared, skew, left.df, left.units, width, unit, few)
        method = "paired t" if few is None else "paired t, Clopper-Pearson"
        return self._of(family, value, error, method, left, thin, both)

    def _sequence(
        self, key: str, value: float, both: _Both, left: LeftOut, bounds: Range, planned: int
    ) -> Difference:
        """Return the confidence sequence of a share of hits."""
        count, changed, width = len(both.a), both.units.changed, bounds[1] - bounds[0]
        moved = both.means[key][1] - both.means[key][0]
        kinds, numbers = np.unique(moved, return_counts=True)
        unlike = count - int(numbers.max())
        reach = max(float(np.abs(moved - kinds[numbers.argmax()]).max()), width)
        one_way = abs(float(moved.sum())) / max(float(np.abs(moved).sum()), width / count)
        with localcontext(_DIGITS):
            variance = as_decimal(left.variance(key))
            # If nearly all differ alike, few vary; each of these moves the difference by `reach`.
            more = max(1, LEAST_DIFFERENT - unlike) * (as_decimal(reach) / count) ** 2
            error = (variance + more).sqrt()
            wider = as_decimal(added_flips(one_way)) * (as_decimal(width) / count) ** 2
            far = (variance + max(more, wider)).sqrt()
        thin, looks = left.caveat or both.few[key], Looks(planned, self.level)
        family: Family = LooksSoFar(value, far, count, looks, self.level, width)
        if count < LEAST_SAMPLES or changed < LEAST_DIFFERENT:
            thin = (
                f"no decision before {LEAST_SAMPLES} samples and {LEAST_DIFFERENT} on which "
                f"the systems differ; there are {count} and {changed}"
            )
            family = Undecided(width, family.detectable(self.level, 0.8))
        return self._of(family, value, float(error), "confidence sequence", left, thin, both)

    def _bet(
        self, value: float, both: _Both, means: Values, bounds: Range, planned: int
    ) -> Difference:
        """Return the confidence sequence of a mean of bounded values."""
        width = bounds[1] - bounds[0]
        scaled = np.clip((means[1] - means[0]) / width, -1, 1)
        family = BetsSoFar(scaled, Bets(planned, self.level), self.level, width)
        left = _one_by_one("", means)
        error = math.sqrt(left.variance(""))
        return self._of(family, value, error, "betting", left, None, both)

    def _of(
        self,
        family: Family,
        value: float,
        error: float,
        method: str,
        left: LeftOut,
        thin: str | None,
        both: _Both,
        counts: tuple[int, ...] | None = None,
    ) -> Difference:
        """Return the interval of a family that has the level of the comparison."""
        low, high = family.ends(self.level)
        low, high = min(low, value), max(high, value)  # in spite of rounding, the value is inside
        at = left.unit, left.units, math.nan, thin, counts
        more = family.p_at(0.0), both.units.changed, family
        return Difference(value, low, high, self.level, error, method, *at, *more)


@dataclass(frozen=True)
class _Both:
    """Two systems on the same samples.

    Attributes:
        a: The first one.
        b: The second one.
        keys: The keys of scalar values.
        units: The units, and which of them differ.
        flips: What `flipped` returns.
        few: By key, why there are too few samples, such as of a class; None if there are enough.
    """

    a: Side
    b: Side
    keys: Sequence[str]
    units: ChangedUnits
    flips: tuple[np.ndarray, np.ndarray] | None
    few: Mapping[str, str | None]

    @cached_property
    def means(self) -> dict[str, Values]:
        """The values of the samples in both systems, by key, where they have the value as mean."""
        a, b = (sample_values(side, self.keys) for side in (self.a, self.b))
        return {key: [a[key], b[key]] for key in self.keys if key in a and key in b}

    def within(self, key: str, left: LeftOut) -> float:
        """Return the variance of the differences of single samples within their clusters.

        It is 0 if it is unknown, as that of a metric that is no mean, and for equal units.
        """
        if left.sizes is None or key not in self.means:
            return 0.0
        return self.units.within(self.means[key][1] - self.means[key][0])

    def hidden(self, key: str, left: LeftOut) -> float:
        """Return how much a sample on which the systems agree would change the difference.

        Where they agree on all samples of a rare class, those on which they differ do not show how
        much each of this class counts. It is 0 for a mean, of which all samples count alike, and
        for clusters and weighted samples.
        """
        alike = self.units.weighing is None and left.units == len(self.a)
        return _spread(key, left) if alike and key not in self.means else 0.0

    @property
    def all_hits(self) -> bool:
        """Whether the metric counts nothing but hits."""
        return all(isinstance(state, Hits) for state in self.a.states.values())

    @property
    def hits(self) -> list[int]:
        """The numbers of hits of both systems, in each state."""
        return [int(np.sum(np.asarray(r))) for one in (self.a, self.b) for r in one.rows.values()]


def _why_unknown(value: float, key: str, left: LeftOut) -> str | None:
    """Return why a difference has no interval; None if it has one."""
    if left.df < 1:
        return f"there is only one {left.unit}"
    if not math.isfinite(value):
        return "the difference is not finite"
    if not left.defined(key):
        return f"it is undefined without some {left.unit}s"
    variance = left.variance(key)
    if variance == math.inf:
        return BEYOND
    return None if math.isfinite(variance) else f"it is undefined without some {left.unit}s"


def _why_no_bets(means: Values | None, bounds: Range) -> str | None:
    """Return why no bets about a difference are fair; None if they are."""
    least, most = bounds
    if not math.isfinite(most - least):
        return _NO_BOUNDS
    if means is None:
        return _NO_MEAN
    if any(_beyond(side, least, most) for side in means):
        return f"the values of some samples are not between {least} and {most}"
    return None


def _flips_of(values: tuple[float, float], both: _Both, bounds: Range) -> Flips | None:
    """Return the flips of independent samples, if both values are shares of hits, or of misses."""
    if both.flips is None or both.units.count != len(both.a):
        return None
    sign = _direction(values, both.hits, len(both.a), bounds)
    if not sign:
        return None
    up, down = [*map(len, both.flips)][::sign]
    return Flips(up, down, len(both.a), bounds[1] - bounds[0])


def _spread(key: str, left: LeftOut) -> float:
    """Return how much a value changes with a unit that changes like the most different two.

    Of n hits that is 1 / (n - 1), for instance, but more for a value that rests on a rare class: of
    20 samples among 200, each decides as much as ten of all samples. It is 0 if this is unknown.
    """
    found = max(max(side) - min(side) for side in left.without[key][1:] if side)
    return found if math.isfinite(found) else 0.0


def _few_of_rare(key: str, value: float, left: LeftOut, most: float) -> FewOfRare | None:
    """Return what few changes of a rare class hide, whose samples change a value most.

    Args:
        key: The key of the values.
        value: Their difference.
        left: The differences without each sample.
        most: By how much one sample changes the difference at most; 0: nothing is hidden.
    """
    pairs = [*zip(left.without[key][0], left.weights, strict=True)]
    down, up = (
        sum(weight for without, weight in pairs if 2 * sign * (without - value) > most)
        for sign in (1, -1)
    )
    if not most or min(down, up) > FEW:
        return None
    return FewOfRare(value, FewChanges(down, up, left.units, most * (left.units - 1)))


def _heavy_tails(key: str, parts: np.ndarray, left: LeftOut, width: float) -> str | None:
    """Return why the variance of a bounded difference may rest on a few units; None if it does not.

    Few units that change by the whole range have heavy tails too, but no unit can change by more.
    So a difference is marked only if it varies less than half as much as it would if units of the
    usual size changed by the whole range, and added up to as much.
    """
    weights = np.asarray(left.weights, np.float64)
    usual = width / left.alike
    squares = math.fsum((weights * parts * parts).tolist())
    least = usual * math.fsum((weights * np.abs(parts)).tolist())
    if 2 * squares >= least * (1 - _CLOSE):  # equal if all change by half of the range
        return None
    without = left.without[key][0]
    middle = math.fsum(v * w for v, w in zip(without, left.weights, strict=True)) / sum(weights)
    few = heavy(kurtosis([value - middle for value in without], left.weights), left.units)
    return HEAVY.format(left.unit) if few else None


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
