"""Confusion matrices: the predicted classes of each label, for 2 to 1,000 classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.plots.bars import draw_bars
from mmeval_like.plots.reading import Number, number_text
from mmeval_like.plots.style import HEAT, Theme, clipped, dress, heat_ink

__all__ = ["confusions", "draw_confusions", "draw_matrix", "name_of", "normalized"]

_BOTH = 8  # up to this many classes a cell has its count and its share
_TEXT = 20  # up to this many classes a cell has its share
_PIXELS = 250  # cells on a side: with more classes, several share a cell


def normalized(matrix: np.ndarray) -> str:
    """Return what each row or column is a share of: "label", "prediction"; empty: counts or sums.

    Example:
        >>> normalized(np.array([[0.9, 0.1], [0.0, 1.0]])), normalized(np.array([[9, 1], [0, 1]]))
        ('label', '')
    """
    if matrix.dtype.kind != "f":
        return ""
    for axis, name in ((-1, "label"), (-2, "prediction")):
        sums = matrix.sum(axis=axis)
        if sums.any() and np.all((sums == 0) | np.isclose(sums, 1, rtol=0, atol=1e-9)):
            return name
    return ""


def name_of(matrix: np.ndarray) -> str:
    """Return what the largest entries off the diagonal are: only counts tell what is frequent."""
    return "Most frequent confusions" if matrix.dtype.kind in "iu" else "Largest confusions"


def draw_matrix(ax: Any, theme: Theme, title: str, matrix: np.ndarray, names: Sequence[str]) -> str:
    """Draw a matrix of labels (rows) and predictions (columns); return a description.

    The colour of a cell shows its share of its label's samples, or of its prediction's if the
    columns are normalized; if no numbers are written, the root of the share, so that small shares
    are visible, with a colour bar. With more classes than the picture has cells, a cell shows the
    largest share of the classes that it covers.

    Args:
        ax: Where to draw.
        theme: The colours.
        title: The title of the picture.
        matrix: Counts, sums of weights or shares, (C, C).
        names: The names of the C classes.
    """
    count = len(matrix)
    totals = matrix.sum(axis=1, keepdims=True, dtype=np.float64)
    shares = np.divide(matrix, totals, out=np.zeros(matrix.shape), where=totals > 0)
    of = normalized(matrix)
    if of == "prediction":
        shares = matrix
    dress(ax, theme, title)
    cells = _fewer(shares) if count > _PIXELS else shares
    edge = count - 0.5
    image = ax.imshow(
        cells if count <= _TEXT else np.sqrt(cells),
        cmap=HEAT,
        vmin=0,
        vmax=1,
        interpolation="none",
        extent=(-0.5, edge, edge, -0.5),
    )
    if count <= _TEXT:
        _write(ax, matrix, shares)
    else:
        _add_scale(ax, theme, image, "predicted" if of == "prediction" else "true")
    step = max(1, -(-count // 25))
    places = range(0, count, step)
    labels = [clipped(names[place], 14) for place in places]
    ax.set_xticks(places, labels, rotation=90 if count > 4 else 0)
    ax.set_yticks(places, labels)
    ax.set_xlabel("predicted label")
    ax.set_ylabel("true label")
    total = float(totals.sum())
    if not total:
        return f"{title} of {count:,} classes: no samples."
    right = float(np.trace(matrix)) / total
    pairs = "; ".join(
        f"{pair}: {number_text(one.value)}" for pair, one in confusions(matrix, names)
    )
    said = f" {name_of(matrix)}, label as prediction: {pairs}." if pairs else ""
    where = f"On the diagonal, the mean share of a {of} that is" if of else "On the diagonal,"
    return f"{title} of {count:,} classes. {where} right: {100 * right:.1f} %.{said}"


def confusions(matrix: np.ndarray, names: Sequence[str], most: int = 5) -> list[tuple[str, Number]]:
    """Return the largest off-diagonal entries in descending order, named by both classes.

    Example:
        >>> [(name, one.value) for name, one in confusions(np.array([[5, 2], [0, 1]]), "ab")]
        [('a as b', 2)]
    """
    wrong = matrix.copy()
    np.fill_diagonal(wrong, 0)
    flat = wrong.ravel()
    most = min(most, int(np.count_nonzero(flat > 0)))
    if not most:
        return []
    least = np.partition(flat, len(flat) - most)[len(flat) - most]
    candidates = np.flatnonzero((flat >= least) & (flat > 0))  # in a tie, the first
    order = candidates[np.lexsort((candidates, -flat[candidates]))][:most]
    rows, columns = np.divmod(order, len(matrix))
    return [
        (f"{names[row]} as {names[column]}", Number(flat[place].item()))
        for row, column, place in zip(rows, columns, order, strict=True)
    ]


def draw_confusions(
    ax: Any, theme: Theme, title: str, matrix: np.ndarray, names: Sequence[str]
) -> str:
    """Draw the 15 most frequent confusions as bars; return a description."""
    found = confusions(matrix, [clipped(name, 16) for name in names], 15)
    dress(ax, theme, title)
    draw_bars(ax, theme, [name for name, _ in found], [one for _, one in found])
    if not found:
        return f"{title}: there are none."
    said = "; ".join(f"{name}: {number_text(one.value)}" for name, one in found)
    return f"{title}, label as prediction: {said}."


def _add_scale(ax: Any, theme: Theme, image: Any, which: str) -> None:
    """Add the colour bar for the shares of the samples of the true or the predicted label."""
    scale = ax.figure.colorbar(image, ax=ax, shrink=0.8, ticks=np.sqrt([0, 0.01, 0.1, 0.5, 1]))
    scale.ax.set_yticklabels(["0 %", "1 %", "10 %", "50 %", "100 %"])
    scale.ax.tick_params(colors=theme.muted, labelsize=8)
    scale.set_label(f"share of the {which} label's samples", color=theme.ink)
    scale.outline.set_edgecolor(theme.grid)


def _write(ax: Any, matrix: np.ndarray, shares: np.ndarray) -> None:
    """Write the number into every cell that is not 0."""
    small = len(matrix) <= _BOTH
    inks = heat_ink(shares.ravel().tolist())
    is_count = matrix.dtype.kind in "iu"
    for place, (value, share) in enumerate(zip(matrix.flat, shares.flat, strict=True)):
        if not value and not small:
            continue
        percent = f"{100 * share:.0f} %" if small else f"{100 * share:.0f}"
        number = f"{int(value):,}" if is_count else f"{value:.3g}"
        row, column = divmod(place, len(matrix))
        ax.text(
            *(column, row, f"{number}\n{percent}" if small else percent),
            ha="center",
            va="center",
            color=inks[place],
            fontsize=9 if small else 7,
        )


def _fewer(shares: np.ndarray) -> np.ndarray:
    """Return the largest share of each block of classes, with at most _PIXELS blocks per side."""
    starts = np.linspace(0, len(shares), _PIXELS, endpoint=False).astype(int)
    rows = np.maximum.reduceat(shares, starts, axis=0)
    return np.maximum.reduceat(rows, starts, axis=1)
