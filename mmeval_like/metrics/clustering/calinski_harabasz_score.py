"""CalinskiHarabaszScore: the distance of clusters relative to their width, from exact sums."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mmeval_like.metrics._common.feature_sums import ClusterSums
from mmeval_like.writing import NOT_NEGATIVE, BaseMetric, MetricOptions, Results, Unpack
from mmeval_like.writing.exact import to_float

__all__ = ["CalinskiHarabaszScore"]


class CalinskiHarabaszScore(BaseMetric):
    """The Calinski-Harabasz score: the variance between clusters over that within them.

    There are K nonempty clusters; cluster k has n_k of the N samples x and the centre c_k, and c is
    the centre of all samples. The value is computed from exact sums and rounded once; no samples
    are kept. Source: T. Caliński and J. Harabasz, "A dendrite method for cluster analysis",
    Communications in Statistics 3 (1974).

    `add` takes `features` (N, D), of any real dtype, each zero or of magnitude 1e-105 to 1e115, and
    `predictions`, the clusters (N,).

    Formula:
        CH = (B / (K - 1)) / (W / (N - K))
        B = sum_k n_k |c_k - c|^2
        W = sum_x |x - c_k|^2

    Args:
        num_clusters: The number of clusters; predictions are below it.
        dim: The number of features D. Memory: 560 bytes for each feature of each cluster.
        **options: As for `BaseMetric`.

    Returns of `compute`: `calinski_harabasz`, at least 0; 1.0 if W = 0, as in scikit-learn; nan
    with fewer than two clusters, and with no more samples than clusters. Higher is better.

    Raises:
        ValueError: `num_clusters` or `dim` is below 1.

    Example:
        >>> metric = CalinskiHarabaszScore(num_clusters=2, dim=1)
        >>> metric.add(features=[[0.0], [2.0], [6.0], [8.0]], predictions=[0, 0, 1, 1])
        >>> metric.compute()  # (4 * 9 / 1) / (4 * 1 / 2)
        {'calinski_harabasz': 18.0}
    """

    _takes_inputs = ClusterSums.rows

    if TYPE_CHECKING:

        def rows(self, features: Any, predictions: Any) -> Mapping[str, Any]:
            """For type checkers."""

    every_rank_computes = True
    ranges = NOT_NEGATIVE
    no_interval = "clusters depend on all samples: one more sample would change the others"
    higher_is_better = True

    def __init__(self, num_clusters: int, dim: int, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.statistic = ClusterSums(num_clusters, dim)
        self.num_clusters, self.dim = num_clusters, dim

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `calinski_harabasz`."""
        sizes, total = results.sizes.tolist(), len(results)
        exact: Any = results.exact("sums")
        *sums, squares = exact.tolist()
        clusters = [sums[k * self.dim : (k + 1) * self.dim] for k in range(self.num_clusters)]
        filled = [(n, sum_) for n, sum_ in zip(sizes, clusters, strict=True) if n]
        if not 2 <= len(filled) < total:
            return {"calinski_harabasz": math.nan}
        centres = sum((_square(sum_) / n for n, sum_ in filled), Fraction(0))
        between = centres - _square([sum(column) for column in zip(*clusters, strict=True)]) / total
        within = squares - centres
        if not within:
            return {"calinski_harabasz": 1.0}
        ratio = between / (len(filled) - 1) / (within / (total - len(filled)))
        return {"calinski_harabasz": to_float(ratio)}


def _square(vector: list[Fraction]) -> Fraction:
    return sum((value * value for value in vector), Fraction(0))
