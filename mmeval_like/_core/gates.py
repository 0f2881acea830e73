"""Gates: find the number, and ask whether it passes a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.plan import EACH, Path, Place
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like._intervals.value_ranges import Range, is_share_of_percent
from mmeval_like._verdicts.bounds import at_bound, exact, of_slices, within_margin
from mmeval_like._verdicts.verdict import Verdict

__all__ = ["by_name", "gate"]


def gate(
    metric: Evaluation,
    key: str,
    *,
    margin: float | None = None,
    both: bool = False,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Verdict:
    """Return whether a value, or the difference of two systems, passes a bound with confidence.

    With intervals of level 0.95, a wrong pass and a wrong fail happen in about 2.5 of 100 cases
    each. For shares of hits of independent samples, it is at most 2.5 of 100, for every share and
    every number of samples: they are judged by Clopper and Pearson's interval. No such limit holds
    of shares of hits in clusters, which are judged by the interval of the metric: the page on
    confidence intervals lists clusters with more wrong outcomes. Differences of shares with at most
    3 flips in one direction are judged by a wider interval than Tango's. A `Paired` with
    `anytime=True` may be judged after every batch: these limits then hold for all looks together.

    With slices, the outcome is "pass" if all samples together and every slice pass, which needs no
    correction (R. L. Berger, Multiparameter hypothesis testing and acceptance sampling,
    Technometrics 1982). It is "fail" if all samples together fail, or if a slice fails after Holm's
    correction for the number of slices. The p-values of slices follow from the binomial
    distribution for shares of hits, and otherwise from the arms of the intervals, scaled by
    quantiles of Student's t; the arms of Tango's interval are computed from its standard error.
    The p-value of a quantile is not below that of its interval's ends, so that no single slice of
    several fails. Otherwise the outcome is "undecided". The probability of a wrong fail, of all
    samples or of any slice, is at most about 5%.

    Args:
        metric: A metric with `interval=`, `Sliced` of one, or a `Paired`, after its `compute`.
        key: The key of the value in the metric's result; `member.key` for a collection.
        margin: For a `Paired`: by how much b may be worse than a.
        both: With a margin: whether b may also not be better by more than it. The gate then passes
            if the two systems are equivalent: the whole interval lies between -margin and margin.
        at_least: For a metric: the smallest value that passes.
        at_most: For a metric: the largest value that passes.

    Raises:
        TypeError: Not exactly one bound is given, it does not apply to a pair or to a metric, or it
            is not a number; or `both` is given without a margin.
        ValueError: No interval has this key; the bound is not finite, outside the range of the
            metric, or the least percentage is at most 1, which is a share that was meant; the
            margin is negative, or allows any difference; or the metric of a pair does not say
            whether higher values of the key are better.

    Example:
        >>> from mmeval_like import Accuracy, gate
        >>> metric = Accuracy(interval=0.95)
        >>> metric.add([1] * 90 + [0] * 10, [1] * 100)
        >>> found = metric.compute()
        >>> gate(metric, "top1", at_least=0.8).outcome, gate(metric, "top1", at_least=0.97).outcome
        ('pass', 'fail')
        >>> verdict = gate(metric, "top1", at_least=0.88)
        >>> verdict.outcome, verdict.needed
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
    if both and not pairs:
        raise TypeError("both=True needs margin=, and a Paired")
    place, number = _place(metric, key)
    values = range_of(place.metric.ranges, number)
    called = f"{number}_difference" if pairs else number
    more_is_better = name == "at_least"
    if pairs:
        more_is_better = _direction(place.metric, number, both)
        if bound < 0:
            raise ValueError(f"margin must not be negative, got {bound}")
    _check_range(name, bound, values)

    def judged(interval: Interval) -> Verdict:
        one = exact(interval, values)
        if both:
            return within_margin(one, float(bound), values)
        question, limit = name.replace("_", " "), float(bound)
        if pairs:
            question, limit = "not worse", 0.0 - limit if more_is_better else limit  # 0, and not -0
        return at_bound(question, one, limit, more_is_better, values)

    slices = _by_slice(metric.intervals, place.path)
    if any(not isinstance(intervals.get(called), Interval) for intervals in slices.values()):
        raise _no_interval(metric, key)
    found = {which: judged(intervals[called]) for which, intervals in slices.items()}
    whole = found.pop(WHOLE)
    return of_slices(whole, found) if EACH in place.path else whole


def _direction(metric: Any, key: str, both: bool) -> bool:
    """Return whether more is better; either, if differences in both directions fail.

    Raises:
        ValueError: It is unknown.
    """
    found: bool | None = metric.direction_of(key)
    name = type(metric).__name__
    if found is None and not both and metric.higher_is_better is not None:
        raise ValueError(
            f"{name} does not say whether a higher {key!r} is better: pass both=True, on the "
            f"command line --both, or choose another key"
        )
    if found is None and not both:
        raise ValueError(
            f"{name} does not say whether higher is better: set its higher_is_better, for example "
            f"Mean(higher_is_better=True), on the command line mean:higher_is_better=true"
        )
    return bool(found)


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
    raise _no_interval(metric, key)


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
    """Raise ValueError if a bound is of another scale than the values, such as 85 for a share."""
    least, most = allowed
    if name == "margin" and bound >= most - least:
        raise ValueError(
            f"margin must be less than {most - least:g}, as values lie in [{least:g}, {most:g}], "
            f"got {bound}"
        )
    if name != "margin" and not least <= bound <= most:
        raise ValueError(f"{name} must lie in [{least:g}, {most:g}], as values do, got {bound}")
    if name == "at_least" and is_share_of_percent(bound, allowed):
        raise ValueError(
            f"at_least must be a percentage, as values are, got {bound}: pass {100 * bound:g}, or "
            f"construct the metric with percent=False"
        )


def _no_interval(metric: Evaluation, key: str) -> ValueError:
    """Return the error of a key that has no interval, with the keys that have one."""
    end = "_difference" if metric.plan.compares else ""
    known = [
        f"{place.name}.{name}".removeprefix(".").removesuffix(end)
        for place in metric.plan.places()
        for name in by_name(_by_slice(metric.intervals, place.path).get(WHOLE, {}))
    ]
    cure = "call compute() first, of a metric with interval= or of a Paired"
    if end and not known:
        cure = "call compute() first, of samples that have a score in both systems"
    if end and key.removesuffix(end) in known:
        cure = f"pass {key.removesuffix(end)!r}, of which a pair judges the difference"
    elif known:
        cure = f"there are {known}; construct a metric with interval= to have its intervals"
    return ValueError(f"there is no interval of {key!r}: {cure}")


def by_name(intervals: Mapping[str, object]) -> dict[str, Interval]:
    """Return the intervals of a metric by key, or those of a collection by `member.key`."""
    found: dict[str, Interval] = {}
    for key, one in intervals.items():
        if isinstance(one, Interval):
            found[key] = one
        elif isinstance(one, Mapping):
            found |= {f"{key}.{name}": each for name, each in by_name(one).items()}
    return found
