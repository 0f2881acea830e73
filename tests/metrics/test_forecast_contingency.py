"""ForecastContingency, MinkowskiDistance, ClusterAccuracy and Purity."""

import math
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import minkowski
from sklearn import metrics as sk

from mmeval_like import ClusterAccuracy, ForecastContingency, MinkowskiDistance, Purity
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples


def fields(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Fields of rain, many values of which are at the threshold."""
    return rng.integers(0, 4, (n, 3, 2)) / 2, rng.integers(0, 4, (n, 3, 2)).astype(np.float32) / 2


def skills(predictions: Any, labels: Any) -> dict[str, float]:
    """By scikit-learn, and by the formula of the skill against a forecast by chance."""
    forecast, observed = (np.ravel(values) >= 1 for values in (predictions, labels))
    (d, b), (c, a) = sk.confusion_matrix(observed, forecast, labels=[False, True])
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "csi": sk.jaccard_score(observed, forecast),
            "pod": sk.recall_score(observed, forecast),
            "far": 1 - sk.precision_score(observed, forecast),
            "pofd": b / (b + d),
            "frequency_bias": forecast.sum() / observed.sum(),
            "hss": sk.cohen_kappa_score(observed, forecast),
            "ets": (a - forecast.sum() * observed.mean())
            / (a + b + c - forecast.sum() * observed.mean()),
        }


def numbers(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    """Numbers and weights."""
    return rng.normal(size=n), rng.normal(size=n), rng.integers(1, 9, n) / 8


def distance(p: float, predictions: Any, labels: Any, weights: Any) -> dict[str, float]:
    """The value of scipy."""
    return {"minkowski": minkowski(predictions, labels, p, weights)}


def groups(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Clusters and classes."""
    return rng.integers(0, 4, n), rng.integers(0, 3, n)


def best(clusters: Any, classes: Any) -> dict[str, float]:
    """The best of all mappings."""
    shares = [np.mean(np.array(m)[clusters] == classes) for m in permutations(range(4))]
    return {"cluster_accuracy": max(shares)}


def purity(clusters: Any, classes: Any) -> dict[str, float]:
    """From the columns of scikit-learn's table."""
    table = sk.cluster.contingency_matrix(classes, clusters)
    return {"purity": table.max(axis=0).sum() / len(classes)}


CASES = {
    "ForecastContingency": MetricCase(
        partial(ForecastContingency, 1.0), fields, skills, 1e-9, least=8
    ),
    "MinkowskiDistance": MetricCase(partial(MinkowskiDistance, 3.5), numbers,
                                    partial(distance, 3.5)),
    "MinkowskiDistance, 1": MetricCase(partial(MinkowskiDistance, 1), numbers,
                                       partial(distance, 1)),
    "MinkowskiDistance, 2": MetricCase(partial(MinkowskiDistance, 2), numbers,
                                       partial(distance, 2)),
    "ClusterAccuracy": MetricCase(ClusterAccuracy, groups, best),
    "Purity": MetricCase(Purity, groups, purity),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(3))


def test_no_events() -> None:
    """Scores whose divisor is 0 are nan, each by itself."""
    found = ForecastContingency(1.0)([0.0, 0.0], [0.0, math.inf])

    assert found["csi"] == found["pod"] == found["pofd"] == found["frequency_bias"] == 0.0
    assert math.isnan(found["far"])
    assert math.isnan(ForecastContingency(1.0)([2.0], [2.0])["pofd"])


def test_outputs_have_distances_of_their_own() -> None:
    """A root is taken of every output's sum."""
    batch = [[3.0, 1.0], [4.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]

    assert MinkowskiDistance(2, num_outputs=2, multioutput="raw_values")(*batch) == {
        "minkowski": [5.0, 1.0]
    }
    assert MinkowskiDistance(2, num_outputs=2)(*batch) == {"minkowski": 3.0}


@pytest.mark.parametrize("p", [0.5, math.inf, math.nan])
def test_powers_that_are_no_norm(p: float) -> None:
    """A power below 1 has no distance."""
    with pytest.raises(ValueError, match="p must be at least 1"):
        MinkowskiDistance(p)


def test_bad_inputs() -> None:
    """What are no values to compare is refused."""
    for batch, text in [
        (([1.0], [[1.0]]), "same shape"),
        (([math.nan], [1.0]), "predictions must not contain nan"),
        ((1.0, 1.0), "axis of samples"),
    ]:
        with pytest.raises(ValueError, match=text):
            ForecastContingency(1.0).add(*batch)
    with pytest.raises(ValueError, match="threshold"):
        ForecastContingency(math.nan)


def test_empty_batches_add_nothing() -> None:
    """Of any shape."""
    metric = ForecastContingency(1.0)
    metric.add([1.0], [1.0])
    for shape in ((0,), (0, 3), (0, 0)):
        metric.add(np.zeros(shape), np.zeros(shape))
    assert metric.compute()["csi"] == 1.0
