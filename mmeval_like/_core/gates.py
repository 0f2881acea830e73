"""Gates: decide from an interval between pass, fail, and not enough data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import numpy as np

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.plan import EACH, Path, Place
from mmeval_like._intervals.corrections import adjusted
from mmeval_like._intervals.distributions import normal_quantile, t_cdf, t_quantile
from mmeval_like._intervals.exact_shares import FEW, clopper_pearson, exact_difference, tail
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like._intervals.value_ranges import Range

__all__ = ["Verdict", "by_name", "gate", "judge"]

_EVERYTHING: Range = (-math.inf, math.inf)
_POWER = 0.8  # the probability that `samples_needed` samples decide


@dataclass(frozen=True)
class Verdict:
    """The outcome of a gate.

    Attributes:
        outcome: "pass": the whole interval is on the good side of the bound. "fail": the whole
            interval is on the other side. "undecided": there are too few samples to decide, or the
            interval is thin.
        interval: The interval that was judged; for a pair, that of the difference b - a. For
            shares of hits, its ends are exact one-sided bounds, see `gate`.
        bound: The bound: `at_least`, `at_most`, or for a pair minus the margin, or the margin if
            lower is better.
        sign: ">=" if higher is better, otherwise "<=": the side of the bound on which the interval
            must be to pass.
        samples_needed: If the outcome is undecided, roughly the number of samples that would decide
            with 80% power if the value is the true one; otherwise None.
        slices: The verdict of each slice; empty if there are no slices.
        worst: If not all slices pass, the slice that is farthest from passing; otherwise None.
    """

    outcome: str
    interval: Interval
    bound: float
    sign: str
    samples_needed: int | None
    slices: Mapping[str, Verdict] = field(default_factory=dict)
    worst: str | None = None


def gate(
    metric: Evaluation,
    key: str,
    *,
    margin: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Verdict:
    """Return whether a value, or the difference of two systems, passes a bound with confidence.

    With intervals of level 0.95, a wrong pass and a wrong fail happen in about 2.5 of 100 cases
    each. For shares of hits, it is at most 2.5 of 100, for every share and every number of samples:
    they are judged by Clopper and Pearson's interval. Differences of such shares with at most 3
    flips in one direction are judged by a wider interval than Tango's. A `Paired` with
    `anytime=True` may be judged after every batch: these limits then hold for all looks together.

    With slices, the outcome is "pass" if all samples together and every slice pass, which needs no
    correction (R. L. Berger, Multiparameter hypothesis testing and acceptance sampling,
    Technometrics 1982). It is "fail" if all samples together fail, or if a slice fails after Holm's
    correction for the number of slices. The p-values of slices follow from the binomial
    distribution for shares of hits, and otherwise from the arms of the intervals, scaled by
    quantiles of Student's t; the arms of Tango's interval are computed from its standard error.
    Otherwise the outcome is "undecided". The probability of a wrong fail, of all samples or of any
    slice, is at most about 5%.

    Args:
        metric: A metric with `interval=`, `Sliced` of one, or a `Paired`, after its `compute`.
        key: The key of the value in the metric's result; `member.key` for a collection.
        margin: For a `Paired`: by how much b may be worse than a.
        at_least: For a metric: the smallest value that passes.
        at_most: For a metric: the largest value that passes.

    Raises:
        TypeError: Not exactly one bound is given, it does not apply to a pair or to a metric, or it
            is not a number.
        ValueError: No interval has this key; the bound is not finite, or outside the range of the
            metric; the margin is negative, or allows any difference; or the metric of a pair does
            not say whether higher is better.

    Example:
        >>> from mmeval_like import Accuracy, gate
        >>> metric = Accuracy(interval=0.95)
        >>> metric.add([1] * 90 + [0] * 10, [1] * 100)
        >>> found = metric.compute()
        >>> gate(metric, "top1", at_least=0.8).outcome, gate(metric, "top1", at_least=0.97).outcome
        ('pass', 'fail')
        >>> verdict = gate(metric, "top1", at_least=0.88)
        >>> verdict.outcome, verdict.samples_needed
        ('undecided', 2034)
    """
    bounds = {"margin": margin, "at_least": at_least, "at_most": at_most}
    [*given] = [(name, bound) for name, bound in bounds.items() if bound is not None]
    pairs = metric.plan.compares
    allowed = ("margin",) if pairs else ("at_least", "at_most")
    if len(given) != 1 or given[0][0] not in allowed:
        names = ", ".join(name for name, _ in given) or "none"
        raise TypeError(f"pass one of {' and '.join(allowed)}, got {names}")
    [(name, bound)] = given
    if isinstance(bound, bool) or not isinstance(bound, int | float | np.number):
        raise TypeError(f"{name} must be a number, got {bound!r}")
    if not math.isfinite(bound):
        raise ValueError(f"{name} must be finite, got {bound}")
    place, number = _place(metric, key)
    more_is_better = name == "at_least"
    if pairs:
        if place.metric.higher_is_better is None:
            raise ValueError(
                f"{type(place.metric).__name__} does not say whether higher is better: set its "
                f"higher_is_better, for example Mean(higher_is_better=True), on the command line "
                f"mean:higher_is_better=true"
            )
        if bound < 0:
            raise ValueError(f"margin must not be negative, got {bound}")
        more_is_better = place.metric.higher_is_better
        bound = 0.0 - bound if more_is_better else bound  # 0, and not -0
    values = range_of(place.metric.ranges, number)
    _check_range(name, given[0][1], values)
    called = f"{number}_difference" if pairs else number
    found = {
        which: judge(
            _exact(_interval(intervals, called), values), float(bound), more_is_better, values
        )
        for which, intervals in _by_slice(metric.intervals, place.path).items()
    }
    whole = found.pop(WHOLE)
    chances = {which: _chance(one, values, more_is_better) for which, one in found.items()}
    return _of_slices(whole, found, chances) if EACH in place.path else whole


def _place(metric: Evaluation, key: str) -> tuple[Place, str]:
    """Return the metric of a key, and the key within that metric's values.

    Raises:
        ValueError: No metric has this name.
    """
    places = [*metric.plan.places()]
    for place in places:
        start = f"{place.name}." if place.name else ""
        if key.startswith(start) and (start or len(places) == 1):
            return place, key.removeprefix(start)
    raise _no_interval(key, metric.intervals)


def _by_slice(intervals: Any, path: Path) -> dict[str, Mapping[str, Any]]:
    """Return the intervals of a metric by slice; `WHOLE` is the key for all samples."""
    if not isinstance(intervals, Mapping):
        return {WHOLE: {}}
    if not path:
        return {WHOLE: intervals}
    name, *rest = path
    if name is not EACH:
        return _by_slice(intervals.get(name, {}), tuple(rest))
    found = {}
    for which, one in (intervals or {WHOLE: {}}).items():
        for inner, each in _by_slice(one, tuple(rest)).items():
            called = [part for part in (which, inner) if part != WHOLE]
            found[",".join(called) or WHOLE] = each
    return found


def _check_range(name: str, bound: float, allowed: Range) -> None:
    """Raise ValueError if a bound is outside the range of the values, such as 85 for a share."""
    least, most = allowed
    if name == "margin" and bound >= most - least:
        raise ValueError(
            f"margin must be less than {most - least:g}, as values lie in [{least:g}, {most:g}], "
            f"got {bound}"
        )
    if name != "margin" and not least <= bound <= most:
        raise ValueError(f"{name} must lie in [{least:g}, {most:g}], as values do, got {bound}")


def _exact(interval: Interval, values: Range) -> Interval:
    """Return the interval to judge; for shares of hits, an interval whose ends are exact."""
    if interval.counts is None:
        return interval
    (least, most), level = values, interval.level
    if len(interval.counts) == 2:
        hits, count = interval.counts[0], sum(interval.counts)
        ends, method = clopper_pearson(hits, count, level), "Clopper-Pearson"
    elif min(interval.counts[:2]) > FEW:
        return interval
    else:
        up, down, _ = interval.counts
        ends = exact_difference(up, down, sum(interval.counts), level)
        least, most, method = 0.0, most - least, "Tango, Clopper-Pearson"
    low, high = (least + (most - least) * end for end in ends)
    low, high = min(low, interval.value), max(high, interval.value)
    return replace(interval, low=low, high=high, method=method)


def judge(
    interval: Interval, bound: float, more_is_better: bool, bounds: Range = _EVERYTHING
) -> Verdict:
    """Return the verdict about one interval; `bounds` is the range of its values."""
    low, high = interval.low, interval.high
    good, bad = (low >= bound, high < bound) if more_is_better else (high <= bound, low > bound)
    outcome = "pass" if good else "fail" if bad else "undecided"
    if interval.thin is not None or math.isnan(low):
        outcome = "undecided"
    needed = _needed(interval, bound, bounds) if outcome == "undecided" else None
    return Verdict(outcome, interval, bound, ">=" if more_is_better else "<=", needed)


def _of_slices(
    whole: Verdict, slices: Mapping[str, Verdict], chances: Mapping[str, float]
) -> Verdict:
    """Combine the verdict about all samples with the verdicts and the p-values of the slices."""
    allowed = dict(zip(slices, adjusted([*chances.values()], "holm"), strict=True))
    failed = [
        name
        for name, one in slices.items()
        if one.outcome == "fail" and allowed[name] < (1 - one.interval.level) / 2
    ]
    others = [name for name, one in slices.items() if one.outcome != "pass"]
    outcome = "fail" if failed else whole.outcome
    if outcome == "pass" and others:
        outcome = "undecided"
    worst = min(others, key=chances.__getitem__, default=None)
    needed = whole.samples_needed if outcome == "undecided" else None
    return replace(whole, outcome=outcome, samples_needed=needed, slices=slices, worst=worst)


def _chance(verdict: Verdict, values: Range, more_is_better: bool) -> float:
    """Return the one-sided p-value of the hypothesis that the true value is the bound."""
    one = verdict.interval
    if one.thin is not None or math.isnan(one.low):
        return 1.0
    if one.counts is not None and len(one.counts) == 2:
        bound, (hits, misses) = _share_of(verdict.bound, values), one.counts
        if more_is_better:
            return float(tail(misses, hits + misses, 1 - bound))
        return float(tail(hits, hits + misses, bound))
    distance, arm = verdict.bound - one.value, one.high - one.value
    if not more_is_better:
        distance, arm = one.value - verdict.bound, one.value - one.low
    quantile = t_quantile((1 + one.level) / 2, one.units - 1)
    if one.counts is not None:  # Tango's short arms do not extrapolate far beyond their ends
        arm = quantile * one.standard_error
    if distance <= 0 or arm <= 0:
        return 1.0 if distance <= 0 else 0.0
    return t_cdf(-distance / arm * quantile, one.units - 1)


def _share_of(value: float, values: Range) -> Decimal:
    """Return a value scaled from the range `values` to the range from 0 to 1."""
    least, most = map(Decimal, values)
    return (Decimal(value) - least) / (most - least)


def _interval(intervals: Mapping[str, object], key: str) -> Interval:
    known = by_name(intervals)
    if key not in known:
        raise _no_interval(key, intervals)
    return known[key]


def _no_interval(key: str, intervals: Mapping[str, object]) -> ValueError:
    return ValueError(
        f"there is no interval of {key!r}, there are {[*by_name(intervals)]}: construct the metric "
        f"with interval=, and call compute() first"
    )


def by_name(intervals: Mapping[str, object]) -> dict[str, Interval]:
    """Return the intervals of a metric by key, or those of a collection by `member.key`."""
    found: dict[str, Interval] = {}
    for key, one in intervals.items():
        if isinstance(one, Interval):
            found[key] = one
        elif isinstance(one, Mapping):
            found |= {f"{key}.{name}": each for name, each in by_name(one).items()}
    return found


def _needed(interval: Interval, bound: float, bounds: Range) -> int | None:
    """Return the number of samples for a decision with 80% power; None: unknown.

    With that number of samples, most intervals are symmetric. The intervals of Wilson and Tango end
    where a true value at the bound would be equally far away: their error is the error at the
    bound, where the share of samples that change is at least the bound. Exact bounds of shares of
    hits need 1 / distance more samples (J. L. Fleiss, B. Levin and M. C. Paik, Statistical Methods
    for Rates and Proportions, 2003).
    """
    one, (least, most), error = interval, bounds, interval.standard_error
    if one.effective > 0 and math.isfinite(most - least):  # nan for most other shapes
        error = math.sqrt((bound - least) * (most - bound) / one.effective)
    if one.method.startswith("Tango") and math.isfinite(most - least):
        error = max(error, math.sqrt(abs(bound) * (most - least - abs(bound)) / one.units))
    arm = normal_quantile((1 + one.level) / 2) * error
    arm += normal_quantile(_POWER) * one.standard_error
    distance = abs(one.value - bound)
    # A value at the bound: the difference of two decimals is close to 0, rarely exactly 0.
    there = math.isclose(one.value, bound, rel_tol=1e-9, abs_tol=1e-12)
    if there or not math.isfinite(arm) or one.unit != "sample":
        return None
    exact = one.method == "Clopper-Pearson" and math.isfinite(most - least)
    more = (most - least) / distance if exact else 0.0
    return max(one.units + 1, math.ceil(one.units * (arm / distance) ** 2 + more))
