"""Class codes: the interval that also knows what a class of few samples may still do.

A class of three samples that are all right has no variance of its own. Half a sample is therefore
added to the right cell of every class, and half a sample spread over its other predictions; the
interval is the hull of the one without and the one with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.transforms import wilson
from mmeval_like._intervals.value_ranges import Range

__all__ = ["SCALE", "Clustered", "Smoothed", "hull", "smooth", "smoothed_values"]

SCALE = 1 << 20
"""Counts are multiplied by it, so that halves and shares of samples are integers."""

_STEP = SCALE >> 6  # of a sample, for the slope of the value in a cell

Matrix = list[list[int]]  # a row for each label, a column for each prediction
Numbers = Mapping[str, Sequence[float]]
Columns = Mapping[str, Sequence[Sequence[float]]]  # each number, of several matrices


@dataclass(frozen=True)
class Clustered:
    """How samples that belong together are spread over the cells.

    Attributes:
        cells: The counts of every cell, row after row, in some of the clusters, (m, cells).
        weights: For how many clusters each of the m stands.
        units: How many clusters there are.
    """

    cells: np.ndarray
    weights: Sequence[int]
    units: int

    def spread(self, slopes: Sequence[float]) -> float:
        """Return the sum over all clusters of the square of what a cluster adds."""
        added = np.zeros(len(self.cells))
        for column, slope in zip(self.cells.T, slopes, strict=True):
            added += column * slope  # one after the other: no library decides the order
        squares = math.fsum((added * added * np.array(self.weights)).tolist())
        return squares * self.units / sum(self.weights)


class Smoothed:
    """A value of the smoothed matrix, and its variance.

    Args:
        value: The value.
        slopes: How it moves with one sample more in each cell.
        matrix: The smoothed matrix, times `SCALE`.
        clustered: Which samples belong together; None: every one is by itself.

    Attributes:
        value: The value.
        variance: The square of its standard error.
    """

    def __init__(
        self,
        value: float,
        slopes: Sequence[float],
        matrix: Matrix,
        clustered: Clustered | None = None,
    ) -> None:
        weights = [cell for row in matrix for cell in row]
        total = sum(weights)
        middle = math.fsum(w * u for w, u in zip(weights, slopes, strict=True)) / total
        centred = [u - middle for u in slopes]
        together = 0.0
        if clustered is not None:  # then only what was added are samples by themselves
            together = SCALE * clustered.spread(centred)
            counts = clustered.cells.T @ np.array(clustered.weights)
            sampled = sum(clustered.weights)
            known = [int(count) * clustered.units * SCALE // sampled for count in counts]
            weights = [max(0, w - k) for w, k in zip(weights, known, strict=True)]
        spread = math.fsum(w * u**2 for w, u in zip(weights, centred, strict=True)) + together
        self.value = value
        self.variance = spread / total * SCALE / total


def smooth(matrix: Matrix) -> Matrix:
    """Return the matrix times `SCALE` with a sample more for every class.

    Example:
        >>> [[cell / SCALE for cell in row] for row in smooth([[3, 0], [1, 2]])]
        [[3.5, 0.5], [1.5, 2.5]]
    """
    size = len(matrix)
    predicted = [2 * sum(row[column] for row in matrix) + 1 for column in range(size)]
    smoothed = []
    for label, row in enumerate(matrix):
        others = sum(predicted) - predicted[label]
        half = SCALE // 2
        smoothed.append(
            [
                cell * SCALE + (half if column == label else half * predicted[column] // others)
                for column, cell in enumerate(row)
            ]
        )
    return smoothed


def smoothed_values(
    matrix: Matrix,
    evaluate: Callable[[Matrix], Numbers],
    moved: Callable[[Matrix, int], Columns],
    clustered: Clustered | None = None,
) -> dict[str, list[Smoothed]]:
    """Return every number of the smoothed matrix with its variance.

    Args:
        matrix: The counts.
        evaluate: Returns the metric's numbers, by key, of a matrix times `SCALE`.
        moved: Given such a matrix and a step, returns each of these numbers of the matrices with a
            step more in one cell, row after row.
        clustered: Which samples belong together; None: every one is by itself.
    """
    smoothed = smooth(matrix)
    near = moved(smoothed, _STEP)
    factor = (sum(map(sum, smoothed)) + _STEP) / _STEP
    found: dict[str, list[Smoothed]] = {}
    for key, values in evaluate(smoothed).items():
        found[key] = [
            Smoothed(value, [(other - value) * factor for other in others], smoothed, clustered)
            for value, others in zip(values, near[key], strict=True)
        ]
    return found


def hull(plain: Interval, smoothed: Smoothed, bounds: Range, df: int) -> Interval:
    """Return the interval that holds both the plain one and that of the smoothed matrix.

    Args:
        plain: The interval by leaving out one sample at a time; where none is known it stays so.
        smoothed: What the smoothed matrix gives.
        bounds: The range of the value.
        df: Degrees of freedom.
    """
    if math.isnan(plain.low):
        return plain
    least, most = bounds
    width = most - least
    share = (plain.value - least) / width
    other = (smoothed.value - least) / width
    if math.isnan(other) or math.isnan(smoothed.variance):
        return plain
    squared = smoothed.variance / width**2
    effective = plain.effective
    if squared > 0 and 0 < other < 1:
        effective = min(effective, other * (1 - other) / squared)
    low, high = wilson((share + other) / 2, effective, plain.level, df)
    return replace(
        plain,
        low=min(plain.low, least + width * low),
        high=max(plain.high, least + width * high),
        effective=effective,
        method="Wilson, effective n, smoothed",
    )
