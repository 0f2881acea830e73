"""Verdict: the answer of an interval to a question that was asked before the samples were seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NoReturn

from mmeval_like._intervals.interval import Interval
from mmeval_like._verdicts.sentences import interval_text

__all__ = ["Verdict"]


@dataclass(frozen=True)
class Verdict:
    """The answer of an interval to a question; printed as one line.

    An interval with a mark (`interval.thin`) decides nothing, whatever its ends are: its verdict is
    "undecided", and `why` is the mark.

    Attributes:
        question: "at least" or "at most", for a value; "not worse" or "equivalent", for a
            difference of two systems and a margin; "different", for a difference without a margin;
            "apart", for a slice and the other samples.
        outcome: For a bound or a margin "pass": the whole interval is on the good side; "fail": the
            whole interval is on the other side; or "undecided". For "different" and "apart"
            "better", "worse", "higher", "lower", "same" if the two systems agree on every sample,
            or "undecided".
        interval: The interval that decides; of a difference, b - a, or the slice minus the others.
            For shares of hits and a bound, its ends are exact one-sided bounds.
        bound: `at_least`, `at_most`, or for a pair the margin, with a minus sign if more is better;
            0 without a margin.
        sign: ">=" or "<=": the side of the bound on which the interval must be to pass; "within" if
            it must be between minus the bound and the bound; "!=" without a margin.
        p: For a bound or a margin, the one-sided p-value of the hypothesis that the true value is
            not on the good side; below (1 - level) / 2 it passes. Without a bound, the two-sided
            p-value of no difference, corrected if there are several tests; below 1 - level there is
            one.
        detectable: The smallest true difference from 0 that such a comparison detects with 80%
            power; nan if this is unknown, or no difference.
        needed: If the outcome is undecided, roughly the number of units (`interval.unit`, samples
            or clusters) that would decide with 80% power if the value is the true one. None if
            it is decided, or if `why` is given: no number of units is then known to decide.
        why: The reason why an interval that exists decides nothing: its mark; or why there is no
            interval. None if the ends decide.
        slices: The verdict on each slice; empty if there are no slices.
        worst: If not all slices pass, the slice that is farthest from passing; otherwise None.
        whole: If there are slices, the verdict on all samples alone; otherwise None.
        p_fail: For a bound or a margin, the p-value of the hypothesis that the true value is on the
            good side.
    """

    question: str
    outcome: str
    interval: Interval
    bound: float
    sign: str
    p: float = math.nan
    detectable: float = math.nan
    needed: int | None = None
    why: str | None = None
    slices: Mapping[str, Verdict] = field(default_factory=dict)
    worst: str | None = None
    whole: Verdict | None = None
    p_fail: float = math.nan

    def __bool__(self) -> NoReturn:
        """Refuse `if gate(...):`, which would be true for every outcome."""
        raise TypeError('a verdict is not true or false: write `verdict.outcome == "pass"`')

    def __str__(self) -> str:
        """Return the line without a name."""
        return self.line()

    def line(self, name: str = "") -> str:
        """Return the outcome, the number with its interval, and what decided, in one line.

        Args:
            name: The name of the number; empty: none.

        Example:
            >>> one = Interval(0.5, 0.4, 0.6, 0.95, 0.05, "Wilson", "sample", 100, 100.0, None)
            >>> verdict = Verdict("at least", "pass", one, 0.3, ">=")
            >>> print(verdict)
            PASS 0.5 [0.4, 0.6] >= 0.3
            >>> verdict.line("accuracy.top1")
            'PASS accuracy.top1 0.5 [0.4, 0.6] >= 0.3'
        """
        text = " ".join(filter(None, [self.outcome.upper(), name, self._number]))
        if self.sign == "!=":
            text += "" if math.isnan(self.p) else f"; p = {self.p:.3g}"
        else:
            sign = "+" if self.question == "not worse" else ""
            text += f" {self.sign} {self.bound:{sign}.4g}"
        text += self._needs("in all" if self.slices else "")
        if self.worst is not None:
            one = self.slices[self.worst]
            text += f"; worst slice: {self.worst} {one._number} {one.outcome}"
            text += one._needs("of this slice")
        return text

    @property
    def _number(self) -> str:
        one, sign = self.interval, "" if self.question in ("at least", "at most") else "+"
        ends = interval_text(one.low, one.high, one.thin, sign)
        return f"{one.value:{sign}.{3 if sign else 4}g} {ends}"

    def _needs(self, which: str) -> str:
        """Return why the verdict is undecided; empty if it is decided, or if nobody knows."""
        if self.decided:
            return ""
        if self.why is not None:
            return f"; {self.why}"
        if self.needed is None:
            return ""
        return f"; needs about {self.needed:,} {self.interval.unit}s {which}".rstrip()

    @property
    def decided(self) -> bool:
        """Whether the outcome is not "undecided"."""
        return self.outcome != "undecided"

    def same(self) -> Verdict:
        """Return the verdict on two systems that agree on every sample."""
        return replace(self, outcome="same", why=None)
