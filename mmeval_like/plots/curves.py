"""Curves: ROC, precision and recall, and error tradeoff; one or several per picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mmeval_like.plots.style import DASHES, Theme, add_legend, clipped, dress

__all__ = ["CURVES", "Curve", "draw_curves"]

_MOST = 6  # curves that remain distinguishable in one figure
_POINTS = 400  # points of a curve: more than a screen can show


class Curve(NamedTuple):
    """A kind of curve: the arrays of its axes, their names, and the line of chance.

    Attributes:
        x: The key of the horizontal values.
        y: The key of the vertical values.
        title: The name of the kind.
        x_label: The label of the horizontal axis.
        y_label: The label of the vertical axis.
        chance: The two ends of the line of guessing; None: no line.
        area: The name of the area under the whole curve; "": it has no name.
    """

    x: str
    y: str
    title: str
    x_label: str
    y_label: str
    chance: tuple[tuple[float, float], tuple[float, float]] | None
    area: str


CURVES = (
    Curve(
        *("fpr", "tpr", "ROC", "false positive rate", "true positive rate"),
        ((0, 1), (0, 1)),
        "AUC",
    ),
    Curve("recall", "precision", "Precision and recall", "recall", "precision", None, "AP"),
    Curve(
        *("fpr", "fnr", "Error tradeoff", "false positive rate", "false negative rate"),
        ((0, 1), (1, 0)),
        "",
    ),
)


def draw_curves(
    ax: Any,
    theme: Theme,
    title: str,
    kind: Curve,
    values: Mapping[str, Any],
    names: Sequence[str],
) -> str:
    """Draw one or several curves, added to existing ones; return a description of them.

    Only the first six curves are drawn, and the description says so.

    Args:
        ax: Where to draw; axes of an earlier call get more curves.
        theme: The colours.
        title: The title of the axes.
        kind: The kind of curve.
        values: The arrays by key, or lists with an array for every curve. With `error_bound`,
            points are left out of the curve, and the area under the others is approximate.
        names: The name of every curve.
    """
    several = isinstance(values[kind.y], list)
    pairs = [
        (np.asarray(x, float), np.asarray(y, float))
        for x, y in zip(
            values[kind.x] if several else [values[kind.x]],
            values[kind.y] if several else [values[kind.y]],
            strict=True,
        )
    ]
    about = "≈ " if "error_bound" in values else ""
    earlier = [line for line in ax.get_lines() if line.get_gid() == "curve"]
    if not earlier:
        dress(ax, theme, title)
        ax.set(xlabel=kind.x_label, ylabel=kind.y_label, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        ax.set_aspect("equal")
        ax.grid(color=theme.grid, linewidth=0.8)
        if kind.chance is not None:
            ax.plot(*kind.chance, color=theme.muted, linewidth=1, dashes=(1, 2))
    said = []
    for place, ((x, y), name) in enumerate(zip(pairs[:_MOST], names, strict=False), len(earlier)):
        number = _number(kind, x, y, about)
        ax.plot(
            *_fewer(x, y),
            color=theme.series[place % len(theme.series)],
            linestyle=DASHES[place % len(DASHES)],
            linewidth=1.8,
            label=_label(name, number),
            drawstyle="steps-pre" if kind.y == "precision" else "default",
            gid="curve",
        )
        points = f"{len(x):,} points"
        said.append(f"{name or 'the curve'}: {', '.join([*[number] * bool(number), points])}")
    more = f"{len(pairs) - _MOST:,} more are not drawn" if len(pairs) > _MOST else ""
    add_legend(ax, theme, more)
    text = f"{title}, {kind.y_label} against {kind.x_label}. {'; '.join(said)}."
    return f"{text} {more}." if more else text


def _label(name: str, number: str) -> str:
    """Return the legend's text for a curve."""
    shown = clipped(name) if name else "curve"
    return f"{shown} ({number})" if number else shown


def _number(kind: Curve, x: np.ndarray, y: np.ndarray, about: str) -> str:
    """Return the area under a curve with its name: from trapezia, or from steps of precision.

    It is "" for part of a curve, and for a curve whose area has no name. The area is undefined for
    a single point, as without samples.
    """
    if not kind.area:
        return ""
    if len(x) < 2 or np.isnan(x).any() or np.isnan(y).any():
        return f"{kind.area} undefined"
    if x.min() > 0 or x.max() < 1:
        return ""
    widths = np.abs(np.diff(x))
    heights = y[:-1] if kind.y == "precision" else (y[:-1] + y[1:]) / 2
    return f"{kind.area} {about}{math.fsum((widths * heights).tolist()):.3f}"


def _fewer(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return at most as many points of a curve as a screen can show, at about equal steps."""
    if len(x) <= _POINTS:
        return x, y
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    wanted = np.linspace(0, way[-1], _POINTS)
    kept = np.unique(np.concatenate([[0, len(x) - 1], np.searchsorted(way, wanted)]))
    kept = kept[kept < len(x)]
    return x[kept], y[kept]
