"""Metrics of features and clusters against scikit-learn and numpy."""

import math
from collections.abc import Callable
from functools import partial
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from mmeval_like import (
    CalinskiHarabaszScore,
    Covariance,
    DaviesBouldinScore,
    DunnIndex,
    SilhouetteScore,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples

DIM = 3


def points(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Three clusters that overlap, of which one may be empty, far from 0; two at least have any."""
    clusters = rng.integers(0, 3, n)
    clusters[:3] = 0, 0, 2
    return 1e4 + clusters[:, None] + rng.normal(size=(n, DIM)), clusters


def of_sklearn(key: str, function: Any, features: Any, clusters: Any) -> dict[str, float]:
    """The value of a function of scikit-learn, of features near 0."""
    return {key: function(features - 1e4, clusters)}


def davies_bouldin(features: Any, clusters: Any) -> dict[str, float]:
    """From the definition: scikit-learn takes distances by a formula that cancels digits."""
    groups = [features[clusters == k] for k in np.unique(clusters)]
    centres = [group.mean(axis=0) for group in groups]
    spread = [np.linalg.norm(g - c, axis=1).mean() for g, c in zip(groups, centres, strict=True)]
    similar = {
        (i, j): (spread[i] + spread[j]) / np.linalg.norm(centres[i] - centres[j])
        for i, j in permutations(range(len(groups)), 2)
    }
    most = [max(v for (i, _), v in similar.items() if i == k) for k in range(len(groups))]
    return {"davies_bouldin": float(np.mean(most))}


def dunn(features: Any, clusters: Any) -> dict[str, float]:
    """From the definition."""
    groups = [features[clusters == k] for k in np.unique(clusters)]
    centres = [group.mean(axis=0) for group in groups]
    nearest = min(np.linalg.norm(a - b) for a, b in combinations(centres, 2))
    pairs = zip(groups, centres, strict=True)
    return {"dunn": nearest / max(np.linalg.norm(g - c, axis=1).max() for g, c in pairs)}


def numbers(rng: np.random.Generator, n: int) -> tuple[Any]:
    """Numbers that vary little beside their size."""
    return (1e6 + rng.normal(size=(n, DIM)),)


def spread(ddof: int, observations: Any) -> dict[str, Any]:
    """The covariance by numpy, of numbers near 0."""
    covariance = np.cov(observations.T - 1e6, ddof=ddof)
    return {"mean": observations.mean(axis=0), "covariance": covariance}


EMPTY = {"mean": np.full(DIM, math.nan), "covariance": np.full((DIM, DIM), math.nan)}
CASES = {
    "CalinskiHarabaszScore": MetricCase(
        partial(CalinskiHarabaszScore, 4, DIM), points,
        partial(of_sklearn, "calinski_harabasz", sk.calinski_harabasz_score), 1e-8, least=4,
    ),
    "DaviesBouldinScore": MetricCase(
        partial(DaviesBouldinScore, DIM), points, davies_bouldin, 1e-8, least=4,
    ),
    "DunnIndex": MetricCase(partial(DunnIndex, DIM), points, dunn, 1e-8, least=4),
    "SilhouetteScore": MetricCase(
        partial(SilhouetteScore, DIM), points,
        partial(of_sklearn, "silhouette", sk.silhouette_score), 1e-8, least=4,
    ),
    "Covariance": MetricCase(
        partial(Covariance, DIM), numbers, partial(spread, 1), 1e-8, empty=EMPTY, least=2
    ),
    "Covariance, of the population": MetricCase(
        partial(Covariance, DIM, unbiased=False), numbers, partial(spread, 0), 1e-8, empty=EMPTY
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(2))


ALL = [partial(CalinskiHarabaszScore, 3), DaviesBouldinScore, DunnIndex, SilhouetteScore]


@pytest.mark.parametrize("make", ALL)
def test_what_is_no_partition(make: Callable[..., Any]) -> None:
    """One cluster, and clusters of one point each, have no value."""
    metric = make(dim=1)
    for clusters in ([1, 1, 1], [0, 1, 2]):
        [value] = metric([[0.0], [1.0], [2.0]], clusters).values()
        assert math.isnan(value)


def test_clusters_that_are_points() -> None:
    """Clusters without a width are perfect; two of one centre are not told apart."""
    batch = [[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]
    assert CalinskiHarabaszScore(2, 1)(*batch) == {"calinski_harabasz": 1.0}
    assert DaviesBouldinScore(1)(*batch) == {"davies_bouldin": 0.0}
    assert DunnIndex(1)(*batch) == {"dunn": math.inf}
    assert SilhouetteScore(1)(*batch) == {"silhouette": 1.0}

    same = [[0.0], [2.0], [1.0], [1.0]], [0, 0, 1, 1]
    assert DaviesBouldinScore(1)(*same) == {"davies_bouldin": math.inf}
    assert DunnIndex(1)(*same) == {"dunn": 0.0}
    assert math.isnan(DunnIndex(1)([[1.0]] * 4, [0, 0, 1, 1])["dunn"])


@pytest.mark.parametrize("place", [0.5, 0.1, 1 / 3, 100.1])
def test_equal_points_are_the_centre_of_their_cluster(place: float) -> None:
    """The mean of equal numbers is that number, whatever its digits."""
    for count in (3, 6, 49):
        points, half = np.full((2 * count, 2), place), np.arange(2 * count) % 2
        assert DaviesBouldinScore(2)(points, half) == {"davies_bouldin": math.inf}
        assert math.isnan(DunnIndex(2)(points, half)["dunn"])
        apart = points * (1 + half[:, None])
        assert DaviesBouldinScore(2)(apart, half) == {"davies_bouldin": 0.0}
        assert DunnIndex(2)(apart, half) == {"dunn": math.inf}


def test_a_point_of_its_own_has_no_silhouette() -> None:
    """It counts 0, as in scikit-learn."""
    batch = np.array([[0.0], [1.0], [5.0]]), [0, 0, 1]

    assert SilhouetteScore(1)(*batch)["silhouette"] == pytest.approx(sk.silhouette_score(*batch))


def test_no_digits_are_lost() -> None:
    """Exact sums: numbers around 1e9 have the covariance that they have around 0."""
    near = np.array([[1.0, 2.0], [2.0, 1.0], [4.0, 8.0]])

    found = Covariance(2)(near + 1e9)["covariance"]
    assert found.tolist() == Covariance(2)(near)["covariance"].tolist()
    far = CalinskiHarabaszScore(2, 2)(near + 1e9, [0, 0, 1])
    assert far == CalinskiHarabaszScore(2, 2)(near, [0, 0, 1])


def test_one_observation() -> None:
    """It has a mean, and of a population no spread; of a sample its spread is not known."""
    assert Covariance(1)([[2.0]])["mean"].tolist() == [2.0]
    assert math.isnan(Covariance(1)([[2.0]])["covariance"].item())
    assert Covariance(1, unbiased=False)([[2.0]])["covariance"].tolist() == [[0.0]]


BAD = [
    (lambda: CalinskiHarabaszScore(0, 1), "num_clusters must be positive"),
    (lambda: DunnIndex(0), "dim must be positive"),
    (lambda: Covariance(0), "dim must be positive"),
    (lambda: CalinskiHarabaszScore(2, 1).add([[1.0]], [2]), r"predictions must be in \[0, 2\)"),
    (lambda: DunnIndex(2).add([[1.0]], [2]), r"features must have shape \(N, 2\), got \(1, 1\)"),
    (lambda: DunnIndex(1).add([[1.0]], [2, 2]), "same length"),
    (lambda: DunnIndex(1).add([[1.0]], [[2]]), r"predictions must have shape \(N,\)"),
    (lambda: DunnIndex(1).add([[math.nan]], [2]), "features must not contain nan"),
    (lambda: Covariance(1).add([[1e116]]), "must not exceed"),
    (lambda: Covariance(1).add([1.0]), r"observations must have shape \(N, 1\)"),
]


@pytest.mark.parametrize(("action", "text"), BAD)
def test_bad_arguments_and_inputs(action: Callable[[], Any], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(ValueError, match=text):
        action()
