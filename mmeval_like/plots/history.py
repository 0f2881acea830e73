"""History: the values of several evaluations, such as those after every epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mmeval_like.plots.reading import Number, number_text
from mmeval_like.plots.style import DASHES, MARKS, Theme, clipped, dress

__all__ = ["draw_history"]


def draw_history(
    ax: Any, theme: Theme, title: str, lines: Mapping[str, Sequence[Number | None]]
) -> str:
    """Draw a line for every number over the evaluations, counted from 1; return them in words.

    Args:
        ax: Where to draw.
        theme: The colours.
        title: What the numbers are.
        lines: For every number its values; None where an evaluation has none.
    """
    dress(ax, theme, title)
    said = []
    for number, (name, values) in enumerate(lines.items()):
        colour = theme.series[number % len(theme.series)]
        known = [(at, one) for at, one in enumerate(values, 1) if one is not None and one.is_known]
        if not known:
            continue
        places = [at for at, _ in known]
        ax.plot(
            *(places, [one.value for _, one in known]),
            color=colour,
            linestyle=DASHES[number % len(DASHES)],
            marker=MARKS[number % len(MARKS)],
            markersize=4,
            label=clipped(name),
        )
        lows, highs = [one.low for _, one in known], [one.high for _, one in known]
        ax.fill_between(places, lows, highs, color=colour, alpha=0.18, linewidth=0)
        (first, begin), (last, end) = known[0], known[-1]
        said.append(
            f"{name} from {number_text(begin.value)} at {first} to {number_text(end.value)} at "
            f"{last}, least {number_text(min(one.value for _, one in known))}, largest "
            f"{number_text(max(one.value for _, one in known))}"
        )
    ax.set_xlabel("evaluation")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.grid(color=theme.grid, linewidth=0.8)
    if said:
        ax.legend(loc="best", fontsize=8, frameon=False, labelcolor=theme.ink)
    return f"{title}. {'; '.join(said) or 'No value is defined'}."
