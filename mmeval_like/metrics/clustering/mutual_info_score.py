"""MutualInfoScore, NormalizedMutualInfoScore and AdjustedMutualInfoScore."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics.clustering.contingency_counts import Contingency
from mmeval_like.metrics.clustering.partitions import PartitionMetric, entropy, mutual_information

__all__ = ["AdjustedMutualInfoScore", "MutualInfoScore", "NormalizedMutualInfoScore"]

_EPS = 2.0**-52
_RARE = 2.0**-100
_KNOWN = 1 << 20  # logarithms of up to this many integers are cached

_MEANS: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: math.sqrt(a * b),
    "min": min,
    "max": max,
}


class MutualInfoScore(PartitionMetric):
    """Mutual information of clusters and classes, in nats.

    Of N samples, n_(c k) are in class c and in cluster k, a_c are in class c, and b_k are in
    cluster k. `add` takes `predictions`, clusters (N,), and `labels`, classes (N,), integers.

    Formula:
        MI = sum_(c, k) n_(c k) / N ln(N n_(c k) / (a_c b_k))

    Args:
        **options: As for `PartitionMetric`.

    Returns of `compute`: `mutual_info`, at least 0; nan without samples. Higher is better.

    Example:
        >>> metric = MutualInfoScore()
        >>> metric.add(predictions=[0, 0, 1, 1], labels=[7, 7, 3, 3])
        >>> round(metric.compute()["mutual_info"], 6)  # ln 2
        0.693147
    """

    processor_dependent = "log"
    higher_is_better = True
    key = "mutual_info"
    every_rank_computes = False

    def value(self, table: Contingency) -> float:
        """Return the information."""
        return mutual_information(table)


class InformationShare(PartitionMetric):
    """The base class of mutual information relative to the entropies of both partitions.

    Args:
        average_method: The mean of the two entropies: "arithmetic", "geometric", "min"
            or "max".
        **options: As for `PartitionMetric`.

    Raises:
        ValueError: `average_method` is unknown, or a number of classes or clusters is not in [1,
            2^31].
    """

    processor_dependent = "log"
    every_rank_computes = False

    def __init__(self, *, average_method: str = "arithmetic", **options: Any) -> None:
        super().__init__(**options)
        self.average_method = check_option("average_method", average_method, _MEANS)

    def mean_entropy(self, table: Contingency) -> float:
        """Return the mean of the entropies of classes and of clusters."""
        sides = (entropy(sizes, table.total) for sizes in (table.classes, table.clusters))
        return _MEANS[self.average_method](*sides)


class NormalizedMutualInfoScore(InformationShare):
    """Normalised mutual information: 1 for equal partitions, 0 for independent ones.

    MI is that of `MutualInfoScore`, H_c the entropy of the classes and H_k that of the clusters.

    Formula:
        NMI = MI / (1/2 (H_c + H_k))

    Source: N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings
    comparison", JMLR 11 (2010). `add` takes `predictions`, clusters (N,), and `labels`, classes
    (N,), integers.

    Args:
        **options: As for `InformationShare`.

    Returns of `compute`: `nmi`, in [0, 1]; 1.0 for one class and one cluster, nan without samples.
    Higher is better.

    Example:
        >>> metric = NormalizedMutualInfoScore()
        >>> metric.add(predictions=[0, 0, 1, 1], labels=[7, 7, 3, 3])
        >>> metric.compute()
        {'nmi': 1.0}
    """

    higher_is_better = True
    key = "nmi"

    def value(self, table: Contingency) -> float:
        """Return the share."""
        if table.is_matching:
            return 1.0
        information = mutual_information(table)
        if information <= _EPS:
            return 0.0
        return min(information / self.mean_entropy(table), 1.0)


class AdjustedMutualInfoScore(InformationShare):
    """Adjusted mutual information: 1 for equal partitions, about 0 for random ones.

    MI is the mutual information of classes and clusters, and E is its expected value if samples are
    assigned at random to groups of the same sizes. H_c and H_k are the entropies of the classes and
    of the clusters. Source: N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for
    clusterings comparison", JMLR 11 (2010). The time to compute E grows with the number of samples
    times the smaller number of groups.

    `add` takes `predictions`, clusters (N,), and `labels`, classes (N,), integers.

    Formula:
        AMI = (MI - E) / (1/2 (H_c + H_k) - E)

    Args:
        **options: As for `InformationShare`.

    Returns of `compute`: `ami`, at most 1. It is 1.0 for equal partitions, 0.0 if the divisor is 0,
    and nan without samples. Higher is better.

    Example:
        >>> metric = AdjustedMutualInfoScore()
        >>> metric.add(predictions=[0, 0, 1, 1, 1], labels=[0, 0, 0, 1, 1])
        >>> round(metric.compute()["ami"], 6)
        0.251267
    """

    higher_is_better = True
    key = "ami"

    def value(self, table: Contingency) -> float:
        """Return the corrected share."""
        if table.is_matching:
            return 1.0
        chance = _expected_information(table)
        whole = self.mean_entropy(table) - chance
        excess = mutual_information(table) - chance
        # Differences this small are rounding errors.
        tiny = 16 * _EPS * (1.0 + chance)
        if abs(excess) < tiny or abs(whole) < tiny:
            return 0.0
        return excess / whole


def _expected_information(table: Contingency) -> float:
    """Return the expected mutual information of random partitions into groups of these sizes."""
    total, terms = table.total, []
    sizes = Counter(table.classes), Counter(table.clusters)
    known = np.log(np.arange(1, min(total, _KNOWN) + 1, dtype=np.float64))

    def logs(first: int, last: int) -> np.ndarray:
        """Return the logarithms of the integers from `first` to `last`."""
        if last <= len(known):
            return known[first - 1 : last]
        return np.asarray(np.log(np.arange(first, last + 1, dtype=np.float64)))

    for a, times_a in sizes[0].items():
        for b, times_b in sizes[1].items():
            # The number n of samples shared by a class of size a and a cluster of size b is
            # hypergeometric; each probability is that of n - 1 times a quotient.
            low, high, rest = max(0, a + b - total), min(a, b), total - a - b
            step = logs(a - high + 1, a - low)[::-1] + logs(b - high + 1, b - low)[::-1]
            step -= logs(low + 1, high) + logs(rest + low + 1, rest + high)
            weights = np.concatenate([[0.0], np.cumsum(step)])
            weights = np.exp(weights - weights.max())
            # Most n are so improbable that they do not change the sum.
            some = np.flatnonzero(weights > _RARE)
            some = some[some > -low]
            shared, chances = some + float(low), weights[some] / weights.sum()
            parts = chances * shared / total * np.log(shared * (total / (a * b)))
            terms.append(times_a * times_b * math.fsum(parts.tolist()))
    return math.fsum(terms)
