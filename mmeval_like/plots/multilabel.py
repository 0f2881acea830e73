"""Confusion of labels that are not mutually exclusive: four cells in a line per class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.plots.confusion import normalized
from mmeval_like.plots.reading import number_text
from mmeval_like.plots.style import HEAT, Theme, clipped, dress, heat_ink

__all__ = ["draw_label_matrices"]

_CELLS = ("absent,\npredicted absent", "absent,\npredicted", "present,\nmissed", "present,\nfound")


def draw_label_matrices(
    ax: Any, theme: Theme, title: str, matrices: np.ndarray, names: Sequence[str], most: int
) -> str:
    """Draw the four cells of every class's matrix in a line; return a description.

    The colour of a cell shows its share of the samples without the label, or with the label; of
    those without or with the prediction, if the columns are normalized. The class with the largest
    share of wrong predictions is at the top.

    Args:
        ax: Where to draw.
        theme: The colours.
        title: The title of the picture.
        matrices: Counts, sums of weights or shares, (C, 2, 2): labels, then predictions.
        names: The names of the C classes.
        most: The largest number of classes that are drawn.
    """
    cells = matrices.reshape(len(matrices), 4)
    totals = matrices.sum(axis=2, keepdims=True, dtype=np.float64)
    shares = np.divide(matrices, totals, out=np.zeros(matrices.shape), where=totals > 0)
    if normalized(matrices) == "prediction":
        shares = matrices
    sums = cells.sum(axis=1, dtype=np.float64)
    wrong = np.divide(cells[:, 1] + cells[:, 2], sums, out=np.zeros(len(cells)), where=sums > 0)
    order = np.argsort(-wrong, kind="stable")
    shown = order[:most]
    some = f"the {most} worst of {len(cells):,} classes" if len(cells) > most else ""
    dress(ax, theme, title, some)
    shares = shares.reshape(len(cells), 4)[shown]
    ax.imshow(shares, cmap=HEAT, vmin=0, vmax=1, interpolation="none", aspect="auto")
    inks = heat_ink(shares.ravel().tolist())
    is_count = matrices.dtype.kind in "iu"
    for place, (value, share) in enumerate(zip(cells[shown].flat, shares.flat, strict=True)):
        number = f"{int(value):,}" if is_count else f"{value:.3g}"
        row, column = divmod(place, 4)
        text = f"{number} ({100 * share:.0f} %)"
        ax.text(column, row, text, ha="center", va="center", color=inks[place], fontsize=8)
    ax.axvline(1.5, color=theme.paper, linewidth=3)
    ax.set_xticks(range(4), _CELLS)
    ax.set_yticks(range(len(shown)), [clipped(names[place]) for place in shown])
    ax.set_xlabel("true label and predicted label (brighter: a larger share)")
    if not sums.any():
        return f"{title} of {len(cells):,} classes: no samples."
    said = "; ".join(
        f"{names[at]} {100 * wrong[at]:.1f} % ({number_text(cells[at, 2].item())} missed, "
        f"{number_text(cells[at, 1].item())} predicted where absent)"
        for at in order[:5]
    )
    what = "Largest mean share of wrong ones" if normalized(matrices) else "Most often wrong"
    return f"{title} of {len(cells):,} classes. {what}: {said}."
