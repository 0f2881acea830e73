"""PrecisionRecallDensityCoverage: which samples lie near samples of the other kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.features.feature_moments import Features
from mmeval_like.metrics.features.kernels import blocks, middle
from mmeval_like.metrics.features.network import FeatureMetric
from mmeval_like.writing import Results, arrays

__all__ = ["PrecisionRecallDensityCoverage"]

_NUMBERS = 1 << 20  # differences that are computed at once
_KEYS = ("precision", "recall", "density", "coverage")


class PrecisionRecallDensityCoverage(FeatureMetric):
    """How realistic and how diverse generated samples are: precision, recall, density, coverage.

    Each of N real samples r and M generated ones g has a ball, B(r) or B(g): its radius is the
    distance to the k-th nearest other sample of the same kind. Points on its surface are outside.
    `precision` is the share of generated samples in the ball of any real one, `recall` the share of
    real samples in the ball of any generated one, `density` the mean number of balls of real
    samples that contain a generated one, divided by k, and `coverage` the share of real samples
    with a generated one in their ball. All features are kept. Sources: T. Kynkäänniemi et al.,
    "Improved precision and recall metric for assessing generative models" (NeurIPS 2019); M. Naeem
    et al., "Reliable fidelity and diversity metrics for generative models" (ICML 2020).

    `add` takes `samples`, features (N, D) or what `features` takes, and `real`, a bool or bools
    (N,).

    Formula:
        precision = 1/M sum_j max_i [g_j in B(r_i)]
        recall = 1/N sum_i max_j [r_i in B(g_j)]
        density = 1/(k M) sum_j sum_i [g_j in B(r_i)]
        coverage = 1/N sum_i max_j [g_j in B(r_i)]

    Args:
        dim: The number of features D. Each sample takes 4 D bytes of memory; 8 D if it has features
            that float32 would round.
        features: The network, as for `FrechetInceptionDistance`.
        nearest_k: The number k of nearest neighbours that define a ball.
        **options: As for `FeatureMetric`.

    Returns of `compute`: `precision`, `recall`, `density` and `coverage`, all in [0, 1] except
    `density`; nan with k samples of a kind or fewer. Higher is better.

    Raises:
        TypeError: `dim` or `nearest_k` is not an integer, or `features` not a function.
        ValueError: `dim` or `nearest_k` is below 1.

    Example:
        >>> metric = PrecisionRecallDensityCoverage(dim=1, nearest_k=1)
        >>> metric.add([[0.0], [2.0], [9.0]], real=True)  # radii 2, 2, 7
        >>> metric.add([[1.0], [30.0]], real=False)  # radii 29, 29
        >>> metric.compute()
        {'precision': 0.5, 'recall': 1.0, 'density': 1.0, 'coverage': 0.6666666666666666}
    """

    ranges = MappingProxyType({"density": (0.0, math.inf), "*": (0.0, 1.0)})
    no_interval = "each sample counts by its neighbours: one more sample would change the others"
    higher_is_better = True

    def __init__(
        self,
        dim: int = 2048,
        features: Callable[[Any], Any] | None = None,
        nearest_k: int = 5,
        **options: Any,
    ) -> None:
        super().__init__(dim, features, **options)
        self.nearest_k = check_count("nearest_k", nearest_k)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the four values."""
        generated, real = cast(Features, self.statistic).sides(results)
        if min(len(generated), len(real)) <= self.nearest_k:
            return dict.fromkeys(_KEYS, math.nan)
        most = max(float(np.abs(side).max()) for side in (generated, real))
        power = -math.frexp(most)[1]  # the squares of very small features would be 0
        generated, real = np.ldexp(generated, power), np.ldexp(real, power)
        ours, theirs = (self._radii(side) for side in (generated, real))
        among, reached, near, balls = 0, np.zeros(len(real), bool), np.zeros(len(real), bool), 0
        for table in _tables(generated, real):
            inside = table.settled(theirs) < theirs
            balls += int(inside.sum())
            among += int(inside.any(axis=1).sum())
            near |= inside.any(axis=0)
            radii = ours[table.rows, None]
            reached |= (table.settled(radii) < radii).any(axis=0)
        values = (
            among / len(generated),
            int(reached.sum()) / len(real),
            balls / (self.nearest_k * len(generated)),
            int(near.sum()) / len(real),
        )
        return dict(zip(_KEYS, values, strict=True))

    def _radii(self, vectors: np.ndarray) -> np.ndarray:
        """Return the squared distance of every vector to its k-th neighbour."""
        radii = []
        for table in _tables(vectors, vectors):
            places = np.arange(len(table.x))
            # The vector itself is at place 0.
            table.distances[places, table.rows.start + places] = -math.inf
            last = np.partition(table.distances, self.nearest_k, axis=1)[:, self.nearest_k]
            settled = table.settled(last[:, None])
            radii.append(np.partition(settled, self.nearest_k, axis=1)[:, self.nearest_k])
        return np.concatenate(radii)


@dataclass
class Table:
    """Some rows of the table of squared distances between two sets of vectors.

    The distances come from products of matrices, whose rounding depends on their sizes and on the
    processor: whether a copy of a vector on the surface of a ball lies inside would be arbitrary.
    Near such limits, `settled` computes distances from differences, which are the same for equal
    vectors.

    Attributes:
        rows: The slice of the first set that the table covers.
        x: The vectors of this slice.
        y: All vectors of the second set.
        distances: The table (rows, len(y)).
        slack: Twice the largest rounding error of each distance.
    """

    rows: slice
    x: np.ndarray
    y: np.ndarray
    distances: np.ndarray
    slack: np.ndarray

    def settled(self, limits: np.ndarray) -> np.ndarray:
        """Return the table, with distances near these limits computed from differences."""
        gaps = self.distances - limits
        near = np.nonzero(np.abs(gaps, out=gaps) <= self.slack)
        step = max(1, _NUMBERS // self.x.shape[1])
        for start in range(0, len(near[0]), step):
            i, j = (places[start : start + step] for places in near)
            differences = self.x[i] - self.y[j]
            self.distances[i, j] = arrays.sum_rows(differences * differences)
        return self.distances


def _tables(x: np.ndarray, y: np.ndarray) -> Iterator[Table]:
    """Yield the table of squared distances, block by block."""
    centre = middle(y)
    moved = y - centre
    squares = (moved * moved).sum(axis=1)
    for rows in blocks(len(x)):
        block = x[rows] - centre
        sums = (block * block).sum(axis=1)[:, None] + squares
        found = block @ moved.T
        found *= -2
        found += sums
        np.maximum(found, 0.0, out=found)
        sums *= 4 * (x.shape[1] + 8) * np.finfo(np.float64).eps
        yield Table(rows, x[rows], y, found, slack=sums)
