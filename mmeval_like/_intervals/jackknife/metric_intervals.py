"""The intervals of a metric's values, from its merged results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like._base.warning import warn
from mmeval_like._intervals.interval import Interval, unknown
from mmeval_like._intervals.jackknife.cluster_units import without_clusters
from mmeval_like._intervals.jackknife.codes import (
    WithJointCodes,
    WithOddRows,
    without_codes,
    without_joint_codes,
)
from mmeval_like._intervals.jackknife.estimand import Estimand, numbers_of
from mmeval_like._intervals.jackknife.groups import without_groups, without_sample_groups
from mmeval_like._intervals.jackknife.jackknife_intervals import jackknife_intervals
from mmeval_like._intervals.jackknife.moment_intervals import WithMoments, moment_intervals
from mmeval_like._intervals.jackknife.share_intervals import share_intervals
from mmeval_like._intervals.value_ranges import Ranges
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import Extremum, GrowingCount, Hits, IntSum
from mmeval_like._states.kinds.ordered import Objects
from mmeval_like._states.kinds.tally import Tally
from mmeval_like._states.results import Results
from mmeval_like._states.statistic import Augmented, Statistic

__all__ = ["as_level", "intervals_of", "needs_groups", "warn_of_thin", "with_units"]

_NO_UNITS = "its states cannot be divided into groups of samples"
_NOT_DIVIDED = "its samples were not divided into groups while they were added"
_ODD = "some samples add more counts than others"


def as_level(interval: Any) -> float:
    """Return the level of intervals as a float.

    Raises:
        TypeError: `interval` is not a number.
        ValueError: `interval` is not between 0 and 1.
    """
    if isinstance(interval, bool) or not isinstance(interval, int | float | np.number):
        raise TypeError(f"interval must be a level such as 0.95, got {interval!r}")
    if not 0 < interval < 1:
        raise ValueError(f"interval must lie between 0 and 1, for instance 0.95, got {interval}")
    return float(interval)


def intervals_of(
    compute: Callable[[Results], Any],
    statistic: Statistic,
    states: Mapping[str, State],
    results: Results,
    values: Mapping[str, Any],
    level: float,
    ranges: Ranges,
    refused: str | None = None,
    own: Mapping[str, Any] | None = None,
    refused_of: Mapping[str, str] = MappingProxyType({}),
    pooled_keys: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the interval of every float of a metric, or a list of intervals for a list.

    Args:
        compute: The metric's `compute_metric`.
        statistic: The statistic that was accumulated.
        states: Its states, by name.
        results: The merged results, unchanged.
        values: What the metric returned for these results.
        level: As in `Interval`.
        ranges: The ranges of the metric's values.
        refused: Why no interval would be valid; None if intervals are valid.
        own: Intervals that the metric computes by its own formula, by key.
        refused_of: Why no interval of some of the values would be valid, by key.
        pooled_keys: The keys, or patterns, of values that pool all classes.
    """
    count, shown = len(results), numbers_of(values)
    why = "there are no samples" if not count else refused or _reason(statistic)
    found: Mapping[str, Sequence[Interval]] | None = None
    if own:
        found = {key: one if isinstance(one, list) else [one] for key, one in own.items()}
    elif shown and count and not refused:
        try:
            estimand = Estimand.of(compute, statistic, states, results, level, ranges, pooled_keys)
            found = _intervals(estimand)
        except MemoryError:
            raise
        except Exception as error:  # the metric failed without some of the samples
            why = f"the metric raised without some of the samples: {error!r}"
    intervals: dict[str, Any] = {}
    for key, several in shown.items():
        if found is None or key not in found or key in refused_of:
            each = [unknown(v, level, count, refused_of.get(key, why)) for v in several]
        else:
            each = [_around(one, v) for one, v in zip(found[key], several, strict=True)]
        intervals[key] = each if isinstance(values[key], list) else each[0]
    return intervals


def with_units(statistic: Statistic) -> Statistic:
    """Return the statistic with the states that intervals need, or itself if they need none."""
    return (
        WithMoments.of(statistic)
        or WithOddRows.of(statistic)
        or WithJointCodes.of(statistic)
        or statistic
    )


def needs_groups(statistic: Statistic) -> bool:
    """Return whether intervals need the samples divided into groups while they are added.

    They do if states do not keep rows, and samples add to them more than `with_units` covers:
    many sums, several codes, weights. States that keep the last samples or objects, and states of
    classes that are unknown here, are not divided.

    Args:
        statistic: The statistic that `with_units` returned.
    """
    states = statistic.states().values()
    if isinstance(statistic, Augmented) or all(isinstance(state, Hits) for state in states):
        return False
    if any(s.separable for s in states) and all(
        s.separable or isinstance(s, IntSum) for s in states
    ):
        return False
    return all(_divides(state) for state in states)


def _divides(state: State) -> bool:
    keeps_rows = (state.ordered or state.deals) and not isinstance(state, Objects)
    return keeps_rows or state.additive or isinstance(state, Extremum | GrowingCount | Tally)


def _reason(statistic: Statistic) -> str:
    if isinstance(statistic, Augmented):
        return _ODD
    return _NOT_DIVIDED if needs_groups(statistic) else _NO_UNITS


def warn_of_thin(intervals: Mapping[str, Any]) -> None:
    """Warn, once for all intervals, of those that may cover less than their level."""
    found = dict(_thin(intervals))
    if found:
        named = "; ".join(f"{name}: {why}" for name, why in [*found.items()][:3])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        warn(f"intervals that promise less than their level: {named}{more}")


def _thin(intervals: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(intervals, Interval):
        if intervals.thin is not None:
            yield path, intervals.thin
        return
    pairs = intervals.items() if isinstance(intervals, Mapping) else enumerate(intervals)
    for key, entry in pairs:
        yield from _thin(entry, f"{path}/{key}" if path else str(key))


def _intervals(estimand: Estimand) -> dict[str, list[Interval]] | None:
    """Return the interval of every value; None if too little is known about the samples.

    The first row that applies decides:

    | the samples are known by | what is left out | interval |
    |---|---|---|
    | their clusters | each cluster | by the standard error, smoothed for few classes |
    | groups of a hash | each group | by the standard error |
    | only hits | nothing | Wilson's, of a share |
    | one code | a sample of each code | by the standard error, smoothed for few classes |
    | several codes | a sample of each combination | by the standard error |
    | moments of sums | nothing, the sums are moved | by the standard error, of means tilted |
    | their rows | groups of samples | by the standard error |
    """
    left = without_clusters(estimand) or without_sample_groups(estimand)
    if left is None:
        shares = share_intervals(estimand)
        if shares is not None:
            return shares
        left = without_codes(estimand) or without_joint_codes(estimand)
    if left is None:
        moments = moment_intervals(estimand)
        if moments is not None:
            return moments
        left = without_groups(estimand)
    return None if left is None else jackknife_intervals(estimand, left)


def _around(interval: Interval, value: float) -> Interval:
    """Return the interval of a value that was rounded, extended to contain it."""
    if math.isnan(interval.low) or interval.value == value:
        return interval
    return replace(
        interval, value=value, low=min(interval.low, value), high=max(interval.high, value)
    )
