"""Dots with intervals: numbers of slices and of all samples, or differences of two systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like.plots.reading import Number, number_text, span_text
from mmeval_like.plots.style import LIGHTER, Theme, dress
from mmeval_like.plots.unknown import name_lines, said_of, sort_out

__all__ = ["draw_dots", "shortened"]

_MOST = 40  # lines of a picture: more would be illegible


def draw_dots(
    ax: Any,
    theme: Theme,
    title: str,
    names: Sequence[str],
    numbers: Sequence[Number],
    whole: Number | None = None,
    sort: bool = True,
    line: str = "The whole is",
) -> str:
    """Draw a dot for every number, on the line of its interval; return a description.

    What samples without a score may change is a lighter line behind the dot.

    Args:
        ax: Where to draw.
        theme: The colours.
        title: The name of the numbers.
        names: The name of each number.
        numbers: The numbers; undefined numbers are named below the others.
        whole: The reference, drawn as a line from top to bottom.
        sort: Whether the least number is at the top; if not, numbers keep their order.
        line: What the description says of the reference.
    """
    known, unknown = sort_out(names, numbers)
    if sort:
        known.sort(key=lambda pair: pair[0].value)
    shown, some = known, ""
    if len(known) > _MOST:
        half = _MOST // 2
        shown = [*known[:half], *known[-half:]]
        some = f"the {half} lowest and the {half} highest of {len(known):,}"
    dress(ax, theme, title, some)
    if whole is not None and whole.is_known:
        ax.axvline(whole.value, color=theme.muted, linewidth=1, dashes=(4, 2))
        if whole.low == whole.low:
            ax.axvspan(whole.low, whole.high, color=theme.muted, alpha=0.15, linewidth=0)
    for at, (one, _) in enumerate(shown):
        if one.span is not None:
            ax.hlines(at, *one.span, theme.series[0], linewidth=8, alpha=LIGHTER)
    lows, highs = [one.low for one, _ in shown], [one.high for one, _ in shown]
    ax.hlines(range(len(shown)), lows, highs, theme.series[0], linewidth=2)
    ax.plot([one.value for one, _ in shown], range(len(shown)), "o", color=theme.series[0])
    name_lines(ax, theme, [name for _, name in shown], unknown)
    ax.grid(axis="x", color=theme.grid, linewidth=0.8)
    said = shortened([f"{name} {_words(one)}" for one, name in known])
    beside = f" {line} {_words(whole)}." if whole is not None and whole.is_known else ""
    text = f"{title}. {'; '.join(said)}." if said else f"{title}: no value is defined."
    return text + said_of(unknown) + beside


def shortened(said: Sequence[str]) -> list[str]:
    """Return a list for a description; of more than ten entries, the first and the last five."""
    if len(said) <= 10:
        return [*said]
    return [*said[:5], f"{len(said) - 10} more", *said[-5:]]


def _words(one: Number) -> str:
    between = f" [{number_text(one.low)}, {number_text(one.high)}]" if one.low == one.low else ""
    return f"{number_text(one.value)}{between}{span_text(one)}"
