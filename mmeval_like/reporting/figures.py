"""The small figures of the report, as SVG with the width of its container.

Places along a line are percentages and heights are pixels, so that texts keep their size on a
phone. Classes of the style sheet give the colours; there are no `style` attributes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from mmeval_like.reporting.words import Scale

__all__ = ["Axis", "gauge", "histogram", "interval_line", "sample_bar", "scale_line"]


class Axis:
    """A range of numbers along a figure, with a little space at both ends.

    Args:
        values: The numbers that the axis must contain.
        bounds: The bounds that the axis must not exceed, if the numbers come near.
    """

    def __init__(
        self, values: Sequence[float], bounds: tuple[float, float] = (-math.inf, math.inf)
    ) -> None:
        known = [one for one in values if math.isfinite(one)] or [0.0, 1.0]
        low, high = min(known), max(known)
        if not math.isfinite(high - low):  # the difference overflows
            low, high = low / 4, high / 4
        room = 0.06 * (high - low) or 0.5 * abs(high) or 0.5
        self.low = max(low - room, min(bounds[0], low))
        self.high = min(high + room, max(bounds[1], high))
        if not self.high > self.low:
            self.low, self.high = self.low - 0.5, self.high + 0.5

    def at(self, value: float) -> str:
        """Return the position of a value, as a percentage of the width."""
        part = (value - self.low) / (self.high - self.low)
        return f"{100 * (0.02 + 0.96 * min(max(part, 0.0), 1.0)):.2f}%"

    def ticks(self, most: int = 3) -> list[float]:
        """Return round numbers on the axis.

        Example:
            >>> Axis([0.0, 1.0]).ticks()
            [0.0, 0.5, 1.0]
            >>> Axis([0.0, 0.87]).ticks()
            [0.0, 0.5]
        """
        width = self.high - self.low
        step = 10.0 ** math.floor(math.log10(width))
        for part in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0):
            first, last = math.ceil(self.low / (step * part)), math.floor(self.high / (step * part))
            if last - first + 1 <= most:
                return [one * step * part + 0.0 for one in range(first, last + 1)]
        return []


def interval_line(
    axis: Axis,
    number: Sequence[float],
    reference: float,
    tone: str,
    hollow: bool,
    bar: bool = False,
    span: tuple[float, float] | None = None,
) -> str:
    """Return a dot with its interval, the reference line, and a bar from 0 if there is one.

    Args:
        axis: The axis along the figure.
        number: The dot and both ends of its interval; nan: no interval.
        reference: The position of the line; nan: no line.
        tone: "a", "b" or "m" for its colour.
        hollow: Whether there are too few samples.
        bar: Whether there is a bar from 0 to the dot.
        span: What samples without a score may change: the lighter end of the bar, or a lighter line
            behind the dot; None: unknown.
    """
    value, low, high = number
    parts = []
    if bar and math.isfinite(value):
        sure = value if span is None else min(max(span[0], 0.0), span[1])
        parts.append(_rect(axis, 0.0, sure, 'class="ft"'))
    if span is not None:
        shade = "ft" if bar else f"f{tone}"
        parts.append(_rect(axis, *span, f'class="{shade}" opacity=".4"'))
    if math.isfinite(reference):
        x = axis.at(reference)
        parts.append(f'<line x1="{x}" x2="{x}" y1="0" y2="100%" class="ref"/>')
    if math.isfinite(low) and math.isfinite(high):
        dashed = " dash" if hollow else ""
        parts.append(
            f'<line x1="{axis.at(low)}" x2="{axis.at(high)}" y1="50%" y2="50%" '
            f'class="arm s{tone}{dashed}"/>'
        )
    if math.isfinite(value):
        fill = f"hollow s{tone}" if hollow else f"f{tone}"
        parts.append(f'<circle cx="{axis.at(value)}" cy="50%" r="5" class="{fill}"/>')
    return f'<svg class="line" aria-hidden="true">{"".join(parts)}</svg>'


def _rect(axis: Axis, start: float, end: float, how: str) -> str:
    """Return a bar between two values; none to the left."""
    width = float(axis.at(end)[:-1]) - float(axis.at(start)[:-1])
    at = f'x="{axis.at(start)}" width="{max(width, 0.0):.2f}%" y="28%" height="44%"'
    return f"<rect {at} {how}/>"


def scale_line(axis: Axis, scale: Scale, sign: str = "") -> str:
    """Return the numbers along the top of a column of intervals."""
    parts, ticks = [], axis.ticks()
    step = (ticks[1] - ticks[0]) * scale.factor if len(ticks) > 1 else 1.0
    shown = replace(scale, unit="", decimals=max(0, -math.floor(math.log10(step) + 1e-9)))
    for one in ticks:
        share = (one - axis.low) / (axis.high - axis.low)
        anchor = "start" if share < 0.08 else "end" if share > 0.92 else "middle"
        text = "0" if one == 0 else shown.number(one, "+") if sign else shown.value(one)
        x = axis.at(one)
        parts.append(f'<text x="{x}" y="14" text-anchor="{anchor}">{escape(text)}</text>')
    return f'<svg class="scale" aria-hidden="true">{"".join(parts)}</svg>'


def gauge(
    value: float,
    low: float,
    high: float,
    ends: tuple[str, str],
    bounds: tuple[float, float],
    reference: tuple[float, str] | None,
    span: tuple[float, float] | None = None,
) -> str:
    """Return a gauge of a bounded value within its range, with the reference if given.

    What samples without a score may change, the span, is a second band within that of the interval.
    """
    least, most = bounds

    def at(one: float) -> str:
        return f"{100 * (one - least) / (most - least):.2f}%"

    parts = ['<rect x="0" width="100%" y="7" height="6" rx="3" class="track"/>']
    if math.isfinite(low) and math.isfinite(high):
        wide = f"{max(100 * (high - low) / (most - least), 0.5):.2f}%"
        parts.append(f'<rect x="{at(low)}" width="{wide}" y="4" height="12" class="band"/>')
    if span is not None:
        wide = f"{max(100 * (span[1] - span[0]) / (most - least), 0.5):.2f}%"
        parts.append(f'<rect x="{at(span[0])}" width="{wide}" y="7" height="6" class="band"/>')
    parts.append(f'<circle cx="{at(value)}" cy="10" r="4.5" class="fb"/>')
    if reference is not None:
        x = at(reference[0])
        left = reference[0] - least < 0.7 * (most - least)
        parts.append(f'<line x1="{x}" x2="{x}" y1="1" y2="19" class="mark"/>')
        anchor = "start" if left else "end"
        if 0.12 < (reference[0] - least) / (most - least) < 0.9:
            text = escape(reference[1])
            parts.append(f'<text x="{x}" y="33" text-anchor="{anchor}" class="what">{text}</text>')
    parts.append(f'<text x="0" y="33">{escape(ends[0])}</text>')
    parts.append(f'<text x="100%" y="33" text-anchor="end">{escape(ends[1])}</text>')
    return f'<svg class="gauge" aria-hidden="true">{"".join(parts)}</svg>'


def sample_bar(counts: tuple[int, int, int], words: str) -> str:
    """Return a bar of all samples: those where A is ahead, both are equal, or B is ahead.

    Args:
        counts: The three numbers of samples.
        words: The figure's description in words.
    """
    total = sum(counts) or 1
    parts, start = [], 0.0
    for count, tone in zip(counts, ("a", "t", "b"), strict=True):
        wide = 100 * count / total
        if not count:
            continue
        gap = 0.25 if start else 0.0
        parts.append(
            f'<rect x="{start + gap:.2f}%" width="{max(wide - gap, 0.3):.2f}%" height="40" '
            f'class="f{tone}"/>'
        )
        if wide > 7:
            parts.append(
                f'<text x="{start + wide / 2:.2f}%" y="25" text-anchor="middle" '
                f'class="on{tone}">{count:,}</text>'
            )
        start += wide
    return f'<svg class="all" role="img" aria-label="{escape(words)}">{"".join(parts)}</svg>'


def histogram(
    labels: Sequence[str],
    series: Sequence[tuple[Sequence[int], Sequence[str]]],
    words: str,
    edges: bool = False,
) -> str:
    """Return bars of counts, side by side for several series.

    Args:
        labels: The labels below the bars or, with `edges`, below the edges of the bars.
        series: For each series the counts, and the colour of every bar.
        words: The figure's description in words.
        edges: Whether bars are ranges of values.
    """
    tall, bottom, count = 150, 176, len(series[0][0])
    most = max((max(counts, default=0) for counts, _ in series), default=0) or 1
    slot = 100 / count
    wide = slot * (0.94 if edges else 0.82) / len(series)
    numbered = count * len(series) <= 13
    parts = []
    for at in range(count):
        start = at * slot + (slot - wide * len(series)) / 2
        for place, (counts, tones) in enumerate(series):
            high = tall * counts[at] / most
            x = start + place * wide
            if counts[at]:
                parts.append(
                    f'<rect x="{x:.2f}%" width="{wide * 0.97:.2f}%" y="{bottom - high:.1f}" '
                    f'height="{max(high, 1):.1f}" class="f{tones[at]}"/>'
                )
            if numbered and counts[at]:
                parts.append(
                    f'<text x="{x + wide / 2:.2f}%" y="{bottom - high - 5:.1f}" '
                    f'text-anchor="middle" class="ink">{counts[at]:,}</text>'
                )
    if not numbered:
        parts.append(f'<text x="0" y="12">{most:,} samples in the highest bar</text>')
    parts.append(f'<line x1="0" x2="100%" y1="{bottom}" y2="{bottom}" class="base"/>')
    room = max(1, math.ceil(sum(len(one) + 2 for one in labels) * 7 / 340))  # of a phone
    for at, label in enumerate(labels):
        if at % room:
            continue
        x = at * slot if edges else (at + 0.5) * slot
        anchor = "middle" if not edges or 0 < at < count else "start" if at == 0 else "end"
        text = escape(label)
        parts.append(f'<text x="{x:.2f}%" y="{bottom + 17}" text-anchor="{anchor}">{text}</text>')
    return f'<svg class="bars" role="img" aria-label="{escape(words)}">{"".join(parts)}</svg>'
