"""The verdict on a value, or on a difference, and a bound that was set beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from mmeval_like._intervals.corrections import adjusted
from mmeval_like._intervals.difference import Difference
from mmeval_like._intervals.distributions import t_cdf, t_quantile
from mmeval_like._intervals.exact_shares import clopper_pearson, tail
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.spanning import spanning
from mmeval_like._intervals.value_ranges import Range
from mmeval_like._verdicts.power import POWER, needed_at
from mmeval_like._verdicts.verdict import Verdict

__all__ = ["EVERYTHING", "at_bound", "exact", "of_slices", "within_margin"]

EVERYTHING: Range = (-math.inf, math.inf)
"""The range of values without bounds."""


def exact(interval: Interval, values: Range) -> Interval:
    """Return the interval that decides; for a share of hits, its ends are exact one-sided bounds.

    Args:
        interval: The interval of a value, or of a difference.
        values: The range of the value.
    """
    if interval.below is not interval.above:
        return spanning(interval, exact(interval.below, values), exact(interval.above, values))
    if interval.counts is None or len(interval.counts) != 2:
        return interval
    least, most = values
    hits, count = interval.counts[0], sum(interval.counts)
    low, high = (
        least + (most - least) * end for end in clopper_pearson(hits, count, interval.level)
    )
    low, high = min(low, interval.value), max(high, interval.value)
    return replace(interval, low=low, high=high, method="Clopper-Pearson")


def at_bound(
    question: str,
    interval: Interval,
    bound: float,
    more_is_better: bool,
    values: Range = EVERYTHING,
) -> Verdict:
    """Return whether the interval is on the good side of a bound.

    Args:
        question: "at least", "at most" or "not worse".
        interval: What `exact` returned.
        bound: The bound.
        more_is_better: Whether values above the bound pass.
        values: The range of the value.
    """
    low, high = interval.low, interval.high
    good, bad = (low >= bound, high < bound) if more_is_better else (high <= bound, low > bound)
    p = _chance(interval, bound, more_is_better, values)
    p_fail = _chance(interval, bound, not more_is_better, values)
    sign = ">=" if more_is_better else "<="
    return _verdict(question, interval, bound, sign, (good, bad), (p, p_fail), values)


def within_margin(interval: Interval, margin: float, values: Range = EVERYTHING) -> Verdict:
    """Return whether two systems are equivalent: the interval lies between -margin and margin.

    These are two one-sided tests (D. J. Schuirmann, A comparison of the two one-sided tests
    procedure and the power approach for assessing the equivalence of average bioavailability, J.
    Pharmacokinet. Biopharm. 15, 1987), each at (1 - level) / 2.

    Args:
        interval: The interval of the difference.
        margin: The largest difference that counts as equivalent.
        values: The range of the values of each system.
    """
    low, high = interval.low, interval.high
    good, bad = -margin <= low and high <= margin, low > margin or high < -margin
    p = max(_chance(interval, -margin, True, values), _chance(interval, margin, False, values))
    p_fail = min(_chance(interval, -margin, False, values), _chance(interval, margin, True, values))
    p_fail = min(1.0, 2 * p_fail)
    return _verdict("equivalent", interval, margin, "within", (good, bad), (p, p_fail), values)


def _verdict(
    question: str,
    interval: Interval,
    bound: float,
    sign: str,
    sides: tuple[bool, bool],
    chances: tuple[float, float],
    values: Range,
) -> Verdict:
    why, (good, bad) = interval.thin, sides
    if why is None and math.isnan(interval.low):
        why = "there is no interval"
    outcome = "undecided" if why is not None else "pass" if good else "fail" if bad else "undecided"
    nearest, power = bound, POWER
    if sign == "within":
        nearest = bound if interval.value >= 0 else -bound
        # Between the margins, either end may be beyond its own, in half of the other cases each.
        power = (1 + POWER) / 2 if abs(interval.value) < bound else POWER
    # Of an interval with a mark, no number of units is known to decide.
    is_open = outcome == "undecided" and why is None
    needed = needed_at(interval, nearest, values, power) if is_open else None
    p, p_fail = chances if why is None else (1.0, 1.0)
    return Verdict(
        question, outcome, interval, bound, sign, p, needed=needed, why=why, p_fail=p_fail
    )


def of_slices(whole: Verdict, slices: Mapping[str, Verdict]) -> Verdict:
    """Combine the verdict on all samples with those on the slices.

    It is "pass" if all samples and every slice pass, which needs no correction (R. L. Berger,
    Multiparameter hypothesis testing and acceptance sampling, Technometrics 1982), and "fail" if
    all samples fail, or a slice fails after Holm's correction for the number of slices.
    """
    chances = {name: one.p_fail for name, one in slices.items()}
    allowed = dict(zip(slices, adjusted([*chances.values()], "holm"), strict=True))
    failed = any(
        one.outcome == "fail" and allowed[name] < (1 - one.interval.level) / 2
        for name, one in slices.items()
    )
    others = [name for name, one in slices.items() if one.outcome != "pass"]
    outcome = "fail" if failed else whole.outcome
    if outcome == "pass" and others:
        outcome = "undecided"
    worst = min(others, key=chances.__getitem__, default=None)
    needed = whole.needed if outcome == "undecided" else None
    return replace(whole, outcome=outcome, needed=needed, slices=slices, worst=worst, whole=whole)


def _chance(interval: Interval, bound: float, above: bool, values: Range) -> float:
    """Return the one-sided p-value of the hypothesis that the true value is the bound.

    Args:
        interval: The interval that decides.
        bound: The bound.
        above: Whether a small p-value shows that the true value is above the bound, not below.
        values: The range of the value.

    An interval without a standard error, that of a quantile, says nothing of other levels: beyond
    its end, the p-value is just below that of the end.
    """
    one = interval.below if above else interval.above
    if math.isnan(one.low):
        return 1.0
    if one.counts is not None and len(one.counts) == 2:
        share, (hits, misses) = _share_of(bound, values), one.counts
        if above:
            return float(tail(hits, hits + misses, share))
        return float(tail(misses, hits + misses, 1 - share))
    if isinstance(one, Difference):
        p = one.p_at(bound) / 2
        return p if (one.value > bound) == above else 1 - p
    if one.units < 2:
        return 1.0
    distance, arm = one.value - bound, one.value - one.low
    if not above:
        distance, arm = bound - one.value, one.high - one.value
    quantile = t_quantile((1 + one.level) / 2, one.units - 1)
    at_end = float((1 - Decimal(repr(one.level))) / 2)
    if distance == arm:  # of tied order statistics, the value may be at the bound, too
        return at_end
    if distance > arm and math.isnan(one.standard_error):
        return math.nextafter(at_end, 0.0)
    if distance <= 0 or arm <= 0:
        return 1.0 if distance <= 0 else 0.0
    return t_cdf(-distance / arm * quantile, one.units - 1)


def _share_of(value: float, values: Range) -> Decimal:
    """Return a value scaled from its range to the range from 0 to 1."""
    least, most = map(Decimal, values)
    return (Decimal(value) - least) / (most - least)
