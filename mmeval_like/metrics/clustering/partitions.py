"""The base class of metrics of two partitions: the table of classes and clusters, and entropies."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, cast

from mmeval_like.metrics._common.pair_metrics import PairMetric
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.clustering.contingency_counts import Contingency, ContingencyCounts
from mmeval_like.writing import MetricOptions, Results, Unpack

__all__ = ["PartitionMetric", "conditional_entropy", "entropy", "mutual_information"]


@shared_options
class PartitionMetric(PairMetric):
    """The base class of metrics that compare a division of samples into classes and into clusters.

    All metrics of this family share one count in a `MetricCollection`.

    Args:
        num_classes: The number of classes; labels are below it. None: labels may be any integers
            below 2^31.
        num_clusters: The number of clusters; predictions are below it. None: predictions may be any
            integers below 2^31. If both numbers are given, memory is fixed; otherwise it grows with
            the number of different pairs of class and cluster.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: A number of classes or clusters is not in [1, 2^31].
    """

    _takes_inputs = ContingencyCounts.rows

    every_rank_computes = True
    no_interval = "clusters depend on all samples: one more sample would change the others"

    key: ClassVar[str]

    def __init__(
        self,
        num_classes: int | None = None,
        num_clusters: int | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.statistic = ContingencyCounts(num_classes, num_clusters)

    @abstractmethod
    def value(self, table: Contingency) -> Any:
        """Return the value of a table of at least one sample."""

    def table(self, results: Results) -> Contingency:
        """Return the table of classes and clusters."""
        return cast(ContingencyCounts, self.statistic).table(results)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the value; nan without samples."""
        table = self.table(results)
        return {self.key: self.value(table) if table.total else math.nan}


def entropy(sizes: Iterable[int], total: int) -> float:
    """Return the entropy of a partition into groups of these sizes, in nats.

    Example:
        >>> entropy([2, 2], 4) == math.log(2)
        True
    """
    return math.fsum(size / total * math.log(total / size) for size in sizes)


def conditional_entropy(table: Contingency, *, swapped: bool = False) -> float:
    """Return the entropy of classes given clusters; swapped: of clusters given classes."""
    total = table.total
    if swapped:
        return math.fsum(table.map_pairs(lambda n, a, b: n / total * math.log(a / n)))
    return math.fsum(table.map_pairs(lambda n, a, b: n / total * math.log(b / n)))


def mutual_information(table: Contingency) -> float:
    """Return the mutual information of classes and clusters, in nats; at least 0."""
    total = table.total
    terms = table.map_pairs(lambda n, a, b: n / total * math.log(total * n / (a * b)))
    return max(math.fsum(terms), 0.0)
