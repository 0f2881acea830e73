"""The verdict on the difference of two values: which one is higher, if any is shown to be."""

from __future__ import annotations

import math

from mmeval_like._intervals.interval import Interval
from mmeval_like._verdicts.verdict import Verdict

__all__ = ["LEAST_EQUAL", "different", "way"]

LEAST_EQUAL = 30
"""The least number of units on which two systems must agree, all of them, to be called the same."""


def different(
    interval: Interval,
    p: float,
    *,
    better: bool | None,
    detectable: float = math.nan,
    equal: bool = False,
    question: str = "different",
) -> Verdict:
    """Return whether a difference is shown, and its direction.

    Args:
        interval: The interval of the difference.
        p: The two-sided p-value of no difference, corrected if there are several tests.
        better: Whether more is better; None: unknown.
        detectable: As in `Verdict`.
        equal: Whether the two systems agree on every sample.
        question: "different" or "apart".

    Example:
        >>> one = Interval(0.1, 0.02, 0.18, 0.95, 0.04, "paired t", "sample", 100, 1.0, None)
        >>> different(one, 0.01, better=True).outcome, different(one, 0.2, better=True).outcome
        ('better', 'undecided')
    """
    why = interval.thin
    if why is None and (math.isnan(interval.low) or math.isnan(p)):
        why = "there is no interval"
    outcome = "undecided"
    if why is None and p < 1 - interval.level:
        outcome = way(interval.value, better)
    elif equal and interval.units >= LEAST_EQUAL and (why is None or not interval.value):
        outcome = "same"
    return Verdict(question, outcome, interval, 0.0, "!=", p, detectable, why=why)


def way(difference: float, better: bool | None) -> str:
    """Return the direction of a difference in a word.

    Example:
        >>> way(0.1, False), way(-0.1, None)
        ('worse', 'lower')
    """
    if better is None:
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == better else "worse"
