"""ClusterAccuracy and Purity: the accuracy of clusters that are mapped to classes."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from mmeval_like.metrics.clustering.contingency_counts import Contingency
from mmeval_like.metrics.clustering.partitions import PartitionMetric

__all__ = ["ClusterAccuracy", "Purity"]


class ClusterAccuracy(PartitionMetric):
    """The accuracy of the best one-to-one mapping of clusters to classes.

    The samples of clusters without a class in the mapping count as wrong. scipy finds the mapping
    from integers. Source: H. W. Kuhn, "The Hungarian method for the assignment problem"
    (1955). `add` takes `predictions`, clusters (N,), and `labels`, classes (N,), integers.

    Formula:
        accuracy = max_pi 1/N sum_i [pi(p_i) = y_i]

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `cluster_accuracy`, in (0, 1]; nan without samples. Higher is better.

    Raises:
        ImportError: scipy is not installed.

    Example:
        >>> metric = ClusterAccuracy()
        >>> metric.add(predictions=[0, 0, 1, 2], labels=[1, 1, 0, 0])
        >>> metric.compute()  # 0 is class 1, and 1 or 2 is class 0
        {'cluster_accuracy': 0.75}
    """

    higher_is_better = True
    key = "cluster_accuracy"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        try:
            importlib.import_module("scipy.optimize")
        except ImportError as error:
            raise ImportError(
                "ClusterAccuracy needs scipy: pip install 'mmeval-like[image]'"
            ) from error

    def value(self, table: Contingency) -> float:
        """Return the share."""
        from scipy.optimize import linear_sum_assignment

        cells = np.zeros((len(table.classes), len(table.clusters)), np.int64)
        cells[table.rows, table.columns] = table.cells
        return int(cells[linear_sum_assignment(cells, maximize=True)].sum()) / table.total


class Purity(PartitionMetric):
    """The fraction of samples that belong to the most frequent class of their cluster.

    n_(k c) samples of class c are in cluster k. Purity grows with the number of clusters: it is 1
    if each sample is a separate cluster. Source: C. D. Manning, P. Raghavan, H. Schütze,
    "Introduction to information retrieval" (2008). `add` takes `predictions`, clusters (N,), and
    `labels`, classes (N,), integers.

    Formula:
        purity = 1/N sum_k max_c n_(k c)

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `purity`, in (0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = Purity()
        >>> metric.add(predictions=[0, 0, 0, 1], labels=[1, 1, 0, 0])
        >>> metric.compute()  # (2 + 1) / 4
        {'purity': 0.75}
    """

    higher_is_better = True
    key = "purity"

    def value(self, table: Contingency) -> float:
        """Return the share."""
        most = [0] * len(table.clusters)
        for count, cluster in zip(table.cells, table.columns, strict=True):
            most[cluster] = max(most[cluster], count)
        return sum(most) / table.total
