"""The contingency table of classes and clusters: one statistic for all partition metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.writing import Results, State, Statistic, arrays, state

__all__ = ["Contingency", "ContingencyCounts"]

_IDS = 2**31


@dataclass(frozen=True)
class ContingencyCounts(Statistic):
    """The number of samples of each pair of a class (of labels) and a cluster (of predictions).

    Attributes:
        num_classes: The number of classes; None: any.
        num_clusters: The number of clusters; None: any. If both are given, memory is fixed;
            otherwise it grows with the number of different pairs.
    """

    class_inputs = ("predictions", "labels")

    num_classes: int | None = None
    num_clusters: int | None = None

    def __post_init__(self) -> None:
        for name in ("num_classes", "num_clusters"):
            value = getattr(self, name)
            if value is not None:
                check_count(name, value)

    @property
    def _stride(self) -> int:
        """The difference between the codes of neighbouring classes."""
        return self.num_clusters if self.num_clusters and self.num_classes else _IDS

    def states(self) -> dict[str, State]:
        """Return the histogram of pairs."""
        if self.num_classes is None or self.num_clusters is None:
            return {"cells": state.tally()}
        return {"cells": state.count(self.num_classes * self.num_clusters)}

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return the code of every sample's pair.

        Args:
            predictions: Clusters (N,), integers in [0, num_clusters), or below 2^31.
            labels: Classes (N,), integers in [0, num_classes), or below 2^31.

        Raises:
            TypeError: The inputs are not whole numbers.
            ValueError: Shapes or lengths do not fit, or a number is out of range.
        """
        clusters = arrays.as_integers(predictions, "predictions")
        classes = arrays.as_integers(labels, "labels")
        given = {
            "predictions": (clusters, self.num_clusters),
            "labels": (classes, self.num_classes),
        }
        for name, (ids, stop) in given.items():
            check_one_axis(name, ids)
            arrays.check_range(name, ids, stop or _IDS)
        arrays.check_same_length("predictions", clusters, "labels", classes)
        return {"cells": classes * self._stride + clusters}

    def table(self, results: Results) -> Contingency:
        """Return the table, computed once for all metrics of the same results."""
        return results.once("contingency", self._table)

    def _table(self, results: Results) -> Contingency:
        if isinstance(results.cells, tuple):
            codes, counts = results.cells
        else:
            codes = np.flatnonzero(results.cells)
            counts = results.cells[codes]
        rows, columns = np.divmod(codes, self._stride)
        return Contingency.of(rows, columns, counts)


@dataclass(frozen=True)
class Contingency:
    """The contingency table in Python integers, without empty classes and clusters.

    Attributes:
        cells: The number of samples of each pair, by class and cluster.
        rows: The index of the class of each pair, from 0.
        columns: The index of the cluster of each pair, from 0.
        classes: The number of samples of each class.
        clusters: The number of samples of each cluster.
        total: The number of samples.
    """

    cells: list[int]
    rows: list[int]
    columns: list[int]
    classes: list[int]
    clusters: list[int]
    total: int

    @classmethod
    def of(cls, rows: np.ndarray, columns: np.ndarray, counts: np.ndarray) -> Contingency:
        """Return the table of distinct pairs in ascending order."""
        cells = counts.tolist()
        places: list[list[int]] = []
        sums: list[list[int]] = []
        for ids in (rows, columns):
            distinct, place = np.unique(ids, return_inverse=True)
            sizes = [0] * len(distinct)
            for index, count in zip(place.tolist(), cells, strict=True):
                sizes[index] += count
            places.append(place.tolist())
            sums.append(sizes)
        return cls(cells, places[0], places[1], sums[0], sums[1], sum(cells))

    def map_pairs(self, function: Callable[[int, int, int], Any]) -> list[Any]:
        """Return `function(cell, size of its class, size of its cluster)` for every pair."""
        pairs = zip(self.cells, self.rows, self.columns, strict=True)
        return [function(n, self.classes[i], self.clusters[j]) for n, i, j in pairs]

    @property
    def is_matching(self) -> bool:
        """Whether each class equals one cluster."""
        return len(self.cells) == len(self.classes) == len(self.clusters)

    @property
    def pairs_together(self) -> tuple[int, int, int]:
        """The numbers of ordered pairs of samples together in both, in a class, in a cluster."""
        groups = (self.cells, self.classes, self.clusters)
        both, same_class, same_cluster = (sum(n * (n - 1) for n in group) for group in groups)
        return both, same_class, same_cluster
