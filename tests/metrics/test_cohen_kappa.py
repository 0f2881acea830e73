"""CohenKappa against scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from mmeval_like import CohenKappa
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES
EMPTY = {"kappa": math.nan}


def oracle(
    predictions: np.ndarray, labels: np.ndarray, sample_weight: Any = None, weights: Any = None
) -> dict[str, float]:
    """scikit-learn's value; nan where all are of one class."""
    if len(set(predictions[:].tolist()) | set(labels.tolist())) == 1:
        return EMPTY
    return {
        "kappa": cohen_kappa_score(
            predictions, labels, labels=range(SIZE), weights=weights, sample_weight=sample_weight
        )
    }


def weighted(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Weights that are not 0, so that no class vanishes."""
    return *classes.indices(rng, n), rng.random(n) + 0.1


CASES = {
    **{
        f"CohenKappa, {weights}": MetricCase(
            partial(CohenKappa, SIZE, weights),
            classes.indices,
            partial(oracle, weights=weights),
            empty=EMPTY,
        )
        for weights in (None, "linear", "quadratic")
    },
    **{
        f"CohenKappa, {weights}, weighted samples": MetricCase(
            partial(CohenKappa, SIZE, weights, use_sample_weight=True),
            weighted,
            partial(oracle, weights=weights),
            empty=EMPTY,
        )
        for weights in (None, "quadratic")
    },
    "CohenKappa, many classes": MetricCase(partial(CohenKappa, 40), classes.indices, oracle),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_counts_beyond_int64(weights: str | None) -> None:
    """Products of counts are Python's integers: a million times the samples, the same value."""
    metric = CohenKappa(SIZE, weights)
    predictions, labels = classes.indices(np.random.default_rng(0), 50)
    metric.add(predictions, labels)
    expected = metric.compute()
    store = metric._samples().stores()[0]
    part = store.part(0)
    part.folded["matrix"] *= 10**12
    store.merge(part)

    assert metric.compute()["kappa"] == pytest.approx(expected["kappa"], rel=1e-10)


def test_perfect_and_undefined() -> None:
    """Perfect agreement is exactly 1; samples of one class leave nothing to chance."""
    assert CohenKappa(3)([0, 1, 2], [0, 1, 2]) == {"kappa": 1.0}
    assert math.isnan(CohenKappa(3)([1, 1], [1, 1])["kappa"])


def test_bad_arguments() -> None:
    """Arguments that mean nothing are refused."""
    with pytest.raises(ValueError, match="weights"):
        CohenKappa(2, "cubic")
    for weights in (None, "linear"):
        with pytest.raises(ValueError, match="num_classes"):
            CohenKappa(0, weights)
