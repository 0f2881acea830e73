"""RandScore, AdjustedRandScore, FowlkesMallowsIndex and PairConfusionMatrix: pairs of samples."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like._accumulate.results import Results
from mmeval_like.metrics._shared.exact_products import sqrt_fraction
from mmeval_like.metrics._shared.partitions import PartitionMetric
from mmeval_like.metrics.statistics.contingency_counts import Contingency

__all__ = ["AdjustedRandScore", "FowlkesMallowsIndex", "PairConfusionMatrix", "RandScore"]


class RandScore(PartitionMetric):
    """The share of pairs of samples that both partitions put together, or both put apart.

    Formula:
        rand = (together + apart) / C(n, 2)

    Source: W. M. Rand, "Objective criteria for the evaluation of clustering methods", JASA 66
    (1971). `add` takes `predictions`, clusters (N,), and `labels`, classes (N,), integers.

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `rand`, in [0, 1]; 1.0 of one sample, nan without samples.

    Example:
        >>> metric = RandScore()
        >>> metric.add(predictions=[0, 0, 1, 1], labels=[5, 5, 5, 7])
        >>> metric.compute()  # 3 of 6 pairs
        {'rand': 0.5}
    """

    key = "rand"

    def value(self, table: Contingency) -> float:
        """Return the share of pairs."""
        both, same_class, same_cluster = table.pairs_together
        pairs = table.total * (table.total - 1)
        agreeing = pairs - same_class - same_cluster + 2 * both
        return agreeing / pairs if pairs else 1.0


class AdjustedRandScore(PartitionMetric):
    """The Rand index, less what chance gives: 1 for equal partitions, 0 for random ones on average.

    Integers, one quotient; a_c samples are of class c, b_k in cluster k. Source: L. Hubert and P.
    Arabie, "Comparing partitions", Journal of Classification 2 (1985). `add` takes `predictions`,
    clusters (N,), and `labels`, classes (N,), integers.

    Formula:
        ari = (sum_(c, k) C(n_(c k), 2) - E) / (1/2 (A + B) - E)
        A = sum_c C(a_c, 2)
        B = sum_k C(b_k, 2)
        E = A B / C(n, 2)

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `adjusted_rand`, in [-0.5, 1]; 1.0 of one sample, nan without samples.

    Example:
        >>> metric = AdjustedRandScore()
        >>> metric.add(predictions=[0, 0, 1, 2], labels=[0, 0, 1, 1])
        >>> metric.compute()  # 2 (12 * 2 - 4 * 2) / (12 (4 + 2) - 2 * 4 * 2)
        {'adjusted_rand': 0.5714285714285714}
    """

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
    """The geometric mean of precision and recall of the pairs that are together.

    TP / sqrt((TP + FP) (TP + FN)) over pairs of samples, rounded once. Source: E. B. Fowlkes and
    C. L. Mallows, "A method for comparing two hierarchical clusterings", JASA 78 (1983). `add`
    takes `predictions`, clusters (N,), and `labels`, classes (N,), integers.

    Formula:
        FM = TP / sqrt((TP + FP) (TP + FN))

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `fowlkes_mallows`, in [0, 1]; 0.0 where no pair is together in one of
    both, nan without samples.

    Example:
        >>> metric = FowlkesMallowsIndex()
        >>> metric.add(predictions=[0, 0, 0, 1], labels=[0, 0, 1, 1])
        >>> round(metric.compute()["fowlkes_mallows"], 6)  # 1 / sqrt(3 * 2)
        0.408248
    """

    key = "fowlkes_mallows"

    def value(self, table: Contingency) -> float:
        """Return the index."""
        both, same_class, same_cluster = table.pairs_together
        return sqrt_fraction(Fraction(both**2, same_class * same_cluster)) if both else 0.0


class PairConfusionMatrix(PartitionMetric):
    """How many ordered pairs of samples are apart (0) or together (1): by class, and by cluster.

    `add` takes `predictions`, clusters (N,), and `labels`, classes (N,), integers.

    Formula:
        C_(u v) = sum_(i != j) [[y_i = y_j] = u] [[p_i = p_j] = v]

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `pair_confusion`, an int64 array (2, 2), rows those of labels; 0 without
    samples.

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
