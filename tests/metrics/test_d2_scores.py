"""D2LogLoss and D2Brier against scikit-learn's losses and shares of classes."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss

from mmeval_like import D2Brier, D2LogLoss, LogLoss
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES


def forecasts(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Probabilities of all classes, labels of two classes or more, and weights."""
    labels = classes.labels(rng, n)
    labels[:2] = 0, 1
    return rng.dirichlet(np.ones(SIZE), n), labels, rng.integers(1, 9, n) / 8


def rates(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Probabilities of class 1 and labels of both kinds."""
    labels = rng.integers(0, 2, n)
    labels[:2] = 0, 1
    return rng.random(n), labels


def d2(loss: Any, key: str, scores: Any, labels: Any, weights: Any = None) -> dict[str, float]:
    """The loss of the scores beside that of the shares, which are predicted for all samples."""
    wide = np.stack([1 - scores, scores], axis=1) if scores.ndim == 1 else scores
    one_hot = np.eye(wide.shape[1])[labels]
    shares = np.average(one_hot, weights=weights, axis=0)
    found = [loss(one_hot, p, weights) for p in (wide, np.tile(shares, (len(labels), 1)))]
    return {key: 1 - found[0] / found[1]}


def brier(one_hot: Any, scores: Any, weights: Any) -> float:
    """By numpy."""
    return float(np.average(((scores - one_hot) ** 2).sum(axis=1), weights=weights))


def entropy(one_hot: Any, scores: Any, weights: Any) -> float:
    """By scikit-learn."""
    names = range(one_hot.shape[1])
    return float(log_loss(one_hot.argmax(axis=1), scores, sample_weight=weights, labels=names))


CASES = {
    "D2LogLoss": MetricCase(
        partial(D2LogLoss, SIZE), forecasts, partial(d2, entropy, "d2_log_loss"), 1e-10, least=2
    ),
    "D2LogLoss, one class": MetricCase(
        D2LogLoss, rates, partial(d2, entropy, "d2_log_loss"), 1e-10, least=2
    ),
    "D2Brier": MetricCase(
        partial(D2Brier, SIZE), forecasts, partial(d2, brier, "d2_brier"), 1e-10, least=2
    ),
    "D2Brier, one class": MetricCase(
        D2Brier, rates, partial(d2, brier, "d2_brier"), 1e-10, least=2
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(2))


def test_the_shares_themselves_explain_nothing() -> None:
    """Predicting the shares is 0, knowing the labels 1; one class alone has nothing to explain."""
    shares, labels = [[0.25, 0.75]] * 4, [0, 1, 1, 1]

    assert D2Brier()(shares, labels) == {"d2_brier": 0.0}
    assert D2LogLoss()(shares, labels)["d2_log_loss"] == pytest.approx(0.0, abs=1e-15)
    assert D2Brier()([0.0, 1.0], [0, 1]) == {"d2_brier": 1.0}
    assert math.isnan(D2Brier()([0.5, 0.5], [1, 1])["d2_brier"])
    assert math.isnan(D2LogLoss()([0.5, 0.5], [0, 1], [1, 0])["d2_log_loss"])


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_the_other_class_is_not_rounded(dtype: Any) -> None:
    """1 - p of a narrow dtype is taken in float64, so that it is that of LogLoss and of float64."""
    narrow = np.array([0.0033, 0.0021, 0.4, 0.9], dtype)
    labels = np.array([0, 0, 1, 1])

    assert D2Brier()(narrow, labels) == D2Brier()(narrow.astype(np.float64), labels)
    loss = LogLoss()(narrow, labels)["log_loss"] / math.log(2)
    assert D2LogLoss()(narrow, labels)["d2_log_loss"] == pytest.approx(1 - loss, rel=1e-14)


def test_bad_arguments() -> None:
    """As many probabilities as classes."""
    with pytest.raises(ValueError, match="num_classes must be positive"):
        D2LogLoss(0)
    with pytest.raises(ValueError, match="num_classes=3 classes, got 2"):
        D2Brier(3).add([0.5], [1])
