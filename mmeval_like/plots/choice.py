"""The choice of pictures for a result, by the keys of its values, for any metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from mmeval_like._base.account import Account
from mmeval_like._base.keys import WHOLE
from mmeval_like.plots.bars import MOST, bars
from mmeval_like.plots.coco import breakdown, draw_breakdown
from mmeval_like.plots.confusion import draw_confusions, draw_matrix, name_of
from mmeval_like.plots.curves import CURVES, draw_curves
from mmeval_like.plots.dots import draw_dots, shortened
from mmeval_like.plots.history import draw_history
from mmeval_like.plots.multilabel import draw_label_matrices
from mmeval_like.plots.reading import Number, Part, Slice, read
from mmeval_like.plots.reliability import draw_reliability
from mmeval_like.plots.style import Theme, add_note

__all__ = ["Picture", "over_time", "pictures", "plain_numbers"]

_CELLS = 8  # with more classes, the confusions are also shown as bars
_SQUARE = (5.2, 4.8)


@dataclass(frozen=True)
class Picture:
    """A picture that can be drawn.

    Attributes:
        title: The title of the picture.
        size: Its width and height, in inches.
        draw: A function that draws it on axes in the colours of a theme, and returns a description.
        accounts: By slice the account of the samples, all samples first, of those slices with
            samples that have no score.
    """

    title: str
    size: tuple[float, float]
    draw: Callable[[Any, Theme], str]
    accounts: Mapping[str, Account] = field(default_factory=dict)

    def drawn(self, ax: Any, theme: Theme) -> str:
        """Draw the picture, with a note about samples without a score; return a description."""
        text = self.draw(ax, theme)
        if not self.accounts:
            return text
        said = [f"{name}: " * (name != WHOLE) + one.said() for name, one in self.accounts.items()]
        add_note(ax, theme, said[0] if WHOLE in self.accounts else "; ".join(said))
        return f"{text} {' '.join(f'{one}.' for one in shortened(said))}"


def pictures(result: Mapping[str, Any], name: str = "") -> list[Picture]:
    """Return the pictures that show more of a result than its numbers, the main one first.

    | keys of a metric's values                  | picture                                        |
    |--------------------------------------------|------------------------------------------------|
    | `confusion_matrix`, (C, C)                 | the matrix; for many classes also what is      |
    |                                            | confused most                                  |
    | `confusion_matrix`, (C, 2, 2)              | a line of four cells for every label           |
    | `fpr` and `tpr`                            | the ROC curve                                  |
    | `precision`, `recall` and `thresholds`     | the curve of precision and recall              |
    | `fpr` and `fnr`                            | the error tradeoff                             |
    | `accuracy`, `confidence` and `count`       | the reliability diagram                        |
    | `bbox_mAP`, `bbox_mAP_s` and the like      | COCO's breakdown by overlap and size           |
    | a list with a number for every class       | bars                                           |
    | slices                                     | a dot with its interval for every slice        |
    | `{key}_difference`, of two systems         | the difference with its interval, by slice     |

    Args:
        result: What `compute` returned.
        name: The name of the metric, if it is not in a collection.
    """
    slices = read(result, name)
    found = [
        replace(picture, accounts=_accounts(slices[:1], part.metric))
        for part in slices[0].parts
        for picture in _of_part(part)
    ]
    compared = [*_compared(slices)]
    return compared or [*found, *_of_slices(slices)]


def plain_numbers(result: Mapping[str, Any], name: str = "") -> list[Picture]:
    """Return the picture of the numbers themselves, for a result without another picture."""
    whole = read(result, name)[0]
    numbers = {
        part.title(key): one
        for part in whole.parts
        for key, one in part.numbers.items()
        if isinstance(one.value, int | float)
    }
    if not numbers:
        return []
    return [replace(_dots("Values", numbers, sort=False), accounts=_accounts([whole]))]


def over_time(results: Sequence[Mapping[str, Any]], name: str = "") -> list[Picture]:
    """Return a picture for every metric: its numbers of all samples over several evaluations."""
    every = [{part.metric: part for part in read(one, name)[0].parts} for one in results]
    metrics = dict.fromkeys(metric for parts in every for metric in parts)
    found = []
    for metric in metrics:
        lines: dict[str, list[Number | None]] = {}
        for at, parts in enumerate(every):
            numbers = parts[metric].numbers if metric in parts else {}
            for key, one in numbers.items():
                if one.is_known:
                    lines.setdefault(key, [None] * len(every))[at] = one
        if lines:
            accounts = {
                f"evaluation {at}": account
                for at, parts in enumerate(every, 1)
                if metric in parts
                and (account := parts[metric].account) is not None
                and account.unscored
            }
            title = f"{metric or 'Values'} over {len(every)} evaluation{'s' * (len(every) > 1)}"
            draw = partial(draw_history, title=title, lines=lines)
            found.append(Picture(title, (6.0, 4.0), draw, accounts))
    return found


def _accounts(slices: Sequence[Slice], metric: str | None = None) -> dict[str, Account]:
    """Return by slice the account of a metric's samples, where samples have no score.

    Args:
        slices: The slices.
        metric: The name of the metric; None: any metric of the slice.
    """
    found = {}
    for one in slices:
        part = one if metric is None else one.part(metric)
        if part is not None and part.account is not None and part.account.unscored:
            found[one.name] = part.account
    return found


def _of_part(part: Part) -> Iterator[Picture]:
    """Yield the pictures of one metric's values."""
    values, name = part.values, part.metric
    matrix = values.get("confusion_matrix")
    if isinstance(matrix, np.ndarray) and matrix.ndim == 2:
        title, names = name or "Confusion matrix", part.names(len(matrix))
        drawing = partial(draw_matrix, title=title, matrix=matrix, names=names)
        yield Picture(title, _SQUARE if len(matrix) < 12 else (6.6, 6.2), drawing)
        if len(matrix) > _CELLS:
            title = name_of(matrix)
            drawing = partial(draw_confusions, title=title, matrix=matrix, names=names)
            yield Picture(title, (6.0, 4.6), drawing)
        return
    if isinstance(matrix, np.ndarray) and matrix.shape[1:] == (2, 2):
        title, names = name or "Confusion of labels", part.names(len(matrix))
        drawing = partial(draw_label_matrices, title=title, matrices=matrix, names=names, most=MOST)
        yield Picture(title, (6.6, _height(min(len(matrix), MOST)) + 0.4), drawing)
        return
    for kind in CURVES:
        if {kind.x, kind.y, "thresholds"} <= values.keys():
            several = isinstance(values[kind.y], list)
            names = part.names(len(values[kind.y])) if several else [name]
            title = kind.title
            drawing = partial(draw_curves, title=title, kind=kind, values=values, names=names)
            yield Picture(title, _SQUARE, drawing)
            return
    if {"accuracy", "confidence", "count"} <= values.keys():
        title = name or "Reliability diagram"
        yield Picture(title, _SQUARE, partial(draw_reliability, title=title, values=values))
        return
    for task, numbers in breakdown(part.numbers).items():
        title = f"{task}: precision by overlap and size"
        yield Picture(title, (6.6, 3.2), partial(draw_breakdown, title=title, numbers=numbers))
    for key, entries in part.by_class.items():
        title, names = part.title(key), part.names(len(entries))
        drawing = partial(bars, title=title, names=names, numbers=entries)
        yield Picture(title, (6.0, _height(min(len(entries), MOST))), drawing)


def _of_slices(slices: Sequence[Slice]) -> Iterator[Picture]:
    """Yield the picture of the slices of every number."""
    if len(slices) < 2:
        return
    for part in slices[0].parts:
        for key, whole in part.numbers.items():
            if isinstance(whole.value, str):
                continue
            known = {one.name: one.number(part.metric, key) for one in slices[1:]}
            found = {name: number for name, number in known.items() if number is not None}
            if not found:  # a member of a collection without slices
                continue
            value = part.metric if part.metric and len(part.numbers) == 1 else part.title(key)
            column, found = _by_column(found)
            picture = _dots(f"{value} by {column}", found, whole)
            yield replace(picture, accounts=_accounts(slices, part.metric))


def _by_column(found: dict[str, Number]) -> tuple[str, dict[str, Number]]:
    """Return the column of all slices, and the numbers by its values; or "slice", unchanged.

    Example:
        >>> _by_column({"digit=8": Number(0.5), "digit=9": Number(0.25)})[0]
        'digit'
    """
    pairs = [name.partition("=") for name in found]
    columns = {column for column, _, _ in pairs}
    values = [value for _, _, value in pairs]
    if len(columns) > 1 or not all(values) or any("," in value for value in values):
        return "slice", found
    return columns.pop(), dict(zip(values, found.values(), strict=True))


def _compared(slices: Sequence[Slice]) -> Iterator[Picture]:
    """Yield the picture of the difference of two systems for every number."""
    for part in slices[0].parts:
        for key in part.numbers:
            base = key.removesuffix("_difference")
            if base == key or not {f"{base}_a", f"{base}_b"} <= part.numbers.keys():
                continue
            known = {one.name: one.number(part.metric, key) for one in slices}
            found = {name: number for name, number in known.items() if number is not None}
            picture = _dots(f"{base}: B - A", found, Number(0), sort=False, line="The line is at")
            yield replace(picture, accounts=_accounts(slices, part.metric))


def _dots(
    title: str,
    found: Mapping[str, Number],
    whole: Number | None = None,
    sort: bool = True,
    line: str = "The whole is",
) -> Picture:
    draw = partial(draw_dots, title=title, names=[*found], numbers=[*found.values()], whole=whole)
    draw = partial(draw, sort=sort, line=line)
    return Picture(title, (6.0, _height(min(len(found), MOST))), draw)


def _height(lines: int) -> float:
    return 1.3 + 0.24 * lines
