"""A comparison on the page: its verdict, in the names and the format of the page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mmeval_like._base.account import Account
from mmeval_like._core.verdicts import Compared
from mmeval_like._intervals.difference import Difference
from mmeval_like._intervals.spanning import spans
from mmeval_like._verdicts.power import largest_unseen, needed_to_detect
from mmeval_like._verdicts.verdict import Verdict
from mmeval_like.reporting.words import Scale

__all__ = ["Shown"]

_FAR = 100  # if more than this many times the units are needed, no number is given


@dataclass(frozen=True)
class Shown:
    """One number of two systems on a page.

    Attributes:
        names: The names of A and B.
        of: The comparison, with its verdicts.
        scale: The format of the number.
        account: The account of the samples; None: it is unknown, and all have a score.
    """

    names: tuple[str, str]
    of: Compared
    scale: Scale
    account: Account | None = None

    @property
    def one(self) -> Difference:
        """The interval of the difference, B - A."""
        return self.of.interval

    @property
    def verdict(self) -> Verdict:
        """Whether the systems differ."""
        return self.of.verdict

    @property
    def values(self) -> tuple[float, float]:
        """The values of A and of B."""
        return self.of.values

    @property
    def span(self) -> tuple[float, float] | None:
        """What samples without a score may make of the difference; None: unknown, or nothing."""
        if self.account is None or not self.account.unscored:
            return None
        ends = self.account.bounds.get(f"{self.of.key}_difference")
        return None if ends is None else (min(ends), max(ends))

    @property
    def possible(self) -> str:
        """The same on the page, with the unit; empty: unknown."""
        if self.span is None:
            return ""
        return f"{self.scale.span(*self.span, True)} {self.scale.unit}".strip()

    @property
    def samples(self) -> int:
        """The number of pairs."""
        return self.of.samples

    @property
    def clusters(self) -> int | None:
        """The number of clusters of the samples; None: each sample is a unit."""
        return self.one.units if self.one.unit == "cluster" else None

    @property
    def better(self) -> bool | None:
        """Whether more is better; None: unknown."""
        return self.of.better

    @property
    def p(self) -> float:
        """The p-value, adjusted for the number of slices if there are several."""
        return self.verdict.p

    @property
    def detectable(self) -> float:
        """The true difference that is detected with 80% power."""
        return self.verdict.detectable

    @property
    def hits(self) -> bool:
        """Whether every sample is either right or wrong."""
        return self.of.flips is not None

    @property
    def has_scale(self) -> bool:
        """Whether values are scores between bounds that a reader must know, such as 1 and 10."""
        least, most = self.of.bounds
        return math.isfinite(most - least) and not self.scale.share and self.of.bounds != (0.0, 1.0)

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the values."""
        return self.of.bounds

    @property
    def relative(self) -> float | None:
        """The difference in per cent of A's value; None for values without a meaningful zero."""
        a, value = self.values[0], self.one.value
        if self.scale.share or self.bounds[0] != 0 or not a > 0 or not value:
            return None
        return 100 * value / a

    @property
    def fewer_errors(self) -> float | None:
        """The share of A's errors that B does not make; None if errors are not counted."""
        if not self.scale.share or not self.one.value:
            return None
        up = self.better is not False
        errors = self.bounds[1] - self.values[0] if up else self.values[0]
        return self.one.value / errors * (1 if up else -1) if errors > 0 else None

    @property
    def by_chance(self) -> str:
        """In how many evaluations chance alone gives a difference this large, as "4 of 1,000"."""
        count = round(1000 * self.p)
        return f"{count} of 1,000" if count < 10 else f"{round(100 * self.p)} of 100"

    @property
    def known(self) -> bool:
        """Whether the difference has an interval."""
        return not math.isnan(self.one.low)

    @property
    def identical(self) -> bool:
        """Whether the two systems agree on every sample."""
        return not self.one.changed

    @property
    def too_few(self) -> bool:
        """Whether even the largest possible difference would not be detected."""
        return self.detectable >= self.bounds[1] - self.bounds[0]

    @property
    def margin(self) -> float | None:
        """The largest difference that counts as equivalent; None: no margin was chosen."""
        return None if self.of.equivalent is None else self.of.equivalent.bound

    @property
    def kind(self) -> str:
        """What the heading says.

        It is "equivalent", or an outcome of the verdict: "better", "worse", "higher", "lower",
        "same"; or, for an undecided one, "unknown" without an interval, "marked" if the interval
        has a mark, "few" if no difference could be detected, and else "unclear".
        """
        if self.of.equivalent is not None and self.of.equivalent.outcome == "pass":
            return "equivalent"
        return self.reading

    @property
    def reading(self) -> str:
        """The same as `kind`, without the margin."""
        if self.verdict.decided:
            return self.verdict.outcome
        if not self.known:
            return "unknown"
        if self.verdict.why is not None:
            return "marked"
        return "few" if self.too_few else "unclear"

    @property
    def gain(self) -> tuple[float, float]:
        """The ends of the interval; of a loss that is better or a gain that is worse, negated."""
        low, high = self.one.low, self.one.high
        turned = self.kind in ("better", "worse") and self.one.value < 0
        return (-high, -low) if turned else (low, high)

    @property
    def most_that_differ(self) -> float:
        """The most per cent of units that differ if none of these does."""
        return 100 * largest_unseen(self.one.units, self.one.level)

    @property
    def can_detect(self) -> bool:
        """Whether it is known which difference is detected."""
        return math.isfinite(self.detectable) and self.detectable > 0

    @property
    def wanted(self) -> float:
        """The difference to detect: the margin, or the observed difference."""
        return abs(self.one.value) if self.margin is None else self.margin

    @property
    def needed(self) -> float | None:
        """The number of units that detects the wanted difference with 80% power.

        It has two significant digits, rounded up. None: these units are enough, or far too few, or
        the number is unknown, as that of samples some of which have no score.
        """
        needed = needed_to_detect(self.one.units, self.detectable, self.wanted)
        if needed is None or self.one.unit == "group" or spans(self.one):
            return None
        if not self.one.units < needed <= _FAR * self.one.units:
            return None
        digits = 1 - math.floor(math.log10(needed))
        return float(math.ceil(needed * 10**digits) / 10**digits)
