"""The verdict of a comparison, in words for readers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mmeval_like._intervals.distributions import t_cdf, t_quantile
from mmeval_like._intervals.interval import Interval
from mmeval_like.reporting.words import Scale, p_said

__all__ = ["Compared", "Verdict", "verdict"]

_LEAST = 30  # the least number of samples for the rule of three
_ALPHA = 0.05  # the level of each of the two one-sided tests for equivalence
_FAR = 100  # if more than this many times the samples are needed, no number is given


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
        """The result of the comparison, in one word."""
        if not self.known:
            return "unknown"
        if self.margin is not None and self._equivalence()[2] < _ALPHA:
            return "equivalent"
        if self.significant:
            up = self.one.value > 0
            if self.better is None:
                return "higher" if up else "lower"
            return "better" if up == self.better else "worse"
        if self.identical and self.samples >= _LEAST:
            return "same"
        return "few" if self.too_few else "unclear"

    def _equivalence(self) -> tuple[float, float, float]:
        """Return the ends of the 90% interval, and p of the two one-sided tests; nan if unknown."""
        error, df, margin = self.one.standard_error, self.one.units - 1, self.margin
        sequence = self.one.method == "confidence sequence"
        if not error > 0 or df < 1 or sequence or margin is None:
            return math.nan, math.nan, math.nan
        value, arm = self.one.value, t_quantile(1 - _ALPHA, df) * error
        p = max(t_cdf((value - margin) / error, df), t_cdf((-margin - value) / error, df))
        return value - arm, value + arm, p


@dataclass(frozen=True)
class Verdict:
    """The result of a comparison.

    Attributes:
        kind: "better", "worse", "higher", "lower", "unclear", "equivalent", "same", "few" or
            "unknown".
        title: The sentence, in pieces: a text, and "a" or "b" if it is the name of a system.
        below: Details of the sentence.
    """

    kind: str
    title: list[tuple[str, str]]
    below: str

    @property
    def text(self) -> str:
        """The sentence of the title."""
        return "".join(text for text, _ in self.title)

    @property
    def sign(self) -> str:
        """The sign of the verdict."""
        signs = {"better": "▲", "higher": "▲", "worse": "▼", "lower": "▼", "equivalent": "="}
        return signs.get(self.kind, "=" if self.kind == "same" else "?")

    @property
    def word(self) -> str:
        """The verdict in a word or two."""
        words = {"unclear": "Not significant", "few": "Too few samples", "same": "No difference"}
        return words.get(self.kind, self.kind.capitalize())


def verdict(of: Compared) -> Verdict:
    """Return the result of a comparison of all samples, in sentences."""
    a, b = (of.names[0], "a"), (of.names[1], "b")
    by = of.scale.difference(of.one.value)
    kind = of.kind
    if kind in ("better", "worse"):
        title = [b, (f" is {kind} than ", ""), a, (f" by {by}", "")]
    elif kind in ("higher", "lower"):
        title = [b, (f" scores {by} {kind} than ", ""), a]
    elif kind == "equivalent":
        margin = of.scale.difference(of.margin or 0.0)
        title = [b, (" and ", ""), a, (f" are equivalent within {margin}", "")]
    elif kind == "same":
        title = [b, (" and ", ""), a, (f" agree on all {of.samples:,} samples", "")]
    elif kind == "few":
        title = [("Too few samples to compare ", ""), b, (" with ", ""), a]
    elif kind == "unclear":
        title = [("No significant difference between ", ""), b, (" and ", ""), a]
    else:
        title = [("Nothing is known about the difference between ", ""), b, (" and ", ""), a]
    return Verdict(kind, title, _below(of, kind))


def _below(of: Compared, kind: str) -> str:
    scale, one = of.scale, of.one
    unit = f" {scale.unit}" * bool(scale.unit)
    level = f"{100 * one.level:g}%"
    if kind == "unknown":
        return f"The difference has no interval: {one.thin}."
    if kind in ("better", "worse", "higher", "lower"):
        low, high = one.low, one.high
        if kind in ("better", "worse") and one.value < 0:
            low, high = -high, -low  # now positive is better
        ends = f"{scale.number(low)} and {scale.number(high)}"
        if kind == "lower":
            ends = f"{scale.number(low, '+')} and {scale.number(high, '+')}"
        chance = f" ({p_said(of.p)})"
        if of.p < 0.001:
            chance = f"; chance alone is an unlikely explanation ({p_said(of.p)})"
        return f"With {level} confidence the difference is between {ends}{unit}{chance}."
    if kind == "equivalent":
        low, high, p = of._equivalence()
        margin = scale.number(of.margin or 0.0)
        text = (
            f"The 90% interval of the difference, {scale.span(low, high, True)}, lies inside the "
            f"margin of ±{margin}{unit} chosen beforehand (two one-sided tests, {p_said(p)})."
        )
        if of.significant:
            text += f" The difference itself is significant ({p_said(of.p)}), but that small."
        return text
    if kind == "same":
        rate = 300 / of.samples
        most = f"{rate:.1f}%" if rate >= 0.1 else f"{rate:.2g}%"
        return (
            f"Both give the same result on all {of.samples:,} samples. With 95% confidence they "
            f"differ on fewer than {most} of such samples."
        )
    if kind == "few":
        if of.identical:
            return (
                f"Both give the same result on all {of.samples:,} samples, which are too few for "
                "a conclusion."
            )
        return (
            f"{of.samples:,} samples could show only differences above "
            f"{scale.difference(of.detectable)}, more than the metric can reach."
        )
    return " ".join(_unclear(of, unit))


def _unclear(of: Compared, unit: str) -> list[str]:
    scale, one = of.scale, of.one
    found = [
        f"The observed difference is {scale.number(one.value, '+')}{unit} "
        f"({scale.span(one.low, one.high, True)}, {p_said(of.p)}). "
        "This does not show that they are equal."
    ]
    if not math.isfinite(of.detectable) or of.detectable <= 0:
        return found
    found.append(
        f"With {of.samples:,} samples, a true difference of {scale.difference(of.detectable)} "
        "is detected with a probability of 80%; smaller ones are missed more often."
    )
    wanted = of.margin if of.margin is not None else abs(one.value)
    if wanted > 0 and one.method != "confidence sequence":
        needed = of.samples * (of.detectable / wanted) ** 2
        if of.samples < needed <= _FAR * of.samples:
            digits = 1 - math.floor(math.log10(needed))  # two significant digits, rounded up
            needed = math.ceil(needed * 10**digits) / 10**digits
            found.append(
                f"About {needed:,.0f} samples would be needed to detect "
                f"{scale.difference(wanted)} with this probability."
            )
    return found
