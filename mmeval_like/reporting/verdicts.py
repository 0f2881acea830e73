"""The verdict of a comparison: its kind, and the numbers that its sentences need."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mmeval_like._intervals.distributions import t_cdf, t_quantile
from mmeval_like._intervals.interval import Interval
from mmeval_like.reporting.words import Scale

__all__ = ["Compared", "Equivalence"]

_LEAST = 30  # the least number of samples for the rule of three
_ALPHA = 0.05  # the level of each of the two one-sided tests for equivalence
_FAR = 100  # if more than this many times the samples are needed, no number is given


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of whether a difference is within a margin.

    Attributes:
        low: The lower end of the 90% interval of the difference; nan: unknown.
        high: Its upper end.
        p: The larger p-value of the two tests.
    """

    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Compared:
    """One number of two systems, and the facts about its difference.

    Attributes:
        names: The names of A and B.
        key: The key of the number.
        one: The interval of the difference, B - A.
        found: All values of the comparison.
        better: Whether more is better; None: unknown.
        bounds: The range of the number.
        scale: The format of the number.
        margin: The largest difference that counts as equivalent; None: no margin was chosen.
    """

    names: tuple[str, str]
    key: str
    one: Interval
    found: Mapping[str, Any]
    better: bool | None
    bounds: tuple[float, float]
    scale: Scale
    margin: float | None = None

    @property
    def values(self) -> tuple[float, float]:
        """The values of A and of B."""
        return self.found[f"{self.key}_a"], self.found[f"{self.key}_b"]

    @property
    def samples(self) -> int:
        """The number of pairs."""
        return int(self.found["samples"])

    @property
    def p(self) -> float:
        """The p-value, adjusted for the number of slices if there are several."""
        return float(self.found.get(f"{self.key}_p_adjusted", self.found[f"{self.key}_p"]))

    @property
    def detectable(self) -> float:
        """The true difference that is detected with 80% power."""
        return float(self.found[f"{self.key}_detectable"])

    @property
    def hits(self) -> bool:
        """Whether every sample is either right or wrong."""
        return "flips_up" in self.found

    @property
    def has_scale(self) -> bool:
        """Whether values are scores between bounds that a reader must know, such as 1 and 10."""
        least, most = self.bounds
        return math.isfinite(most - least) and not self.scale.share and self.bounds != (0.0, 1.0)

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
    def by_chance(self) -> int:
        """In how many of 100 evaluations chance alone gives a difference this large."""
        return max(1, round(100 * self.p))

    @property
    def known(self) -> bool:
        """Whether the difference has an interval."""
        return not math.isnan(self.one.low)

    @property
    def significant(self) -> bool:
        """Whether chance is an unlikely explanation of the difference."""
        return self.known and self.p < 1 - self.one.level

    @property
    def identical(self) -> bool:
        """Whether the two systems agree on every sample, as far as the values show."""
        flips = self.found.get("flips_up"), self.found.get("flips_down")
        if None not in flips:
            return flips == (0, 0)
        return self.one.value == 0 and self.one.standard_error == 0

    @property
    def too_few(self) -> bool:
        """Whether even the largest possible difference would not be detected."""
        return self.detectable >= self.bounds[1] - self.bounds[0]

    @property
    def kind(self) -> str:
        """The result of the comparison.

        It is "better", "worse", "higher", "lower", "unclear", "equivalent", "same", "few" or
        "unknown".
        """
        if not self.known:
            return "unknown"
        if self.margin is not None and self.equivalence.p < _ALPHA:
            return "equivalent"
        if self.significant:
            up = self.one.value > 0
            if self.better is None:
                return "higher" if up else "lower"
            return "better" if up == self.better else "worse"
        if self.identical and self.samples >= _LEAST:
            return "same"
        return "few" if self.too_few else "unclear"

    @property
    def equivalence(self) -> Equivalence:
        """The tests for equivalence within the margin; nan if there are none."""
        error, df, margin = self.one.standard_error, self.one.units - 1, self.margin
        sequence = self.one.method == "confidence sequence"
        if not error > 0 or df < 1 or sequence or margin is None:
            return Equivalence(math.nan, math.nan, math.nan)
        value, arm = self.one.value, t_quantile(1 - _ALPHA, df) * error
        p = max(t_cdf((value - margin) / error, df), t_cdf((-margin - value) / error, df))
        return Equivalence(value - arm, value + arm, p)

    @property
    def gain(self) -> tuple[float, float]:
        """The ends of the interval; of a loss that is better or a gain that is worse, negated."""
        low, high = self.one.low, self.one.high
        turned = self.kind in ("better", "worse") and self.one.value < 0
        return (-high, -low) if turned else (low, high)

    @property
    def most_that_differ(self) -> float:
        """The most per cent of samples that differ if none of these does, by the rule of three."""
        return 300 / self.samples

    @property
    def can_detect(self) -> bool:
        """Whether it is known which difference is detected."""
        return math.isfinite(self.detectable) and self.detectable > 0

    @property
    def wanted(self) -> float:
        """The difference to detect: the margin, or the observed difference."""
        return abs(self.one.value) if self.margin is None else self.margin

    @property
    def samples_needed(self) -> float | None:
        """The number of samples that detects the wanted difference with 80% power.

        It has two significant digits, rounded up. None: these samples are enough, or far too few,
        or the number is unknown.
        """
        wanted = self.wanted
        if not self.can_detect or not wanted > 0 or self.one.method == "confidence sequence":
            return None
        needed = self.samples * (self.detectable / wanted) ** 2
        if not self.samples < needed <= _FAR * self.samples:
            return None
        digits = 1 - math.floor(math.log10(needed))
        return float(math.ceil(needed * 10**digits) / 10**digits)
