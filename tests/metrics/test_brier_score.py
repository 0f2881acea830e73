"""BrierScore against scikit-learn."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from mmeval_like import BrierScore
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes
from tests.metrics.test_log_loss import BAD

EMPTY = {"brier": math.nan}


def oracle(predictions: np.ndarray, labels: np.ndarray, weights: Any = None) -> dict[str, float]:
    """scikit-learn's value for one class; a sum over one-hot rows for several."""
    if predictions.ndim == 1:
        return {"brier": brier_score_loss(labels, predictions.astype(float), sample_weight=weights)}
    onehot = np.eye(predictions.shape[1])[labels]
    errors = ((predictions.astype(float) - onehot) ** 2).sum(axis=1)
    return {"brier": np.average(errors, weights=weights)}


CASES = {
    "BrierScore, one class": MetricCase(BrierScore, classes.binary, oracle, empty=EMPTY),
    "BrierScore, one class, weighted": MetricCase(
        BrierScore, classes.weighted_binary, oracle, empty=EMPTY
    ),
    "BrierScore, classes": MetricCase(BrierScore, classes.probabilities, oracle, empty=EMPTY),
    "BrierScore, classes, weighted": MetricCase(BrierScore, classes.weighted_probabilities, oracle),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@given(st.floats(0, 1), st.integers(0, 1))
def test_two_classes_are_twice_one(probability: float, label: int) -> None:
    """Both columns of two classes err alike."""
    pair = np.array([[1 - probability, probability]])

    one = BrierScore()([pair[0, 1]], [label])["brier"]
    assert BrierScore()(pair, [label])["brier"] == pytest.approx(2 * one, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("arguments", "error", "text"), BAD)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What are no probabilities of the labels' classes is refused."""
    with pytest.raises(error, match=text):
        BrierScore().add(*arguments)
