"""Undefined numbers, which a picture names below those that it can draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like.plots.reading import Number, number_text, span_text
from mmeval_like.plots.style import Theme, clipped

__all__ = ["name_lines", "said_of", "sort_out"]

_MOST = 5  # lines of a picture, and names in words


def sort_out(
    names: Sequence[str], numbers: Sequence[Number]
) -> tuple[list[tuple[Number, str]], list[tuple[Number, str]]]:
    """Return the numbers that can be drawn, and the others, each with its name.

    Example:
        >>> known, unknown = sort_out(["a", "b"], [Number(0.5), Number(float("nan"))])
        >>> known[0][1], unknown[0][1]
        ('a', 'b')
    """
    pairs = [(one, name) for one, name in zip(numbers, names, strict=True)]
    return [p for p in pairs if p[0].is_known], [p for p in pairs if not p[0].is_known]


def name_lines(
    ax: Any, theme: Theme, names: Sequence[str], unknown: Sequence[tuple[Number, str]]
) -> None:
    """Name the lines of a picture from the top: the drawn lines, then undefined numbers.

    Args:
        ax: The axes on which the lines were drawn, at the heights 0, 1, 2 and so on.
        theme: The colours.
        names: The names of the lines that were drawn.
        unknown: The undefined numbers; if there are more than five, the last line gives the number
            of the others.
    """
    labels = [clipped(name) for name in names]
    if not names:
        ax.set_xticks([])
    for one, name in unknown[:_MOST]:
        _say(ax, theme, len(labels), _text(one))
        labels.append(clipped(name))
    if len(unknown) > _MOST:
        _say(ax, theme, len(labels), "not drawn")
        labels.append(f"{len(unknown) - _MOST:,} more")
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(max(len(labels), 1) - 0.5, -0.5)


def said_of(unknown: Sequence[tuple[Number, str]]) -> str:
    """Return the undefined numbers in words; empty if there are none.

    Example:
        >>> said_of([(Number(float("nan")), "owl"), (Number(float("inf")), "cat")])
        ' Not drawn: owl undefined; cat inf.'
    """
    if not unknown:
        return ""
    said = [f"{name} {_text(one)}" for one, name in unknown[:_MOST]]
    more = [f"{len(unknown) - _MOST:,} more"] if len(unknown) > _MOST else []
    return f" Not drawn: {'; '.join([*said, *more])}."


def _text(one: Number) -> str:
    return (number_text(one.value) or "none") + span_text(one)


def _say(ax: Any, theme: Theme, line: int, text: str) -> None:
    """Write a text at the left end of a line."""
    where = ax.get_yaxis_transform()  # x in shares of the axes' width
    ax.text(0.01, line, text, transform=where, va="center", fontsize=8, color=theme.muted)
