"""MatthewsCorrCoef against scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef

from mmeval_like import MatthewsCorrCoef
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

EMPTY = {"mcc": math.nan}


def oracle(predictions: np.ndarray, labels: np.ndarray, weights: Any = None) -> dict[str, float]:
    """scikit-learn's value."""
    return {"mcc": matthews_corrcoef(labels, predictions, sample_weight=weights)}


def weighted(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Weights that are not 0, so that no class vanishes."""
    return *classes.indices(rng, n), rng.random(n) + 0.1


def entries(predictions: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """scikit-learn's value of all entries of sets of labels."""
    return {"mcc": matthews_corrcoef(labels.ravel(), predictions.ravel() >= 0.5)}


CASES = {
    "MatthewsCorrCoef, sets of labels": MetricCase(
        partial(MatthewsCorrCoef, classes.CLASSES, task="multilabel"),
        classes.label_sets,
        entries,
        empty=EMPTY,
    ),
    "MatthewsCorrCoef, binary": MetricCase(
        partial(MatthewsCorrCoef, 2, task="binary"), classes.binary, entries, empty=EMPTY
    ),
    "MatthewsCorrCoef, few classes": MetricCase(
        partial(MatthewsCorrCoef, classes.CLASSES), classes.indices, oracle, empty=EMPTY
    ),
    "MatthewsCorrCoef, many classes": MetricCase(
        partial(MatthewsCorrCoef, 40), classes.indices, oracle, empty=EMPTY
    ),
    "MatthewsCorrCoef, weighted": MetricCase(
        partial(MatthewsCorrCoef, classes.CLASSES, use_sample_weight=True),
        weighted,
        oracle,
        empty=EMPTY,
        least=12,  # with all predictions of one class scikit-learn divides rounding errors
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(1, 2**40))
def test_perfect_is_exactly_one(labels: list[int], weight: int) -> None:
    """Perfect predictions of several classes give 1.0, however many; of one class 0.0."""
    value = MatthewsCorrCoef(4, use_sample_weight=True)(labels, labels, [weight / 3] * len(labels))

    assert value == {"mcc": 1.0 if len(set(labels)) > 1 else 0.0}


def test_opposite() -> None:
    """Two classes always mistaken for each other give -1."""
    assert MatthewsCorrCoef(2)([0, 1, 1], [1, 0, 0]) == {"mcc": -1.0}


@pytest.mark.parametrize("weighted", [False, True])
def test_entries_that_do_not_count(weighted: bool) -> None:
    """An ignored entry of a set of labels is as if it were not there."""
    metric = MatthewsCorrCoef(
        2, task="multilabel", ignore_index=-1, use_sample_weight=weighted, threshold=0.3
    )
    weight = [2.0, 2.0] if weighted else None

    found = metric([[0.3, 0.1], [0.9, 0.2]], [[1, -1], [0, 0]], weight)
    assert found["mcc"] == pytest.approx(matthews_corrcoef([1, 0, 0], [1, 1, 0]))


def test_bad_arguments() -> None:
    """At least one class, two for a binary task, and a task that there is."""
    with pytest.raises(ValueError, match="num_classes"):
        MatthewsCorrCoef(0)
    with pytest.raises(ValueError, match="num_classes must be 2"):
        MatthewsCorrCoef(3, task="binary")
    with pytest.raises(ValueError, match="task must be one of"):
        MatthewsCorrCoef(3, task="multi")


@pytest.mark.filterwarnings("ignore:intervals that promise less")
def test_few_sets_of_labels_have_no_interval_for_a_reason() -> None:
    """Sums near those of few samples may be of no table: the value is undefined there."""
    for seed in range(20):
        predictions, labels = np.random.default_rng(seed).integers(0, 2, (2, 4, 2))
        metric = MatthewsCorrCoef(2, task="multilabel", interval=0.95)
        thin = metric(predictions, labels).intervals["mcc"].thin
        assert "raised" not in thin, thin
