"""DaviesBouldinScore, DunnIndex and SilhouetteScore: metrics of distances within clusters."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from mmeval_like.metrics._common.feature_sums import ClusteredPoints
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import (
    CORRELATION,
    NOT_NEGATIVE,
    BaseMetric,
    MetricOptions,
    Results,
    Unpack,
    arrays,
)
from mmeval_like.writing.exact import ExactSum, Scratch

__all__ = ["DaviesBouldinScore", "DunnIndex", "SilhouetteScore"]

_ROWS = 64  # points whose distances to all points are kept at once
_BLOCK = 1 << 16  # differences of coordinates that are computed at once


@shared_options
class PointsMetric(BaseMetric):
    """The base class of metrics of the positions of points in clusters, which keep all points.

    Args:
        dim: The number of features D. A sample takes 8 D + 8 bytes of memory; one rank gathers all
            samples to compute the value.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `dim` is below 1.
    """

    _takes_inputs = ClusteredPoints.rows

    if TYPE_CHECKING:

        def rows(self, features: Any, predictions: Any) -> Mapping[str, Any]:
            """For type checkers."""

    key: ClassVar[str]
    no_interval = "clusters depend on all samples: one more sample would change the others"

    def __init__(self, dim: int, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.statistic = ClusteredPoints(dim)

    @abstractmethod
    def value(self, groups: list[np.ndarray]) -> float:
        """Return the value of two or more clusters, each with points (n, D)."""

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the value; nan with fewer than two clusters, or if no cluster has two points."""
        groups = cast(ClusteredPoints, self.statistic).groups(results)
        return {self.key: self.value(groups) if 2 <= len(groups) < len(results) else math.nan}


class DaviesBouldinScore(PointsMetric):
    """The Davies-Bouldin score: the mean similarity of each cluster to its most similar one.

    The similarity of the clusters i and j is (s_i + s_j) / d_(i j), where s_i is the mean Euclidean
    distance of a cluster's points from its centre, and d_(i j) the distance of the two centres.
    scikit-learn leaves out pairs of clusters with the same centre; here they make the score
    infinite. Source: D. L. Davies and D. W. Bouldin, "A cluster separation measure", IEEE
    Transactions on Pattern Analysis and Machine Intelligence 1 (1979).

    `add` takes `features` (N, D), of any real dtype, each zero or of magnitude 1e-105 to 1e115, and
    `predictions`, the clusters (N,).

    Formula:
        DB = 1/K sum_i max_(j != i) (s_i + s_j) / d_(i j)

    Args:
        **options: As for `PointsMetric`.

    Returns of `compute`: `davies_bouldin`, at least 0; infinity if two clusters have the same
    centre; nan with fewer than two clusters, and if each cluster is a single point. Lower is
    better.

    Example:
        >>> metric = DaviesBouldinScore(dim=1)
        >>> metric.add(features=[[0.0], [2.0], [6.0], [8.0]], predictions=[0, 0, 1, 1])
        >>> metric.compute()  # (1 + 1) / 6
        {'davies_bouldin': 0.3333333333333333}
    """

    key = "davies_bouldin"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def value(self, groups: list[np.ndarray]) -> float:
        """Return the mean of the largest similarities."""
        centres = _centres(groups)
        spread = [
            math.fsum(_distances(points, centre).tolist()) / len(points)
            for points, centre in zip(groups, centres, strict=True)
        ]
        most = []
        for i, centre in enumerate(centres):
            gaps = _distances(centres, centre)
            with np.errstate(divide="ignore", invalid="ignore"):
                similar = np.where(gaps > 0, (spread[i] + np.array(spread)) / gaps, math.inf)
            most.append(float(np.delete(similar, i).max()))
        return math.fsum(most) / len(most)


class DunnIndex(PointsMetric):
    """The Dunn index: the distance of the two nearest clusters over the radius of the widest.

    This variant of Dunn's index measures from the centres: clusters are as far apart as
    their centres c_i and c_j, and the radius of a cluster is the largest distance of a point x from
    its own centre c_k. Time therefore grows with the number of samples, not with its square.
    Sources: J. C. Dunn, "Well-separated clusters and optimal fuzzy partitions", Journal of
    Cybernetics 4 (1974); J. C. Bezdek and N. R. Pal, "Some new indexes of cluster validity", IEEE
    Transactions on Systems, Man, and Cybernetics 28 (1998).

    `add` takes `features` (N, D), of any real dtype, each zero or of magnitude 1e-105 to 1e115, and
    `predictions`, the clusters (N,).

    Formula:
        D = (min_(i != j) |c_i - c_j|) / (max_x |x - c_k|)

    Args:
        **options: As for `PointsMetric`.

    Returns of `compute`: `dunn`, at least 0; infinity if every point is the centre of its cluster;
    nan with fewer than two clusters, and if each cluster is a single point. Higher is
    better.

    Example:
        >>> metric = DunnIndex(dim=1)
        >>> metric.add(features=[[0.0], [2.0], [6.0], [8.0]], predictions=[0, 0, 1, 1])
        >>> metric.compute()  # 6 / 1
        {'dunn': 6.0}
    """

    key = "dunn"
    ranges = NOT_NEGATIVE
    higher_is_better = True

    def value(self, groups: list[np.ndarray]) -> float:
        """Return the quotient."""
        centres = _centres(groups)
        pairs = zip(groups, centres, strict=True)
        widest = max(float(_distances(points, centre).max()) for points, centre in pairs)
        nearest = min(
            float(_distances(centres[i + 1 :], centre).min())
            for i, centre in enumerate(centres[:-1])
        )
        if not widest:
            return math.inf if nearest else math.nan
        return nearest / widest


class SilhouetteScore(PointsMetric):
    """The silhouette: how much nearer points are to their own cluster than to the next one.

    For each point, a is the mean Euclidean distance from the other points of its cluster, and b the
    mean distance from the points of the nearest other cluster. The score is the mean over points: 1
    is best; below 0, points are nearer to another cluster. A point that is the only one of its
    cluster counts as 0. Time grows with the square of the number of samples. Source: P. J.
    Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis", Journal of Computational and Applied Mathematics 20 (1987).

    `add` takes `features` (N, D), of any real dtype, each zero or of magnitude 1e-105 to 1e115, and
    `predictions`, the clusters (N,).

    Formula:
        S = mean (b - a) / max(a, b)

    Args:
        **options: As for `PointsMetric`.

    Returns of `compute`: `silhouette`, in [-1, 1]; nan with fewer than two clusters, and if each
    cluster is a single point. Higher is better.

    Example:
        >>> metric = SilhouetteScore(dim=1)
        >>> metric.add(features=[[0.0], [1.0], [5.0]], predictions=[0, 0, 1])
        >>> metric.compute()  # ((5 - 1) / 5 + (4 - 1) / 4 + 0) / 3
        {'silhouette': 0.5166666666666667}
    """

    key = "silhouette"
    ranges = CORRELATION
    higher_is_better = True

    def value(self, groups: list[np.ndarray]) -> float:
        """Return the mean."""
        sizes = np.array([len(points) for points in groups])
        clusters = np.repeat(np.arange(len(groups)), sizes)
        points = np.concatenate(groups)
        found: list[float] = []
        stops = np.cumsum(sizes).tolist()
        for start in range(0, len(points), _ROWS):
            near = _tables(points[start : start + _ROWS], points)
            sums = np.empty((len(near), len(groups)))
            for cluster, stop in enumerate(stops):
                total = ExactSum((len(near),))
                total.add(near[:, stop - len(groups[cluster]) : stop].T)
                sums[:, cluster] = total.value()
            own, each = clusters[start : start + _ROWS], np.arange(len(near))
            others = sizes - (np.arange(len(groups)) == own[:, None])  # excludes the point itself
            means = sums / np.maximum(others, 1)
            within, means[each, own] = means[each, own], math.inf
            beside = means.min(axis=1)
            largest = np.maximum(within, beside)
            known = (largest > 0) & (sizes[own] > 1)
            found += np.where(
                known, (beside - within) / np.where(known, largest, 1.0), 0.0
            ).tolist()
        return math.fsum(found) / len(points)


def _centres(groups: list[np.ndarray]) -> np.ndarray:
    """Return the means of points from exact sums, which are independent of their order.

    The mean of equal numbers is that number.
    """
    centres = []
    for points in groups:
        total = ExactSum(points.shape[1:])
        total.add(points)
        mean = total.value() / len(points)
        centres.append(np.clip(mean, points.min(axis=0), points.max(axis=0)))
    return np.stack(centres)


def _distances(points: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the Euclidean distances (n,) of points (n, D) from another point (D,)."""
    gaps: Any = points - other
    found: np.ndarray = np.sqrt(arrays.sum_rows(gaps * gaps))
    return found


def _tables(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the distances (n, m) of points (n, D) from others (m, D), equal to `_distances`.

    A few points are processed at a time, so that their differences fit in the cache.
    """
    found = np.empty((len(points), len(others)))
    step = max(1, _BLOCK // others.size)
    columns = np.ascontiguousarray(others.T)[:, None]
    for start in range(0, len(points), step):
        some = points[start : start + step]
        with Scratch((len(columns), len(some), len(others))) as [gaps]:
            np.subtract(columns, some.T[:, :, None], out=gaps)
            np.square(gaps, out=gaps)
            squares = arrays.sum_rows(gaps.reshape(len(columns), -1).T, overwrite=True)
        found[start : start + step] = np.sqrt(squares).reshape(len(some), -1)
    return found
