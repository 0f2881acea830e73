"""Log: the numbers of records over time, with a ring around each real change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like.plots.choice import Picture
from mmeval_like.plots.figure import on_axes
from mmeval_like.plots.history import draw_history
from mmeval_like.plots.reading import Number
from mmeval_like.plots.style import Theme

__all__ = ["log"]


def log(lines: Any, *, ax: Any = None, theme: str = "light") -> Any:
    """Draw the result of `record_log`: a picture for every metric, without slices.

    Args:
        lines: The data frame, or its lines as dicts.
        ax: The matplotlib axes to draw on, or a list of axes, one for every metric; None: those of
            a new figure of pyplot.
        theme: "light", "dark" or "print".

    Returns:
        The matplotlib figure; `alternative` describes it in words.

    Raises:
        ValueError: There are no lines, a time is invalid, the numbers of axes and metrics differ,
            or the theme is unknown.
        ModuleNotFoundError: matplotlib is not installed: `pip install 'mmeval-like[plot]'`.

    Example:
        >>> from mmeval_like.plots import alternative
        >>> line = {"slice": "all", "metric": "a", "number": "top1", "verdict": "real"}
        >>> line |= {"time": "2026-01-03T10:00:00+00:00", "value": 0.5, "low": 0.4, "high": 0.6}
        >>> alternative(log([line])).partition(", least")[0]
        'a over time. top1 from 0.5 at 2026-01-03 10:00+00:00 to 0.5 at 2026-01-03 10:00+00:00'
    """
    listed = lines if isinstance(lines, Sequence) else lines.to_dict("records")
    of_metrics: dict[str, list[Mapping[str, Any]]] = {}
    for line in listed:
        if line["slice"] == WHOLE:
            of_metrics.setdefault(line["metric"], []).append(line)
    if not of_metrics:
        raise ValueError("there is nothing to draw: no line is about all samples")
    pictures = [
        Picture(f"{name} over time", (6.0, 4.0), partial(_draw, f"{name} over time", some))
        for name, some in of_metrics.items()
    ]
    return on_axes(pictures, ax, theme)


def _draw(title: str, lines: Sequence[Mapping[str, Any]], ax: Any, theme: Theme) -> str:
    """Draw the numbers of one metric, and return a description."""
    times = [datetime.fromisoformat(text) for text in dict.fromkeys(one["time"] for one in lines)]
    numbers: dict[str, list[Number | None]] = {}
    real: list[tuple[datetime, float, str]] = []
    for line in lines:
        at = datetime.fromisoformat(line["time"])
        values = numbers.setdefault(line["number"], [None] * len(times))
        values[times.index(at)] = Number(line["value"], line["low"], line["high"])
        if line["verdict"] == "real":
            real.append((at, line["value"], line["number"]))
    text = draw_history(ax, theme, title, numbers, times)
    if real:
        ax.plot(
            *([at for at, *_ in real], [value for _, value, _ in real], "o"),
            markersize=11,
            fillstyle="none",
            color=theme.ink,
        )
        named = ", ".join(f"{number} at {at.isoformat(' ', 'minutes')}" for at, _, number in real)
        text += f" Really another one: {named}."
    return text
