"""Interval: a value with its uncertainty, and how this was computed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mmeval_like._intervals.exact_shares import FEW, clopper_pearson
from mmeval_like._intervals.transforms import (
    Number,
    as_decimal,
    as_float,
    bounded,
    log_ratio,
    symmetric,
    wilson,
)
from mmeval_like._intervals.value_ranges import Range

__all__ = ["BEYOND", "Interval", "WithIntervals", "estimate", "root", "share", "unknown"]

BEYOND = "its variance is too large or too small for a float: use another unit"
"""The reason for no interval if the square of a deviation is beyond float64."""


@dataclass(frozen=True)
class Interval:
    """A value with a confidence interval for its true value in the population of samples.

    Attributes:
        value: The value, as `compute` returns it.
        low: The lower end, at most the value; nan without an interval.
        high: The upper end, at least the value; nan without an interval.
        level: The share of such intervals that contain the truth, for instance 0.95.
        standard_error: The standard error of the value; nan if it is unknown.
        method: The name of the method: "Wilson", "Wilson, Clopper-Pearson", "Wilson, effective n",
            "Wilson, effective n, smoothed", "t", "tilted t", "log t", "log t, tilted t", "log t,
            square root", "DeLong, logit t", "DeLong, Newcombe", "jackknife, logit t", "betting",
            "Wilson, effective n, betting", "Wilson, effective n, tilted t", "order statistics", or
            "none"; ", less bias" is added if the interval also contains the one around the value
            without its estimated bias, and ", Clopper-Pearson" if at most three samples keep the
            value from a bound, or are the misses or the hits of a class. For differences of two
            systems "paired t", for shares of hits "Tango", with few changes "paired t,
            Clopper-Pearson" and "Tango, Clopper-Pearson", or, if they may be looked at again,
            "confidence sequence" and "betting"; of two groups of samples "Newcombe", which is added
            to that of clusters if few of a group have hits. The interval of the mean of slices is
            "post-stratified", that of a slice less all other samples "independent" or, if a cluster
            has samples of both, "added arms", and that of a `Verdict` on a share of hits is
            "Clopper-Pearson".
        unit: The unit of the analysis, left out one at a time: "sample", "cluster" or "group".
        units: The number of units.
        effective: The number of samples with which a share of this value would have the same
            uncertainty; nan for unbounded values.
        thin: Why the interval may cover less than its level, or is unknown; None if neither is the
            case.
        counts: For a share of hits, the numbers of samples that make it larger and smaller. For a
            difference of such shares of independent samples, the numbers of samples on which b is
            above a, below a, and equal to a. None for all other intervals.

    Example:
        >>> from mmeval_like import Accuracy
        >>> metric = Accuracy(interval=0.95)
        >>> metric.add([0] * 90 + [1] * 10, [0] * 100)
        >>> _ = metric.compute()
        >>> [found] = metric.intervals.values()
        >>> found.method, found.units
        ('Wilson', 100)
    """

    value: float
    low: float
    high: float
    level: float
    standard_error: float
    method: str
    unit: str
    units: int
    effective: float
    thin: str | None
    counts: tuple[int, ...] | None = None

    @property
    def below(self) -> Interval:
        """The interval whose lower end this one has: itself, unless samples have no score."""
        return self

    @property
    def above(self) -> Interval:
        """The interval whose upper end this one has: itself, unless samples have no score."""
        return self


class WithIntervals(dict[str, Any]):
    """The values of a metric with their intervals, and with the account of their samples.

    Attributes:
        intervals: An `Interval`, or a list of them if the value is a list, by key; for a
            collection, these by member.
        accounts: The `Account` of the samples, or for a collection or slices those of its members;
            None: all samples have a score.
    """

    intervals: Mapping[str, Any]
    accounts: Any = None

    @classmethod
    def of(
        cls, values: Mapping[str, Any], intervals: Mapping[str, Any], accounts: Any = None
    ) -> WithIntervals:
        """Return values with their intervals: every float is followed by both ends."""
        ends: dict[str, Any] = {}
        for key, found in intervals.items():
            for name in ("low", "high"):
                several = isinstance(found, list)
                ends[f"{key}_{name}"] = (
                    [getattr(one, name) for one in found] if several else getattr(found, name)
                )
        made = cls({**values, **ends})
        made.intervals = intervals
        if accounts is not None:  # else the values are sent as bytes that do not name accounts
            made.accounts = accounts
        return made

    @classmethod
    def together(cls, members: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return the values of several members, with what the members have besides values."""
        more = {n: m for n, m in members.items() if isinstance(m, WithIntervals)}
        values = {n: dict(m) if n in more else m for n, m in members.items()}
        if not more:
            return values
        made = cls(values)
        # A member with an account alone has no intervals; one with intervals may have none of them.
        made.intervals = {
            n: m.intervals for n, m in more.items() if m.intervals or m.accounts is None
        }
        if accounts := {n: m.accounts for n, m in more.items() if m.accounts is not None}:
            made.accounts = accounts
        return made


def unknown(value: float, level: float, units: int, why: str, unit: str = "sample") -> Interval:
    """Return the interval of a value whose uncertainty is unknown.

    Example:
        >>> unknown(0.5, 0.95, 0, "there are no samples").method
        'none'
    """
    nan = math.nan
    return Interval(value, nan, nan, level, nan, "none", unit, units, nan, why)


def root(square: Interval, value: float) -> Interval:
    """Return the interval of a square root from the interval of the square.

    Args:
        square: The interval of the square, which is not negative.
        value: The square root.

    Example:
        >>> square = estimate(4.0, 0.16, (0.0, math.inf), 0.95, 30, 29)
        >>> found = root(square, 2.0)
        >>> found.low**2 - square.low < 1e-12, found.standard_error
        (True, 0.1)
    """
    if math.isnan(square.low):
        return replace(square, value=value)
    low, high = min(math.sqrt(square.low), value), max(math.sqrt(square.high), value)
    error = square.standard_error / (2 * value) if value else 0.0
    return replace(square, value=value, low=low, high=high, standard_error=error)


def share(value: float, level: float, units: int, bounds: Range) -> Interval:
    """Return Wilson's interval of a value that is a share of hits among the samples.

    If at most 3 samples are hits, or misses, it is the hull of Wilson's and of the Clopper-Pearson
    interval, since the end of Wilson's interval towards the middle is then too close.

    Args:
        value: A share of the samples, on the scale of the bounds.
        level: As in `Interval`.
        units: The number of samples.
        bounds: The value without hits, and the value of only hits: (0, 1) or (0, 100).

    Raises:
        ValueError: The value is not a share of this many samples.

    Example:
        >>> found = share(0.9, 0.95, 50, (0.0, 1.0))
        >>> round(found.low, 6), round(found.high, 6), found.method
        (0.786398, 0.956524, 'Wilson')
    """
    least, most = bounds
    hits = (value - least) / (most - least) * units
    whole = round(hits)
    if abs(hits - whole) > 1e-6 + 1e-12 * units:
        raise ValueError(f"value must be a share of {units} samples, got {value}")
    fraction = as_decimal(whole) / units
    ends, method = wilson(fraction, units, level), "Wilson"
    if min(whole, units - whole) <= FEW:
        exact = clopper_pearson(whole, units, level)
        ends = min(ends[0], exact[0]), max(ends[1], exact[1])
        method = "Wilson, Clopper-Pearson"
    low, high = (least + (most - least) * end for end in ends)
    spread = math.sqrt(whole * (units - whole) / max(units - 1, 1)) / units * (most - least)
    low, high = min(low, value), max(high, value)
    thin = "there is only one sample" if units == 1 else None
    at, counts = ("sample", units, float(units)), (whole, units - whole)
    return Interval(value, low, high, level, spread, method, *at, thin, counts)


def estimate(
    value: float,
    variance: Number,
    bounds: Range,
    level: float,
    units: int,
    df: int,
    unit: str = "sample",
    thin: str | None = None,
    rests_on: Number | None = None,
) -> Interval:
    """Return the interval of a value from its standard error, in the shape that suits its range.

    Between two bounds it is Wilson's with the effective number of samples; above or below one
    bound it is symmetric on the logarithmic scale; otherwise it is symmetric.

    Args:
        value: The value.
        variance: The square of its standard error.
        bounds: The range of the value.
        level: As in `Interval`.
        units: The number of units.
        df: The degrees of freedom of the variance.
        unit: As in `Interval`.
        thin: As in `Interval`.
        rests_on: The effective number of units, used if no unit changes a value between two bounds;
            None: all units. Unequal weights make it smaller, and so does a class of few samples.

    Example:
        >>> found = estimate(2.0, 0.04, (0.0, math.inf), 0.95, 30, 29)
        >>> found.method, round(found.low, 6), round(found.high, 6)
        ('log t', 1.630072, 2.453879)
    """
    least, most = bounds
    if math.isnan(value) or math.isinf(value):
        return unknown(value, level, units, "the value is not finite", unit)
    if not least <= value <= most:
        return unknown(value, level, units, f"the value is not between {least} and {most}", unit)
    if variance == math.inf:
        return unknown(value, level, units, BEYOND, unit)
    finite = math.isfinite(least) and math.isfinite(most)
    if units < 2 or df < 1:
        thin = f"there is only one {unit}" if units == 1 else "there are too few samples"
        if not finite:
            return unknown(value, level, units, thin, unit)
        return Interval(
            value, least, most, level, math.nan, "Wilson, effective n", unit, units, 1.0, thin
        )
    error = as_float(as_decimal(variance).sqrt())
    effective = math.nan
    if finite:
        (low, high), effective = bounded(
            value, variance, units if rests_on is None else rests_on, bounds, level, df
        )
        method = "Wilson, effective n"
    elif error == 0:
        low = high = value
        method, thin = "t", thin or "no sample changes the value"
    elif math.isfinite(least):
        distance = as_decimal(value) - as_decimal(least)
        if distance <= 0:
            return unknown(value, level, units, "the value is at the end of its range", unit)
        ends = log_ratio(distance, as_decimal(variance) / distance**2, level, df)
        low, high = (least + end for end in ends)
        method = "log t"
    elif math.isfinite(most):
        mirrored = estimate(-value, variance, (-most, math.inf), level, units, df, unit, thin)
        low, high, method, thin = -mirrored.high, -mirrored.low, mirrored.method, mirrored.thin
    else:
        low, high = symmetric(value, variance, level, df)
        method = "t"
    low, high = min(low, value), max(high, value)  # in spite of rounding, the value is inside
    return Interval(value, low, high, level, error, method, unit, units, effective, thin)
