"""Reliability diagram: how often predictions with a given confidence come true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like.plots.reading import number_text
from mmeval_like.plots.style import Theme, dress

__all__ = ["draw_reliability"]


def draw_reliability(ax: Any, theme: Theme, title: str, values: Mapping[str, Any]) -> str:
    """Draw the observed frequency against the mean confidence of bins; return a description.

    The area of a dot is the bin's share of the samples. Dots below the diagonal are bins whose
    predictions are too confident.

    Args:
        ax: Where to draw.
        theme: The colours.
        title: The title of the picture.
        values: The arrays `accuracy`, `confidence` and `count`, with an entry for each bin.
    """
    right, sure = np.asarray(values["accuracy"], float), np.asarray(values["confidence"], float)
    count = np.asarray(values["count"], float)
    filled = count > 0
    right, sure, count = right[filled], sure[filled], count[filled]
    dress(ax, theme, title)
    ax.set(xlabel="mean confidence of a bin", ylabel="observed frequency")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.set_aspect("equal")
    ax.grid(color=theme.grid, linewidth=0.8)
    ax.plot([0, 1], [0, 1], color=theme.muted, linewidth=1, dashes=(1, 2))
    if not len(count):
        return f"{title}: no samples."
    shares = count / count.sum()
    ax.vlines(sure, np.minimum(right, sure), np.maximum(right, sure), theme.series[1], linewidth=1)
    ax.plot(sure, right, color=theme.series[0], linewidth=1.2)
    # Not clipped, so that a dot at an end of the scale is whole.
    ax.scatter(sure, right, s=12 + 300 * shares, color=theme.series[0], zorder=3, clip_on=False)
    gap = float((shares * np.abs(right - sure)).sum())
    worst = int(np.argmax(np.abs(right - sure)))
    bins = f"{len(count)} bin{'s' * (len(count) != 1)}"
    return (
        f"{title} of {bins} with samples. In the most confident bin, with a mean confidence of "
        f"{number_text(float(sure[-1]))}, the observed frequency is "
        f"{number_text(float(right[-1]))}. The largest gap is at a confidence of "
        f"{number_text(float(sure[worst]))}, where the observed frequency is "
        f"{number_text(float(right[worst]))}; the mean gap is {number_text(gap)}."
    )
