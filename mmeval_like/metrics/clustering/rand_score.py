"""RandScore, AdjustedRandScore, FowlkesMallowsIndex and PairConfusionMatrix: pairs of samples."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics.clustering.contingency_counts import Contingency
from mmeval_like.metrics.clustering.partitions import PartitionMetric
from mmeval_like.writing import Results
from mmeval_like.writing.exact import sqrt_fraction

__all__ = ["AdjustedRandScore", "FowlkesMallowsIndex", "PairConfusionMatrix", "RandScore"]


class RandScore(PartitionMetric):
    """The Rand index: the fraction of pairs of samples on which classes and clusters agree.

    Formula:
        rand = (together + apart) / C(n, 2)

    Of all pairs of n samples, `together` pairs are in the same class and in the same cluster, and
    `apart` pairs are in different classes and in different clusters. Source: W. M. Rand, "Objective
    criteria for the evaluation of clustering methods", JASA 66 (1971). `add` takes `predictions`,
    clusters (N,), and `labels`, classes (N,), integers.

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `rand`, in [0, 1]; 1.0 for a single sample, nan without samples. Higher is
    better.

    Example:
        >>> metric = RandScore()
        >>> metric.add(predictions=[0, 0, 1, 1], labels=[5, 5, 5, 7])
        >>> metric.compute()  # 3 of 6 pairs
        {'rand': 0.5}
    """

    higher_is_better = True
    key = "rand"

    def value(self, table: Contingency) -> float:
        """Return the share of pairs."""
        both, same_class, same_cluster = table.pairs_together
        pairs = table.total * (table.total - 1)
        agreeing = pairs - same_class - same_cluster + 2 * both
        return agreeing / pairs if pairs else 1.0


class AdjustedRandScore(PartitionMetric):
    """The adjusted Rand index: 1 for equal partitions, 0 on average for random ones.

    Of n samples, n_(c k) are in class c and in cluster k, a_c are in class c, and b_k are in
    cluster k; C(n, 2) is the number of pairs of n samples. Counts are integers, and the value is
    rounded once. Source: L. Hubert and P. Arabie, "Comparing partitions", Journal of
    Classification 2 (1985). `add` takes `predictions`, clusters (N,), and `labels`, classes (N,),
    integers.

    Formula:
        ari = (sum_(c, k) C(n_(c k), 2) - E) / (1/2 (A + B) - E)
        A = sum_c C(a_c, 2)
        B = sum_k C(b_k, 2)
        E = A B / C(n, 2)

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `adjusted_rand`, in [-0.5, 1]; 1.0 for a single sample, nan without
    samples. Higher is better.

    Example:
        >>> metric = AdjustedRandScore()
        >>> metric.add(predictions=[0, 0, 1, 2], labels=[0, 0, 1, 1])
        >>> metric.compute()  # 2 (12 * 2 - 4 * 2) / (12 (4 + 2) - 2 * 4 * 2)
        {'adjusted_rand': 0.5714285714285714}
    """

    higher_is_better = True
    key = "adjusted_rand"

    def value(self, table: Contingency) -> float:
        """Return the corrected index."""
        both, same_class, same_cluster = table.pairs_together
        pairs = table.total * (table.total - 1)
        if both == same_class == same_cluster:
            return 1.0
        excess = pairs * both - same_class * same_cluster
        return 2 * excess / (pairs * (same_class + same_cluster) - 2 * same_class * same_cluster)


class FowlkesMallowsIndex(PartitionMetric):
    """The Fowlkes-Mallows index: the geometric mean of precision and recall of pairs.

    Over all pairs of samples, TP pairs are together in both a class and a cluster, FP pairs only in
    a cluster, and FN pairs only in a class. The value is rounded once. Source: E. B. Fowlkes and C.
    L. Mallows, "A method for comparing two hierarchical clusterings", JASA 78 (1983). `add` takes
    `predictions`, clusters (N,), and `labels`, classes (N,), integers.

    Formula:
        FM = TP / sqrt((TP + FP) (TP + FN))

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `fowlkes_mallows`, in [0, 1]; 0.0 if no pair is together in any class, or
    none in any cluster; nan without samples. Higher is better.

    Example:
        >>> metric = FowlkesMallowsIndex()
        >>> metric.add(predictions=[0, 0, 0, 1], labels=[0, 0, 1, 1])
        >>> round(metric.compute()["fowlkes_mallows"], 6)  # 1 / sqrt(3 * 2)
        0.408248
    """

    higher_is_better = True
    key = "fowlkes_mallows"

    def value(self, table: Contingency) -> float:
        """Return the index."""
        both, same_class, same_cluster = table.pairs_together
        return sqrt_fraction(Fraction(both**2, same_class * same_cluster)) if both else 0.0


class PairConfusionMatrix(PartitionMetric):
    """The numbers of pairs of samples that are together or apart in classes and clusters.

    `add` takes `predictions`, clusters (N,), and `labels`, classes (N,), integers.

    Formula:
        C_(u v) = sum_(i != j) [[y_i = y_j] = u] [[p_i = p_j] = v]

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `pair_confusion`, an int64 array (2, 2) of numbers of ordered pairs. The
    row index is 0 for samples in different classes and 1 for samples in the same class; the column
    index is the same for clusters. Without samples all entries are 0.

    Example:
        >>> metric = PairConfusionMatrix()
        >>> metric.add(predictions=[0, 0, 1, 2], labels=[0, 0, 1, 1])
        >>> metric.compute()["pair_confusion"].tolist()
        [[8, 0], [2, 2]]
    """

    key = "pair_confusion"

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the matrix, also without samples."""
        return {self.key: self.value(self.table(results))}

    def value(self, table: Contingency) -> Any:
        """Return the matrix."""
        both, same_class, same_cluster = table.pairs_together
        pairs = table.total * (table.total - 1)
        apart = pairs - same_class - same_cluster + both
        return np.array([[apart, same_cluster - both], [same_class - both, both]], np.int64)
