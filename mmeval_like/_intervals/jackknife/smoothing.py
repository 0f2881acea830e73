"""Smoothing: intervals that allow for the uncertainty of classes with few samples.

A class of three samples that are all correct has no variance. So half a sample is added to the
correct cell of every class, and half a sample is spread over its other predictions; the result is
the hull of the intervals without and with these samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.codes import histogram_of
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.transforms import wilson
from mmeval_like._intervals.value_ranges import Range
from mmeval_like._states.results import Results

__all__ = ["Smoothed", "hull", "smoothed"]

_FEW_CLASSES = 32  # the most classes for which every cell of the confusion matrix is perturbed
_SCALE = 1 << 20  # counts are multiplied by it, so that halves and shares of samples are integers
_STEP = _SCALE >> 6  # a part of a sample, for the slope of the value in a cell

Matrix = list[list[int]]  # one row for each label, one column for each prediction


@dataclass(frozen=True)
class _Clustered:
    """The distribution of the samples of clusters over the cells.

    Attributes:
        cells: The counts of every cell, row after row, in some of the clusters, (m, cells).
        weights: The number of clusters that each of the m clusters represents.
        units: The number of clusters.
    """

    cells: np.ndarray
    weights: Sequence[int]
    units: int

    def spread(self, slopes: Sequence[float]) -> float:
        """Return the sum over all clusters of the squared contribution of a cluster."""
        added = np.zeros(len(self.cells))
        for column, slope in zip(self.cells.T, slopes, strict=True):
            added += column * slope  # one after the other, so that the order is fixed
        squares = math.fsum((added * added * np.array(self.weights)).tolist())
        return squares * self.units / sum(self.weights)


class Smoothed:
    """A value for the smoothed matrix, and its variance.

    Args:
        value: The value.
        slopes: The change of the value with one more sample in each cell.
        matrix: The smoothed matrix, times `_SCALE`.
        clustered: The clusters of samples; None if the samples are independent.

    Attributes:
        value: The value.
        variance: The square of its standard error.
    """

    def __init__(
        self,
        value: float,
        slopes: Sequence[float],
        matrix: Matrix,
        clustered: _Clustered | None = None,
    ) -> None:
        weights = [cell for row in matrix for cell in row]
        total = sum(weights)
        middle = math.fsum(w * u for w, u in zip(weights, slopes, strict=True)) / total
        centred = [u - middle for u in slopes]
        together = 0.0
        if clustered is not None:  # then only the added samples are independent
            together = _SCALE * clustered.spread(centred)
            counts = clustered.cells.T @ np.array(clustered.weights)
            sampled = sum(clustered.weights)
            known = [int(count) * clustered.units * _SCALE // sampled for count in counts]
            weights = [max(0, w - k) for w, k in zip(weights, known, strict=True)]
        spread = math.fsum(w * (u * u) for w, u in zip(weights, centred, strict=True)) + together
        self.value = value
        self.variance = spread / total * _SCALE / total


def smoothed(estimand: Estimand, left: LeftOut) -> dict[str, list[Smoothed]]:
    """Return the values for the smoothed confusion matrix, with their variances.

    These are the values between two bounds, for a statistic that counts few classes. The result is
    empty if there are none, or if one is not a ratio of counts.

    Args:
        estimand: The estimand.
        left: The units that were left out: samples, or clusters with their histograms.
    """
    size = estimand.statistic.jackknife.confusion_classes
    if size is None or not 1 < size <= _FEW_CLASSES or left.units < 2:
        return {}
    if left.members == "clusters" and left.histograms is None:
        return {}
    name = histogram_of(estimand)
    keys = [k for k in estimand.numbers if all(map(math.isfinite, estimand.range(k)))]
    if name is None or not keys or isinstance(getattr(estimand.results, name), tuple):
        return {}
    counted = getattr(estimand.results, name)
    same = estimand.constants(other for other in estimand.states if other != name) or {}

    def results(scaled: Matrix, cell: int = 0, step: int = 0) -> Results:
        counts = np.zeros_like(counted)
        counts[: size * size] = np.array(scaled).reshape(-1)
        counts[cell] += step
        count = int(counts.sum())
        return Results({name: counts, **{n: one * count for n, one in same.items()}}, count)

    matrix = counted[: size * size].reshape(size, size).tolist()
    [scaled] = estimand.evaluate([results([[cell * _SCALE for cell in row] for row in matrix])])
    if not all(np.allclose(scaled[k], estimand.numbers[k], equal_nan=True) for k in keys):
        return {}  # a value that is not a ratio of counts
    smooth = _smooth(matrix)
    cells = range(size * size)
    near = estimand.perturbed(results(smooth), np.array(cells), _STEP)
    if near is None:
        near = estimand.columns(results(smooth, cell, _STEP) for cell in cells)
    [values] = estimand.evaluate([results(smooth)])
    clustered = None
    if left.histograms is not None:
        spread = left.histograms(name)[:, : size * size]
        clustered = _Clustered(spread, left.weights, left.units)
    return {k: _slopes(smooth, values[k], near[k], clustered) for k in keys}


def _smooth(matrix: Matrix) -> Matrix:
    """Return the matrix times `_SCALE` with one more sample for every class.

    Example:
        >>> [[cell / _SCALE for cell in row] for row in _smooth([[3, 0], [1, 2]])]
        [[3.5, 0.5], [1.5, 2.5]]
    """
    predicted = [2 * sum(column) + 1 for column in zip(*matrix, strict=True)]
    half, found = _SCALE // 2, []
    for label, row in enumerate(matrix):
        others = sum(predicted) - predicted[label]
        added = [half * number // others for number in predicted]
        added[label] = half
        found.append([cell * _SCALE + more for cell, more in zip(row, added, strict=True)])
    return found


def _slopes(
    smooth: Matrix,
    values: Sequence[float],
    near: Sequence[Sequence[float]],
    clustered: _Clustered | None,
) -> list[Smoothed]:
    """Return the values of a key, with the change of each for one more sample in each cell."""
    factor = (sum(map(sum, smooth)) + _STEP) / _STEP
    return [
        Smoothed(value, [(other - value) * factor for other in others], smooth, clustered)
        for value, others in zip(values, near, strict=True)
    ]


def hull(plain: Interval, smoothed: Smoothed, bounds: Range, df: int) -> Interval:
    """Return the hull of the plain interval and that of the smoothed matrix.

    Args:
        plain: The interval from leaving out one unit at a time; returned as it is if unknown.
        smoothed: The value for the smoothed matrix.
        bounds: The range of the value.
        df: The degrees of freedom.
    """
    if math.isnan(plain.low):
        return plain
    least, most = bounds
    width = most - least
    share = (plain.value - least) / width
    other = (smoothed.value - least) / width
    if math.isnan(other) or math.isnan(smoothed.variance):
        return plain
    squared = smoothed.variance / (width * width)
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
