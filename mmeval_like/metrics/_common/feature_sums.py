"""Features of samples: exact sums by cluster, exact sums of products, or all samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import bounded
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.writing import Results, Rows, State, Statistic, arrays, state
from mmeval_like.writing.exact import two_product
from mmeval_like.writing.states import Piece, PieceSum

__all__ = ["ClusterSums", "ClusteredPoints", "ProductSums", "as_features"]

_IDS = 2**31


def as_features(features: Any, dim: int, name: str = "features") -> np.ndarray:
    """Return features (N, dim) as float64.

    Raises:
        TypeError: The inputs are not real numbers.
        ValueError: The shape does not fit, a value is nan or infinite, a magnitude is not 0 and
            beyond [1e-105, 1e115], or an integer is beyond 2^53.
    """
    found = arrays.as_floats(features, name)
    if found.size == 0 and found.ndim == 1:
        found = found.reshape(0, dim)
    if found.ndim != 2 or found.shape[1] != dim:
        raise ValueError(f"{name} must have shape (N, {dim}), got {found.shape}")
    return bounded(name, found)


def _pair(features: Any, clusters: Any, dim: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features (N, dim) and cluster indices (N,), checked."""
    found = as_features(features, dim)
    ids = arrays.as_integers(clusters, "predictions")
    check_one_axis("predictions", ids)
    arrays.check_range("predictions", ids, most)
    arrays.check_same_length("features", found, "predictions", ids)
    return found, ids


def _check_positive(**numbers: int) -> None:
    for name, number in numbers.items():
        check_count(name, number)


class _SumsByCluster(PieceSum):
    """The exact sums of x by cluster, followed by the sum of |x|^2, of rows (n, 1 + dim).

    A row is the cluster and x; squares are computed when rows are folded.
    """

    def __init__(self, clusters: int, dim: int) -> None:
        super().__init__(float, (clusters * dim + 1,))
        self.dim = dim

    def blank(self, count: int) -> Rows:
        """Return rows of zeros."""
        return np.zeros((count, 1 + self.dim))

    def pieces(self, rows: np.ndarray) -> Iterator[Piece]:
        """Yield the features, each with its index, and the squares; see `FloatSum.pieces`."""
        values = np.ascontiguousarray(rows[:, 1:])
        starts = rows[:, 0].astype(np.int64) * self.dim
        yield (starts[:, None] + np.arange(self.dim)).ravel(), values.ravel()
        for part in two_product(values, values):
            yield self.shape[0] - 1, part.ravel()


@dataclass(frozen=True)
class ClusterSums(Statistic):
    """The size of each cluster, the exact sums of its features, and the sum of all squares.

    Attributes:
        num_clusters: The number of clusters.
        dim: The number of features D. Memory: 560 bytes for each feature of each cluster.
    """

    num_clusters: int
    dim: int

    def __post_init__(self) -> None:
        _check_positive(num_clusters=self.num_clusters, dim=self.dim)

    def states(self) -> dict[str, State]:
        """Return the sizes and the sums."""
        sums = _SumsByCluster(self.num_clusters, self.dim)
        return {"sizes": state.count(self.num_clusters), "sums": sums}

    def rows(self, features: Any, predictions: Any) -> dict[str, np.ndarray]:
        """Return every sample's cluster and features.

        Args:
            features: Numbers (N, dim) of any real dtype.
            predictions: Clusters (N,), integers in [0, num_clusters).

        Raises:
            TypeError, ValueError: The features are not real numbers, have the wrong shape, are nan
                or infinite, have a magnitude beyond [1e-105, 1e115] and are not 0, or are integers
                beyond 2^53; the clusters are not whole numbers, or are out of range; the lengths
                differ.
        """
        values, clusters = _pair(features, predictions, self.dim, self.num_clusters)
        return {"sizes": clusters, "sums": np.column_stack([clusters, values])}


class _Products(PieceSum):
    """The exact sums of x, and of the products of all pairs of its entries, of rows (n, dim)."""

    def __init__(self, dim: int) -> None:
        super().__init__(float, (dim + dim * (dim + 1) // 2,))
        self.dim = dim

    def blank(self, count: int) -> Rows:
        """Return rows of zeros."""
        return np.zeros((count, self.dim))

    def pieces(self, rows: np.ndarray) -> Iterator[Piece]:
        """Yield the features and the products; see `FloatSum.pieces`."""
        yield range(self.shape[0]), np.array(rows.T, np.float64, order="C")


@dataclass(frozen=True)
class ProductSums(Statistic):
    """The exact sums of features, and of the products of all pairs of features.

    Attributes:
        dim: The number of features D. Memory: 280 bytes for each of D^2 + 3 D sums.
    """

    dim: int

    def __post_init__(self) -> None:
        _check_positive(dim=self.dim)

    def states(self) -> dict[str, State]:
        """Return the sums."""
        return {"sums": _Products(self.dim)}

    def rows(self, observations: Any) -> dict[str, np.ndarray]:
        """Return the observations.

        Args:
            observations: Numbers (N, dim) of any real dtype.

        Raises:
            TypeError, ValueError: The numbers are not real, have the wrong shape, are nan or
                infinite, have a magnitude beyond [1e-105, 1e115] and are not 0, or are integers
                beyond 2^53.
        """
        return {"sums": as_features(observations, self.dim, "observations")}


@dataclass(frozen=True)
class ClusteredPoints(Statistic):
    """The features and the cluster of every sample, 8 D + 8 bytes per sample.

    Attributes:
        dim: The number of features D.
    """

    dim: int

    def __post_init__(self) -> None:
        _check_positive(dim=self.dim)

    def states(self) -> dict[str, State]:
        """Return both columns."""
        return {"points": state.cat(np.float64, (self.dim,)), "clusters": state.cat(np.int64)}

    def rows(self, features: Any, predictions: Any) -> dict[str, np.ndarray]:
        """Return both columns.

        Args:
            features: Numbers (N, dim) of any real dtype.
            predictions: Clusters (N,), integers in [0, 2^31).

        Raises:
            TypeError, ValueError: The features are not real numbers, have the wrong shape, are nan
                or infinite, have a magnitude beyond [1e-105, 1e115] and are not 0, or are integers
                beyond 2^53; the clusters are not whole numbers, or are out of range; the lengths
                differ.
        """
        values, clusters = _pair(features, predictions, self.dim, _IDS)
        return {"points": values, "clusters": clusters}

    def groups(self, results: Results) -> list[np.ndarray]:
        """Return the points (n, D) of every nonempty cluster."""
        points, clusters = np.asarray(results.points), np.asarray(results.clusters)
        return [points[clusters == cluster] for cluster in np.unique(clusters)]
