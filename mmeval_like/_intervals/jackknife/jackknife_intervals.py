"""Intervals of values that are known without each unit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mmeval_like._intervals.distributions import t_quantile
from mmeval_like._intervals.interval import Interval, estimate
from mmeval_like._intervals.jackknife.bounded_samples import of_clusters, of_counts
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._intervals.jackknife.few_errors import of_few_errors
from mmeval_like._intervals.jackknife.group_gaps import ends_of_few_hits, with_ends
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.jackknife.rare_classes import (
    Table,
    ends_of_rare_classes,
    hull,
    smoothed,
    with_rare_classes,
)
from mmeval_like._intervals.jackknife.size_trends import of_size_trend
from mmeval_like._intervals.jackknife.skewed_samples import of_skewed_samples
from mmeval_like._intervals.jackknife.whole_units import of_unequal_clusters
from mmeval_like._intervals.tilting import tilt, tilted
from mmeval_like._intervals.transforms import Number, as_decimal
from mmeval_like._intervals.value_ranges import Range
from mmeval_like._states.kinds.folding import Hits

__all__ = ["jackknife_intervals"]

_UNIT = 1 << 26  # of the size of a part; its square is exact
_BIASED = "it depends on the number of samples: its bias"


def jackknife_intervals(estimand: Estimand, left: LeftOut) -> dict[str, list[Interval]]:
    """Return the interval of every value from its standard error, smoothed for few classes."""
    numbers, parts = estimand.numbers, _parts(estimand, left)
    of_each = {
        key: [*map(left.of_parts, parts[key])] if key in parts else [left] * len(values)
        for key, values in numbers.items()
    }
    few_hits, table = ends_of_few_hits(estimand, left), Table.of(estimand, left)
    smooth = {} if table is None else smoothed(estimand, left, table)
    rare = {}
    if table is not None and left.members == "samples":
        rare = ends_of_rare_classes(estimand, table)
    hits = all(isinstance(state, Hits) for state in estimand.states.values())
    found: dict[str, list[Interval]] = {}
    for key, values in numbers.items():
        bounds, found[key] = estimand.range(key), []
        for place, (value, left) in enumerate(zip(values, of_each[key], strict=True)):
            variance, why = _variance(estimand, left, key, place)
            rests_on = _rests_on(estimand, left, key, place)
            units = (left.units, left.df, left.unit)
            one = estimate(value, variance, bounds, estimand.level, *units, why, rests_on)
            if key in smooth:
                one = hull(one, smooth[key][place], bounds, left.df)
                one = of_skewed_samples(one, left, key, place, bounds)
                one = of_few_errors(one, left, key, place, bounds)
                one = with_rare_classes(one, rare[key][place] if key in rare else None)
            else:
                one = _tilted(one, left, key, place, bounds)
                one = _square_root(one, left, bounds)
                one = _less_bias(one, left, key, place, bounds, variance, rests_on)
                if left.unit == "sample":  # clusters have ends of their own
                    one = of_few_errors(one, left, key, place, bounds)
                one = of_counts(one, left, key, place, bounds)
                one = of_unequal_clusters(one, left, key, place, bounds, len(estimand.results))
                one = of_size_trend(one, left, key, place, bounds)
                one = of_clusters(one, left, key, place, bounds, len(estimand.results), hits)
                one = with_ends(one, few_hits[key][place] if key in few_hits else None)
            found[key].append(one)
    return found


def _parts(estimand: Estimand, left: LeftOut) -> dict[str, list[list[np.ndarray]]]:
    """Return, by key, for every value the size of each of its parts in a unit of each kind.

    Sizes are relative to the part, in integers, so that equal ones are equal in any unit of weight.
    """
    every = estimand.parts(estimand.results)
    if left.rest is None or not every:
        return {}
    rest: dict[str, list[list[float]]] = {key: [] for key in every}
    for one in left.rest():
        for key, several in estimand.parts(one).items():
            rest[key].append([part for parts in several for part in parts])
    found: dict[str, list[list[np.ndarray]]] = {}
    for key, values in every.items():
        columns = iter(np.array(rest[key]).T)
        found[key] = [
            [
                np.rint((1 - without / size) * _UNIT).astype(np.int64)
                for size, without in zip(parts, columns)  # noqa: B905  # the columns of all values
                if size
            ]
            for parts in values
        ]
    return found


def _variance(estimand: Estimand, left: LeftOut, key: str, place: int) -> tuple[float, str | None]:
    """Return the variance of a value, and why it rests on too few samples, or None.

    If only some of the codes were left out, most of them belong to classes other than that of the
    value. The variance is then that of a share of the class's own samples.
    """
    own = estimand.own_counts.get(key)
    if own is not None and left.sampled and left.members == "samples":
        value, (least, most) = estimand.numbers[key][place], estimand.range(key)
        variance = (value - least) * (most - value) / own[place] if own[place] else 0.0
        return variance, estimand.caveat(key)
    variance = left.variance(key, place)
    why = f"it is undefined without some of the {left.members}"
    if left.defined(key, place):
        why = estimand.caveat(key) or _doubtful(estimand, left, key, place, variance) or ""
    return variance, left.caveat or why or None


def _tilted(one: Interval, left: LeftOut, key: str, place: int, bounds: Range) -> Interval:
    """Return an unbounded interval that also ends where the variance has grown with the value.

    The logarithmic scale allows for the skewness of samples, but not for that of few clusters.
    """
    least, most = bounds
    if math.isfinite(most - least) or math.isnan(one.low):
        return one
    if one.method != "t" and left.members != "clusters":
        return one
    if not all(map(math.isfinite, left.without[key][place])):
        return one
    squared = as_decimal(one.standard_error) ** 2
    skew = tilt(left.without[key][place], left.weights, left.units, left.alike)
    low, high = tilted(one.value, squared, skew, one.level, left.df)
    low, high = max(min(one.low, low), least), min(max(one.high, high), most)
    method = "tilted t" if one.method == "t" else f"{one.method}, tilted t"
    return replace(one, low=low, high=high, method=method)


def _square_root(one: Interval, left: LeftOut, bounds: Range) -> Interval:
    """Return an interval on the logarithmic scale that ends nearer to the bound of the value.

    The variance of a number of errors, and of what is proportional to it, such as 1 - kappa, is
    proportional to the number, not to its square: the square root has the same variance anywhere
    (M. S. Bartlett, The square root transformation in analysis of variance, Suppl. J. R. Stat. Soc.
    3, 1936), and an interval of its scale ends nearer to 0.
    """
    if one.method != "log t" or left.unit != "sample" or left.sampled or math.isnan(one.low):
        return one
    least, most = bounds
    distance = one.value - least if math.isfinite(least) else most - one.value
    quantile = t_quantile((1 + one.level) / 2, left.df)
    end = max(1 - quantile * one.standard_error / (2 * distance), 0.0) ** 2 * distance
    low, high = (least + end, one.high) if math.isfinite(least) else (one.low, most - end)
    low, high = min(one.low, low), max(one.high, high)
    return replace(one, low=low, high=high, method="log t, square root")


def _less_bias(
    one: Interval,
    left: LeftOut,
    key: str,
    place: int,
    bounds: Range,
    variance: Number,
    rests_on: Number | None,
) -> Interval:
    """Return the hull of an interval and the one around the value without its estimated bias.

    It is the given interval if the bias is at most a third of the standard error, or unknown. The
    macro F1 of many classes with about ten labels each is too low by two thirds of it.
    """
    if left.unit != "sample" or left.sampled or math.isnan(one.low) or not one.standard_error:
        return one
    bias = left.bias(key, place, one.value)
    if not one.standard_error / 3 < abs(bias) < math.inf:
        return one
    nearer = min(max(one.value - bias, bounds[0]), bounds[1])
    units = (left.units, left.df, left.unit)
    other = estimate(nearer, variance, bounds, one.level, *units, None, rests_on)
    if math.isnan(other.low):
        return one
    low, high = min(one.low, other.low), max(one.high, other.high)
    thin = one.thin or (f"{_BIASED} is above its error" if abs(bias) > one.standard_error else None)
    return replace(one, low=low, high=high, thin=thin, method=f"{one.method}, less bias")


def _doubtful(
    estimand: Estimand, left: LeftOut, key: str, place: int, variance: float
) -> str | None:
    """Return why the values without a unit make the interval doubtful, or None if they do not."""
    value, bounds = estimand.numbers[key][place], estimand.range(key)
    if not math.isfinite(value) or not math.isfinite(variance):
        return None
    if left.unit == "group" and abs(left.bias(key, place, value)) > math.sqrt(variance) / 4:
        return f"{_BIASED} is above a quarter of its error"
    return None if all(map(math.isfinite, bounds)) else left.heavy_tails(key, place)


def _rests_on(estimand: Estimand, left: LeftOut, key: str, place: int) -> Number | None:
    """Return the effective number of units that a value rests on; None: all units."""
    own = estimand.own_counts.get(key)
    known: list[Number] = [] if left.effective is None else [left.effective]
    return min(known if own is None else [*known, own[place]], default=None)
