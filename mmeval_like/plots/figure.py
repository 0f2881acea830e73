"""Figures: pictures on axes of pyplot or of the caller, and their descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mmeval_like._base.optional import needed_for
from mmeval_like.plots.choice import Picture, over_time, pictures, plain_numbers
from mmeval_like.plots.style import THEMES, Theme, place, printable, with_glyphs

__all__ = ["alternative", "draw", "on_axes", "one_axes", "theme_of"]


def draw(
    results: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    name: str = "",
    ax: Any = None,
    theme: str = "light",
) -> Any:
    """Draw the result of `compute`, or several results over time.

    `metric.plot()` calls it; the table that maps keys to figures is that of
    [plots](plots.md).

    Args:
        results: The values, or a list of values.
        name: The name of the metric in titles and legends.
        ax: The matplotlib axes to draw the first picture on, or a list of axes, one for every
            picture; None: those of a new figure of pyplot.
        theme: "light", "dark" or "print".

    Returns:
        The matplotlib figure; `alternative` describes it in words.

    Raises:
        ValueError: Nothing in the results can be drawn, the numbers of axes and pictures differ, or
            the theme is unknown.
        ModuleNotFoundError: matplotlib is not installed: `pip install 'mmeval-like[plot]'`.

    Example:
        >>> figure = draw({"recall_classwise": [0.5, 1.0]})
        >>> alternative(figure)
        'recall_classwise of 2 classes. Lowest: 0 0.5; 1 1.'
    """
    if isinstance(results, Mapping):
        found = pictures(results, name) or plain_numbers(results, name)
        given = [*results]
    else:
        found = over_time(results, name)
        given = [*dict.fromkeys(key for one in results for key in one)]
    if not found:
        raise ValueError(f"there is nothing to draw in {', '.join(map(str, given))[:200] or 'it'}")
    return on_axes(found, ax, theme)


def on_axes(found: Sequence[Picture], ax: Any, theme: str) -> Any:
    """Return the figure of one or more pictures; arguments and errors are those of `draw`."""
    colours = theme_of(theme)
    if isinstance(ax, Sequence) and len(ax) != len(found):
        titles = ", ".join(picture.title for picture in found)
        raise ValueError(f"ax must be a list of {len(found)} axes, for {titles}; got {len(ax)}")
    with needed_for("plot", "pip install 'mmeval-like[plot]'"):
        glyphs = with_glyphs()
    with glyphs:
        figure, axes = _axes(found, ax, colours)
        for picture, one in zip(found, axes, strict=False):
            text = printable(picture.drawn(one, colours))
            one.set_label(f"{one.get_label()} {text}".strip())
    return figure


def _axes(found: Sequence[Picture], ax: Any, theme: Theme) -> tuple[Any, list[Any]]:
    """Return the figure, and the axes to draw pictures on: the caller's, or new ones."""
    if isinstance(ax, Sequence):
        return ax[0].figure, [*ax]
    if ax is not None or len(found) == 1:
        figure, one = one_axes(ax, found[0].size, theme)
        return figure, [one]
    width = max(picture.size[0] for picture in found)
    height = max(picture.size[1] for picture in found)
    return place(len(found), (width, height), theme)


def one_axes(ax: Any, size: tuple[float, float], theme: Theme) -> tuple[Any, Any]:
    """Return the figure and the axes to draw on: the caller's, or new ones of pyplot.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    if ax is not None:
        return ax.figure, ax
    with needed_for("plot", "pip install 'mmeval-like[plot]'"):
        figure, [ax] = place(1, size, theme)
    return figure, ax


def theme_of(name: str) -> Theme:
    """Return the theme of a name.

    Raises:
        ValueError: The theme is unknown.
    """
    if name not in THEMES:
        raise ValueError(f"theme must be one of {', '.join(THEMES)}, got {name!r}")
    return THEMES[name]


def alternative(figure: Any) -> str:
    """Return a description of a figure of this package in words and numbers, for screen readers.

    Args:
        figure: What `plot`, `draw` or `residuals` returned.

    Example:
        >>> from mmeval_like import Accuracy
        >>> metric = Accuracy(interval=0.95)
        >>> metric.add([1] * 81 + [0] * 19, [1] * 100)
        >>> alternative(metric.plot())
        'Values. Accuracy top1 0.81 [0.7222, 0.8749].'
    """
    # matplotlib names some axes itself, "<colorbar>".
    return " ".join(label for ax in figure.axes if (label := ax.get_label()) and label[0] != "<")
