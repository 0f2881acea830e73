"""HomogeneityScore, CompletenessScore and VMeasureScore."""

from __future__ import annotations

import math
from typing import Any

from mmeval_like.metrics.clustering.contingency_counts import Contingency
from mmeval_like.metrics.clustering.partitions import PartitionMetric, conditional_entropy, entropy

__all__ = ["CompletenessScore", "HomogeneityScore", "VMeasureScore"]


def _homogeneity(table: Contingency) -> float:
    whole = entropy(table.classes, table.total)
    return max(1 - conditional_entropy(table) / whole, 0.0) if whole else 1.0


def _completeness(table: Contingency) -> float:
    whole = entropy(table.clusters, table.total)
    return max(1 - conditional_entropy(table, swapped=True) / whole, 0.0) if whole else 1.0


class HomogeneityScore(PartitionMetric):
    """Homogeneity: whether each cluster contains samples of only one class.

    Formula:
        h = 1 - H(c given k) / H(c)

    Source: A. Rosenberg and J. Hirschberg, "V-measure" (EMNLP 2007). `add` takes `predictions`,
    clusters (N,), and `labels`, classes (N,), integers.

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `homogeneity`, in [0, 1]; 1.0 if there is one class only, nan without
    samples. Higher is better.

    Example:
        >>> metric = HomogeneityScore()
        >>> metric.add(predictions=[0, 0, 1, 2], labels=[0, 0, 1, 1])
        >>> metric.compute()
        {'homogeneity': 1.0}
    """

    processor_dependent = "log"
    higher_is_better = True
    key = "homogeneity"
    every_rank_computes = False

    def value(self, table: Contingency) -> float:
        """Return the homogeneity."""
        return _homogeneity(table)


class CompletenessScore(PartitionMetric):
    """Completeness: whether all samples of a class are in the same cluster.

    Formula:
        c = 1 - H(k given c) / H(k)

    Source: A. Rosenberg and J. Hirschberg, "V-measure" (EMNLP 2007). `add` takes `predictions`,
    clusters (N,), and `labels`, classes (N,), integers.

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `completeness`, in [0, 1]; 1.0 if there is one cluster only, nan without
    samples. Higher is better.

    Example:
        >>> metric = CompletenessScore()
        >>> metric.add(predictions=[0, 0, 1, 2], labels=[0, 0, 1, 1])
        >>> round(metric.compute()["completeness"], 6)  # 1 - (ln 2 / 2) / (3 ln 2 / 2)
        0.666667
    """

    processor_dependent = "log"
    higher_is_better = True
    key = "completeness"
    every_rank_computes = False

    def value(self, table: Contingency) -> float:
        """Return the completeness."""
        return _completeness(table)


class VMeasureScore(PartitionMetric):
    """The weighted harmonic mean of homogeneity and completeness.

    h is the value of `HomogeneityScore`, and c that of `CompletenessScore`. Source: A. Rosenberg
    and J. Hirschberg, "V-measure" (EMNLP 2007). `add` takes `predictions`, clusters (N,), and
    `labels`, classes (N,), integers.

    Formula:
        V = (1 + beta) h c / (beta h + c)

    Args:
        beta: How many times as important completeness is as homogeneity.
        **options: As for `PartitionMetric`.

    Returns of `compute`: `v_measure`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        ValueError: `beta` is not positive and finite.

    Example:
        >>> metric = VMeasureScore()
        >>> metric.add(predictions=[0, 0, 1, 2], labels=[0, 0, 1, 1])
        >>> round(metric.compute()["v_measure"], 6)  # 2 (2 / 3) / (1 + 2 / 3)
        0.8
    """

    processor_dependent = "log"
    higher_is_better = True
    key = "v_measure"
    every_rank_computes = False

    def __init__(self, *, beta: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        if not 0 < beta < math.inf:
            raise ValueError(f"beta must be positive and finite, got {beta}")
        self.beta = beta

    def value(self, table: Contingency) -> float:
        """Return the mean; 0 if homogeneity and completeness are both 0."""
        h, c = _homogeneity(table), _completeness(table)
        return (1 + self.beta) * h * c / (self.beta * h + c) if h or c else 0.0
