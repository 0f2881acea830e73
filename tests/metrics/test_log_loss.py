"""LogLoss against scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss

from mmeval_like import LogLoss
from mmeval_like.testing import MetricCase, check_metric
from tests.metrics import classes

EMPTY = {"log_loss": math.nan}


def oracle(predictions: np.ndarray, labels: np.ndarray, weights: Any = None) -> dict[str, float]:
    """scikit-learn's value."""
    names = range(2 if predictions.ndim == 1 else predictions.shape[1])
    return {"log_loss": log_loss(labels, predictions, labels=names, sample_weight=weights)}


def doubles(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Probabilities of one class in float64, 0 and 1 among them."""
    scores, labels = classes.binary(rng, n)
    return scores.astype(float), labels


CASES = {
    # The probabilities themselves are float32: scikit-learn takes logarithms in that width.
    "LogLoss, classes": MetricCase(LogLoss, classes.probabilities, oracle, 1e-6, empty=EMPTY),
    "LogLoss, one class": MetricCase(LogLoss, doubles, oracle, empty=EMPTY),
    "LogLoss, weighted": MetricCase(
        LogLoss, classes.weighted_probabilities, oracle, 1e-6, empty=EMPTY
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    with np.errstate(all="ignore"):
        check_metric(CASES[name], examples=4, libraries=["array_api_strict"])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_probability_zero(dtype: type) -> None:
    """A label of probability 0 costs -ln of the dtype's epsilon, or infinity without clipping."""
    scores = np.array([[0.0, 1.0]], dtype)

    assert LogLoss()(scores, [0])["log_loss"] == -math.log(np.finfo(dtype).eps)
    assert LogLoss(eps=0)(scores, [0]) == {"log_loss": math.inf}
    assert LogLoss(eps=0)(scores, [1]) == {"log_loss": 0.0}
    assert LogLoss(eps=0.25)(scores, [0])["log_loss"] == math.log(4)
    assert LogLoss(eps=0.25)(scores, [1])["log_loss"] == -math.log(0.75)


def test_weight_zero() -> None:
    """A sample of weight 0 does not count, not even with an infinite loss."""
    assert LogLoss(eps=0)([0.0, 0.5], [1, 1], [0, 2])["log_loss"] == math.log(2)


BAD = [
    (([0.5, 0.5], [1]), ValueError, "same length.* 2 and 1"),
    (([0.5], [2]), ValueError, r"labels must be in \[0, 2\), got 2"),
    (([[0.5, 0.5]], [-1]), ValueError, r"labels must be in \[0, 2\), got -1"),
    (([math.nan], [1]), ValueError, "predictions must not contain nan"),
    (([-2.0], [1]), ValueError, "sigmoid or softmax"),
    (([[2.0, -1.0]], [1]), ValueError, "sigmoid or softmax"),
    (([[0.9, 0.8]], [1]), ValueError, "add up to 1 over the classes, got 1.7 at index 0"),
    (([[[0.5]]], [1]), ValueError, "shape"),
    (([0.5], [0.5]), TypeError, "labels must be integers"),
    ((["a"], [1]), TypeError, "predictions"),
]


@pytest.mark.parametrize(("arguments", "error", "text"), BAD)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What are no probabilities of the labels' classes is refused."""
    with pytest.raises(error, match=text):
        LogLoss().add(*arguments)


def test_bad_arguments() -> None:
    """Clipping at one half would leave nothing."""
    for eps in (-0.1, 0.5, math.nan):
        with pytest.raises(ValueError, match="eps"):
            LogLoss(eps=eps)


def test_bad_weights() -> None:
    """Weights must be finite, not negative and one per sample."""
    check = partial(LogLoss().add, [0.5], [1])
    for bad in ([-1.0], [math.nan], [1.0, 1.0]):
        with pytest.raises(ValueError, match="sample_weight"):
            check(bad)
