"""SilhouetteScore of many points: the bits of the formula, point by point."""

import math

import numpy as np
import pytest

from mmeval_like import SilhouetteScore
from mmeval_like.writing import arrays


def point_by_point(points: np.ndarray, clusters: np.ndarray) -> float:
    """The mean silhouette, each from the distances of one point, which are summed exactly."""
    order = np.argsort(clusters, kind="stable")
    points, clusters = points[order], clusters[order]
    found = []
    for point, own in zip(points, clusters, strict=True):
        gaps = points - point
        near = np.sqrt(arrays.sum_rows(gaps * gaps))
        means = {
            cluster: math.fsum(near[clusters == cluster])
            / max(int((clusters == cluster).sum()) - (cluster == own), 1)
            for cluster in np.unique(clusters)
        }
        within = means.pop(own)
        others = min(means.values())
        largest = max(within, others)
        alone = (clusters == own).sum() == 1
        found.append((others - within) / largest if largest and not alone else 0.0)
    return math.fsum(found) / len(points)


@pytest.mark.parametrize("dim", [1, 3, 500])
@pytest.mark.parametrize("count", [3, 64, 65, 140])
def test_points_at_once_have_the_bits_of_each_alone(count: int, dim: int) -> None:
    """The score does not depend on how many points are worked on at once."""
    rng = np.random.default_rng(count)
    points = np.ldexp(rng.normal(size=(count, dim)), rng.integers(-30, 30, (count, 1)))
    clusters = rng.integers(0, 5, count)
    clusters[:3] = 0, 0, 6
    metric = SilhouetteScore(dim=dim)
    assert metric(points, clusters)["silhouette"] == point_by_point(points, clusters)
