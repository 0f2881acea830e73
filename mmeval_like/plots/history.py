"""History: the values of several evaluations, such as those after every epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mmeval_like.plots.reading import Number, number_text, span_text
from mmeval_like.plots.style import DASHES, LIGHTER, MARKS, Theme, add_legend, clipped, dress

__all__ = ["draw_history"]


def draw_history(
    ax: Any,
    theme: Theme,
    title: str,
    lines: Mapping[str, Sequence[Number | None]],
    times: Sequence[datetime] | None = None,
) -> str:
    """Draw a line for every number over the evaluations; return a description.

    What samples without a score may change is a lighter line at the evaluation.

    Args:
        ax: Where to draw.
        theme: The colours.
        title: The name of the numbers.
        lines: The values of every number; None where an evaluation lacks the number.
        times: When the evaluations were made; if None, they are numbered from 1.
    """
    dress(ax, theme, title)
    said = []
    for number, (name, values) in enumerate(lines.items()):
        colour = theme.series[number % len(theme.series)]
        every: Any = enumerate(values, 1) if times is None else zip(times, values, strict=True)
        known = [(at, one) for at, one in every if one is not None and one.is_known]
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
        for at, one in known:
            if one.span is not None:
                ax.vlines(at, *one.span, colour, linewidth=6, alpha=LIGHTER)
        (first, begin), (last, end) = known[0], known[-1]
        least, largest = (number_text(of(one.value for _, one in known)) for of in (min, max))
        spans = [f"{_said(at)}{span_text(one)}" for at, one in known if one.span is not None]
        said.append(
            f"{name} from {number_text(begin.value)} at {_said(first)} to "
            f"{number_text(end.value)} at {_said(last)}, least {least}, largest {largest}"
            + (f", with any scores at {', at '.join(spans)}" if spans else "")
        )
    if times is None:
        ax.set_xlabel("evaluation")
        ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    else:
        ax.set_xlabel("time")
        ax.tick_params(axis="x", labelrotation=30)
    ax.grid(color=theme.grid, linewidth=0.8)
    if said:
        add_legend(ax, theme)
    return f"{title}. {'; '.join(said) or 'No value is defined'}."


def _said(at: int | datetime) -> str:
    return at.isoformat(" ", "minutes") if isinstance(at, datetime) else str(at)
