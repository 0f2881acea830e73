"""Gates: pass, fail, or not enough data, from an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mmeval_like._inference.interval import Interval
from mmeval_like.evaluable import Evaluable
from mmeval_like.paired import Paired

__all__ = ["Verdict", "gate"]


@dataclass(frozen=True)
class Verdict:
    """What a gate says.

    Attributes:
        outcome: "pass": all of the interval is on the good side of the bound. "fail": none of it
            is. "undecided": the samples are too few to tell, or the interval is thin.
        interval: The interval that was looked at; of a pair, that of the difference b - a.
        bound: What it was compared with: `at_least`, `at_most`, or for a pair minus the margin, or
            the margin where less is better.
        samples_needed: About how many samples would decide, where it is undecided; else None.
    """

    outcome: str
    interval: Interval
    bound: float
    samples_needed: int | None


def gate(
    metric: Evaluable,
    key: str,
    *,
    margin: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Verdict:
    """Return whether a number, or the difference of two systems, passes a bound beyond doubt.

    With intervals of 0.95 a wrong pass, and a wrong fail, happen in about 2.5 of 100 cases each.

    Args:
        metric: A metric with `interval=` or a `Paired`, after its `compute`.
        key: The name of the number in the metric's result.
        margin: For a `Paired`: how much worse b may be than a.
        at_least: For a metric: the least value that passes.
        at_most: For a metric: the largest value that passes.

    Raises:
        TypeError: Not exactly one bound, or not that of a pair, or of a metric; a bound that is no
            number.
        ValueError: There is no interval of this key; a bound that is not finite, a negative margin;
            a pair of a metric that
            does not say whether more is better.

    Example:
        >>> from mmeval_like import Accuracy, gate
        >>> metric = Accuracy(interval=0.95)
        >>> metric.add([1] * 90 + [0] * 10, [1] * 100)
        >>> found = metric.compute()
        >>> gate(metric, "top1", at_least=0.8).outcome, gate(metric, "top1", at_least=0.97).outcome
        ('pass', 'fail')
        >>> verdict = gate(metric, "top1", at_least=0.88)
        >>> verdict.outcome, verdict.samples_needed
        ('undecided', 1383)
    """
    bounds = {"margin": margin, "at_least": at_least, "at_most": at_most}
    [*given] = [(name, bound) for name, bound in bounds.items() if bound is not None]
    allowed = ("margin",) if isinstance(metric, Paired) else ("at_least", "at_most")
    if len(given) != 1 or given[0][0] not in allowed:
        names = ", ".join(name for name, _ in given) or "none"
        raise TypeError(f"pass one of {' and '.join(allowed)}, got {names}")
    [(name, bound)] = given
    if isinstance(bound, bool) or not isinstance(bound, int | float | np.number):
        raise TypeError(f"{name} must be a number, got {bound!r}")
    if not math.isfinite(bound):
        raise ValueError(f"{name} must be finite, got {bound}")
    more_is_better = name == "at_least"
    if isinstance(metric, Paired):
        if metric.higher_is_better is None:
            raise ValueError("the metric does not say whether more is better: set higher_is_better")
        if bound < 0:
            raise ValueError(f"margin must not be negative, got {bound}")
        more_is_better, key = metric.higher_is_better, f"{key}_difference"
        bound = -bound if more_is_better else bound
    interval = _interval(metric.intervals, key)
    low, high = interval.low, interval.high
    good, bad = (low >= bound, high < bound) if more_is_better else (high <= bound, low > bound)
    outcome = "pass" if good else "fail" if bad else "undecided"
    if interval.thin is not None or math.isnan(low):
        outcome = "undecided"
    needed = _needed(interval, bound) if outcome == "undecided" else None
    return Verdict(outcome, interval, float(bound), needed)


def _interval(intervals: Mapping[str, object], key: str) -> Interval:
    found = intervals.get(key)
    if isinstance(found, Interval):
        return found
    known = [name for name, one in intervals.items() if isinstance(one, Interval)]
    raise ValueError(
        f"there is no interval of {key!r}, there are {known}: construct the metric with interval=, "
        f"and call compute() first"
    )


def _needed(interval: Interval, bound: float) -> int | None:
    """Return for how many samples the arm towards the bound would be as long as the way to it."""
    distance = abs(interval.value - bound)
    arm = (
        interval.value - interval.low if bound <= interval.value else interval.high - interval.value
    )
    if not distance or not math.isfinite(arm) or interval.unit != "sample":
        return None
    return max(interval.units + 1, math.ceil(interval.units * (arm / distance) ** 2))
