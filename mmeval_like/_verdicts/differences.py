"""The verdict on the difference of two values: which one is higher, if any is shown to be."""

from __future__ import annotations

import math

from mmeval_like._intervals.difference import Difference
from mmeval_like._intervals.interval import Interval
from mmeval_like._verdicts.verdict import Verdict

__all__ = ["LEAST_EQUAL", "apart", "different"]

LEAST_EQUAL = 30
"""The least number of units on which two systems must agree, all of them, to be called the same."""


def different(one: Difference, better: bool | None, p: float | None = None) -> Verdict:
    """Return whether two systems differ, and which one is ahead.

    Args:
        one: The interval of the difference b - a.
        better: Whether more is better; None: unknown.
        p: The p-value of no difference, corrected for several tests; None: that of the interval.

    Example:
        >>> from mmeval_like import Accuracy, Paired
        >>> pair = Paired(Accuracy())
        >>> pair.a.add([1] * 70 + [0] * 30, [1] * 100, ids=range(100))
        >>> pair.b.add([1] * 80 + [0] * 20, [1] * 100, ids=range(100))
        >>> _ = pair.compute()
        >>> different(pair.intervals["top1_difference"], better=True).outcome
        'better'
    """
    found = _verdict("different", one, one.p if p is None else p, better, one.detectable())
    if not one.changed and one.units >= LEAST_EQUAL and not math.isnan(one.low):
        return found.same()
    return found


def apart(one: Interval, p: float, better: bool | None) -> Verdict:
    """Return whether two values of independent samples differ, such as those of a slice and others.

    Args:
        one: The interval of the difference.
        p: The two-sided p-value of no difference, corrected if there are several tests.
        better: Whether more is better; None: unknown.

    Example:
        >>> one = Interval(0.1, 0.02, 0.18, 0.95, 0.04, "t", "sample", 100, 1.0, None)
        >>> apart(one, 0.01, better=False).outcome, apart(one, 0.2, better=False).outcome
        ('worse', 'undecided')
    """
    return _verdict("apart", one, p, better, math.nan)


def _verdict(
    question: str, one: Interval, p: float, better: bool | None, detectable: float
) -> Verdict:
    why, outcome = one.thin, "undecided"
    if why is None and (math.isnan(one.low) or math.isnan(p)):
        why = "there is no interval"
    if why is None and p < 1 - one.level:
        outcome = "higher" if one.value > 0 else "lower"
        if better is not None:
            outcome = "better" if (one.value > 0) == better else "worse"
    return Verdict(question, outcome, one, 0.0, "!=", p, detectable, why=why)
