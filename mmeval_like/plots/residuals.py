"""Residuals: the errors of predicted numbers, over the predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.arrays import as_floats
from mmeval_like.plots.figure import one_axes, theme_of
from mmeval_like.plots.reading import number_text
from mmeval_like.plots.style import HEAT, Theme, dress

__all__ = ["residuals"]

_DOTS = 5_000  # with more samples, the picture shows the number of samples in each cell


def residuals(
    predictions: Any, targets: Any, *, ax: Any = None, name: str = "", theme: str = "light"
) -> Any:
    """Draw prediction - target over the prediction, for given samples.

    No metric keeps all residuals, so this function takes arrays, for instance those of one rank or
    gathered ones. With more than 5,000 samples, the brightness of a cell shows the number of its
    samples.

    Args:
        predictions: Numbers, (N,).
        targets: Numbers, (N,).
        ax: The matplotlib axes to draw on; None: those of a new figure of pyplot.
        name: The name in the title.
        theme: "light", "dark" or "print".

    Returns:
        The matplotlib figure; `mmeval_like.plots.alternative` has it in words.

    Raises:
        ValueError: A shape does not fit, there are no samples, a number is not finite, or the theme
            is unknown.
        ModuleNotFoundError: matplotlib is not installed: `pip install 'mmeval-like[plot]'`.

    Example:
        >>> figure = residuals([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
        >>> figure.axes[0].get_ylabel()
        'prediction - target'
    """
    found = [as_floats(predictions, "predictions"), as_floats(targets, "targets")]
    if found[0].ndim != 1 or found[0].shape != found[1].shape or not len(found[0]):
        shapes = " and ".join(str(values.shape) for values in found)
        raise ValueError(f"predictions and targets must be (N,) with N of at least 1, got {shapes}")
    if not all(np.isfinite(values).all() for values in found):
        raise ValueError("predictions and targets must be finite, got nan or infinity")
    figure, axes = one_axes(ax, (6.0, 4.2), theme_of(theme))
    text = _draw(axes, theme_of(theme), f"Residuals {name}".strip(), found[0], found[0] - found[1])
    axes.set_label(f"{axes.get_label()} {text}".strip())
    return figure


def _draw(ax: Any, theme: Theme, title: str, predictions: np.ndarray, off: np.ndarray) -> str:
    dress(ax, theme, title)
    if len(off) > _DOTS:
        counts, across, up = np.histogram2d(predictions, off, bins=80)
        counts[counts == 0] = np.nan
        ax.pcolormesh(across, up, counts.T, cmap=HEAT, norm="log", rasterized=True)
    else:
        size = 12 if len(off) > 100 else 36
        ax.scatter(predictions, off, s=size, alpha=0.6, color=theme.series[0], linewidth=0)
    ax.axhline(0, color=theme.muted, linewidth=1)
    ax.set(xlabel="prediction", ylabel="prediction - target")
    middle = float(np.median(off))
    low, high = np.quantile(off, [0.05, 0.95], method="inverted_cdf").tolist()  # of samples
    return (
        f"{title} of {len(off):,} samples: the mean is {number_text(float(off.mean()))}, the "
        f"median {number_text(middle)}; at least nine of ten lie from {number_text(low)} to "
        f"{number_text(high)}; the farthest is {number_text(float(off[np.abs(off).argmax()]))}."
    )
