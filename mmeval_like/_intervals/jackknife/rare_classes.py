"""Rare classes: intervals that allow for the uncertainty of classes with few samples.

A class of three samples that are all correct has no variance. So half a sample is added to the
correct cell of every class, and half a sample is spread over its other predictions; the result is
the hull of the intervals without and with these samples, which are smoothed.

If a class of 30 labels has no miss, its recall may be 0.9 all the same, and half a sample stands
for less than their number allows. So the interval also contains the values with one class at a
time, of at most three misses or hits, at the farther Clopper-Pearson end of its recall.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mmeval_like._intervals.exact_shares import FEW, clopper_pearson
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.jackknife.codes import histogram_of
from mmeval_like._intervals.jackknife.estimand import Estimand
from mmeval_like._intervals.jackknife.left_out import LeftOut
from mmeval_like._intervals.transforms import wilson
from mmeval_like._intervals.value_ranges import Range
from mmeval_like._states.results import Results

__all__ = ["Smoothed", "Table", "ends_of_rare_classes", "hull", "smoothed", "with_rare_classes"]

_FEW_CLASSES = 32  # the most classes for which every cell of the confusion matrix is perturbed
_SCALE = 1 << 20  # counts are multiplied by it, so that halves and shares of samples are integers
_STEP = _SCALE >> 6  # a part of a sample, for the slope of the value in a cell

Matrix = list[list[int]]  # one row for each label, one column for each prediction
Ends = tuple[float, float]


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


@dataclass(frozen=True)
class Table:
    """The confusion matrix of few classes, of which values between two bounds are ratios.

    Attributes:
        name: The name of the state that counts its cells.
        counts: The counts of the state, (n,), of which the first ones are the cells.
        matrix: The cells, one row for each label.
        same: What each sample adds to the other states.
        keys: The keys of the values.
    """

    name: str
    counts: np.ndarray
    matrix: Matrix
    same: Mapping[str, Any]
    keys: Sequence[str]

    @classmethod
    def of(cls, estimand: Estimand, left: LeftOut) -> Table | None:
        """Return the table of a statistic; None if it has none, or a value is no such ratio."""
        size = estimand.statistic.jackknife.confusion_classes
        if size is None or not 1 < size <= _FEW_CLASSES or left.units < 2:
            return None
        if left.members == "clusters" and left.histograms is None:
            return None
        name = histogram_of(estimand)
        keys = [k for k in estimand.numbers if all(map(math.isfinite, estimand.range(k)))]
        if name is None or not keys or isinstance(getattr(estimand.results, name), tuple):
            return None
        counts = getattr(estimand.results, name)
        same = estimand.constants(other for other in estimand.states if other != name) or {}
        found = cls(name, counts, counts[: size * size].reshape(size, size).tolist(), same, keys)
        times = [[cell * _SCALE for cell in row] for row in found.matrix]
        [scaled] = estimand.evaluate([found.results(times)])
        alike = (np.allclose(scaled[k], estimand.numbers[k], equal_nan=True) for k in keys)
        return found if all(alike) else None

    def results(self, scaled: Matrix, cell: int = 0, step: int = 0) -> Results:
        """Return the results of another matrix, with more samples in one of its cells."""
        counts = np.zeros_like(self.counts)
        counts[: len(scaled) ** 2] = np.array(scaled).reshape(-1)
        counts[cell] += step
        count = int(counts.sum())
        others = {name: one * count for name, one in self.same.items()}
        return Results({self.name: counts, **others}, count)


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


def smoothed(estimand: Estimand, left: LeftOut, table: Table) -> dict[str, list[Smoothed]]:
    """Return the values for the smoothed confusion matrix, with their variances.

    Args:
        estimand: The estimand.
        left: The units that were left out: samples, or clusters with their histograms.
        table: The confusion matrix.
    """
    smooth, cells = _smooth(table.matrix), range(len(table.matrix) ** 2)
    near = estimand.perturbed(table.results(smooth), np.array(cells), _STEP)
    if near is None:
        near = estimand.columns(table.results(smooth, cell, _STEP) for cell in cells)
    [values] = estimand.evaluate([table.results(smooth)])
    clustered = None
    if left.histograms is not None:
        spread = left.histograms(table.name)[:, : len(cells)]
        clustered = _Clustered(spread, left.weights, left.units)
    return {k: _slopes(smooth, values[k], near[k], clustered) for k in table.keys}


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


def ends_of_rare_classes(estimand: Estimand, table: Table) -> dict[str, list[Ends]]:
    """Return, by key, the least and the greatest of these values; empty: there are none.

    Args:
        estimand: The estimand, of independent samples: clusters have ends of their own.
        table: Its confusion matrix.
    """
    several = [*_matrices(table.matrix, estimand.level)]
    found = estimand.evaluate(table.results(one) for one in several)
    return {
        key: [
            (min(values), max(values)) for values in zip(*(one[key] for one in found), strict=True)
        ]
        for key in table.keys
        if found
    }


def _matrices(matrix: Matrix, level: float) -> Iterator[Matrix]:
    """Yield the matrix times `_SCALE`, with another recall of one class."""
    predicted = [sum(column) + 0.5 for column in zip(*matrix, strict=True)]
    scaled = [[cell * _SCALE for cell in row] for row in matrix]
    for label, row in enumerate(matrix):
        count, hits = sum(row), row[label]
        few = min(hits, count - hits)
        if count <= FEW or few > FEW:
            continue
        share = clopper_pearson(few, count, level)[1]
        others = [0.0 if at == label else float(cell) for at, cell in enumerate(row)]
        if not any(others):
            others = [0.0 if at == label else number for at, number in enumerate(predicted)]
        kept = share if few == hits else 1 - share
        missed = count * (1 - kept) * _SCALE / sum(others)
        changed = [round(missed * other) for other in others]
        changed[label] = round(count * kept * _SCALE)
        yield [*scaled[:label], changed, *scaled[label + 1 :]]


def with_rare_classes(one: Interval, ends: Ends | None) -> Interval:
    """Return the interval, extended to these ends, within which its value is not always."""
    if ends is None or not (ends[0] < one.low or one.high < ends[1]):
        return one
    method = (
        one.method if one.method.endswith("Clopper-Pearson") else f"{one.method}, Clopper-Pearson"
    )
    return replace(one, low=min(one.low, ends[0]), high=max(one.high, ends[1]), method=method)
