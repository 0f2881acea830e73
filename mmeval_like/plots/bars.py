"""Bars: a number for every class, with its interval; the lowest ones if there are many classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like.plots.reading import Number, number_text, span_text
from mmeval_like.plots.style import LIGHTER, Theme, dress
from mmeval_like.plots.unknown import name_lines, said_of, sort_out

__all__ = ["MOST", "bars"]

MOST = 40  # bars in a picture: more would be illegible


def bars(ax: Any, theme: Theme, title: str, names: Sequence[str], numbers: Sequence[Number]) -> str:
    """Draw a horizontal bar for every class, least number at the top; return a description.

    Args:
        ax: Where to draw.
        theme: The colours.
        title: The name of the numbers.
        names: The classes.
        numbers: The number of each class; undefined numbers are named below the bars.
    """
    known, unknown = sort_out(names, numbers)
    known.sort(key=lambda pair: pair[0].value)
    shown = known[:MOST]
    some = f"the {MOST} lowest of {len(known):,} classes" if len(known) > MOST else ""
    dress(ax, theme, title, some)
    draw_bars(ax, theme, [name for _, name in shown], [one for one, _ in shown], unknown)
    if not known:
        return f"{title}: no value is defined.{said_of(unknown)}"
    ends = [f"{name} {number_text(one.value)}{span_text(one)}" for one, name in known]
    text = f"{title} of {len(names):,} classes. Lowest: {'; '.join(ends[:5])}."
    text += f" Highest: {'; '.join(ends[:-4:-1])}." if len(known) > 5 else ""
    return text + said_of(unknown)


def draw_bars(
    ax: Any,
    theme: Theme,
    names: Sequence[str],
    numbers: Sequence[Number],
    unknown: Sequence[tuple[Number, str]] = (),
) -> None:
    """Draw horizontal bars in this order, from the top, each with the ends of its interval.

    What samples without a score may change is the lighter end of a bar, with a mark at the value.
    Undefined values are listed below the bars.
    """
    places = range(len(names))
    colour = theme.series[0]
    sure = [one.value if one.span is None else _nearest(*one.span) for one in numbers]
    ax.barh(places, sure, color=colour, height=0.7)
    for place, one in enumerate(numbers):
        if one.span is not None:
            least, most = one.span
            ax.barh(place, most - least, left=least, color=colour, height=0.7, alpha=LIGHTER)
            ax.vlines(one.value, place - 0.35, place + 0.35, theme.ink, linewidth=1.6)
    lows, highs = [one.low for one in numbers], [one.high for one in numbers]
    for colour, width in ((theme.paper, 4.0), (theme.ink, 1.6)):  # visible on the bar, too
        ax.hlines(places, lows, highs, colour, linewidth=width)
    name_lines(ax, theme, names, unknown)
    ax.grid(axis="x", color=theme.grid, linewidth=0.8)


def _nearest(least: float, most: float) -> float:
    """Return the number between two that is nearest to 0: to there, the bar is sure."""
    return min(max(least, 0.0), most)
