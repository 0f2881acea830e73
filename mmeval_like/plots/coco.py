"""COCO's breakdown: average precision by overlap and by the size of objects, and recall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mmeval_like.plots.bars import draw_bars
from mmeval_like.plots.reading import Number, number_text, span_text
from mmeval_like.plots.style import Theme, dress

__all__ = ["breakdown", "draw_breakdown"]

_ITEMS = {
    "mAP": "precision, mean of overlaps",
    "mAP_50": "precision, overlap 0.50",
    "mAP_75": "precision, overlap 0.75",
    "mAP_s": "precision, small objects",
    "mAP_m": "precision, medium objects",
    "mAP_l": "precision, large objects",
}


def breakdown(numbers: Mapping[str, Number]) -> dict[str, dict[str, Number]]:
    """Return COCO's numbers by their kind, for each evaluated type, "bbox" or "segm".

    Example:
        >>> breakdown({"bbox_mAP": Number(0.5), "bbox_mAP_s": Number(0.25)})["bbox"].keys()
        dict_keys(['precision, mean of overlaps', 'precision, small objects'])
    """
    found: dict[str, dict[str, Number]] = {}
    for task in ("bbox", "segm"):
        known = {
            title: numbers[f"{task}_{item}"]
            for item, title in _ITEMS.items()
            if f"{task}_{item}" in numbers
        }
        if len(known) > 1:
            found[task] = known
    return found


def draw_breakdown(ax: Any, theme: Theme, title: str, numbers: Mapping[str, Number]) -> str:
    """Draw COCO's numbers as bars in their order; return a description.

    A number of -1 means that there are no objects of this kind: it is left out, and the description
    says so.
    """
    dress(ax, theme, title)
    known = {name: one for name, one in numbers.items() if one.is_known and one.value >= 0}
    draw_bars(ax, theme, [*known], [*known.values()])
    ax.set_xlim(0, 1)
    said = [
        f"{name} {number_text(one.value)}{span_text(one)}"
        if name in known
        else f"{name}: no such objects"
        for name, one in numbers.items()
    ]
    return f"{title}. {'; '.join(said)}."
