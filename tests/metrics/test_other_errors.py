"""MedianAbsoluteError, MaxError, MeanBias, PoissonLoss and the D2 scores of numbers."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from mmeval_like import (
    D2PinballScore,
    D2TweedieScore,
    MaxError,
    MeanBias,
    MedianAbsoluteError,
    PoissonLoss,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples


def positive(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Positive predictions and labels."""
    return rng.gamma(2.0, size=n), rng.gamma(2.0, size=n)


def pairs(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Predictions in float32, and labels some of which are equal."""
    return rng.normal(size=n).astype(np.float32), rng.integers(-4, 5, n) / 4


def weighted(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    """Numbers and weights."""
    return *positive(rng, n), rng.integers(1, 9, n) / 8


def table(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Two outputs."""
    return rng.normal(size=(n, 2)), rng.normal(size=(n, 2))


def of_sklearn(key: str, function: Any, predictions: Any, labels: Any, **options: Any) -> Any:
    """The value of a function of scikit-learn."""
    return {key: function(labels, predictions, **options)}


def mean_of(key: str, formula: Any, predictions: Any, labels: Any, weights: Any = None) -> Any:
    """The mean of a formula of numpy."""
    return {key: np.average(formula(predictions, labels), weights=weights)}


def tweedie(power: float) -> MetricCase:
    """A case of a power."""
    value = partial(of_sklearn, "d2_tweedie", sk.d2_tweedie_score, power=power)
    return MetricCase(partial(D2TweedieScore, power), positive, value, 1e-9, least=3)


def pinball(alpha: float) -> MetricCase:
    """A case of a quantile; the best constant is one of the labels, found by trying all."""

    def value(predictions: Any, labels: Any) -> dict[str, float]:
        loss = partial(sk.mean_pinball_loss, labels, alpha=alpha)
        least = min(loss(np.full_like(labels, label)) for label in labels)
        return {"d2_pinball": 1 - loss(predictions) / least if least else 0.0}

    return MetricCase(partial(D2PinballScore, alpha), positive, value, 1e-9, least=3)


CASES = {
    "MedianAbsoluteError": MetricCase(
        MedianAbsoluteError, pairs, partial(of_sklearn, "median_ae", sk.median_absolute_error)
    ),
    "MedianAbsoluteError, relative": MetricCase(
        partial(MedianAbsoluteError, relative=True), positive,
        lambda p, y: {"median_ae": np.median(np.abs(p - y) / y)},
    ),
    "MaxError": MetricCase(MaxError, pairs, partial(of_sklearn, "max_error", sk.max_error)),
    "MaxError, outputs": MetricCase(
        partial(MaxError, 2, "raw_values"), table,
        lambda p, y: {"max_error": np.abs(p - y).max(axis=0).tolist()},
        empty={"max_error": [math.nan] * 2},
    ),
    "MeanBias": MetricCase(MeanBias, weighted, partial(mean_of, "bias", lambda p, y: p - y)),
    "MeanBias, relative": MetricCase(
        partial(MeanBias, relative=True), weighted,
        partial(mean_of, "bias", lambda p, y: (p - y) / y),
    ),
    "PoissonLoss": MetricCase(
        PoissonLoss, weighted, partial(mean_of, "poisson", lambda p, y: p - y * np.log(p))
    ),
    "D2PinballScore": pinball(0.5),
    "D2TweedieScore": tweedie(0),
}  # fmt: skip
VARIANTS = {f"alpha {a}": pinball(a) for a in (0.0, 0.1, 0.75, 1.0)}
VARIANTS |= {f"power {power}": tweedie(power) for power in (-1, 1, 1.5, 2, 3)}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(2))


@pytest.mark.parametrize("name", VARIANTS)
def test_options(name: str) -> None:
    """Other options have the values of scikit-learn."""
    check_metric(VARIANTS[name], examples=examples(8), only=["equals_oracle"])


def test_poisson_deviance_is_the_loss_less_the_best() -> None:
    """Twice the loss above that of perfect predictions is scikit-learn's deviance."""
    p, y = positive(np.random.default_rng(0), 20)
    gap = PoissonLoss()(p, y)["poisson"] - PoissonLoss()(y, y)["poisson"]

    assert 2 * gap == pytest.approx(sk.mean_poisson_deviance(y, p))


@pytest.mark.parametrize(
    "metric", [MedianAbsoluteError(nan="omit"), MaxError(nan="omit"), MeanBias(nan="omit")]
)
def test_samples_with_a_nan_do_not_count(metric: Any) -> None:
    """Not even as an error of 0; of none there is no value."""
    [value] = metric([1.0, math.nan, 3.0], [0.0, 0.0, math.nan]).values()
    assert value == 1.0
    [value] = metric([math.nan], [0.0]).values()
    assert math.isnan(value)


def test_relative_to_zero() -> None:
    """A median has infinities at its end; a mean leaves the sample out, and says so."""
    assert MedianAbsoluteError(relative=True)([1.0, 0.0, 3.0], [0.0, 0.0, 2.0]) == {
        "median_ae": 0.5
    }
    assert MedianAbsoluteError(relative=True)([1.0, 1.0], [0.0, 0.0]) == {"median_ae": math.inf}
    with pytest.warns(RuntimeWarning, match="undefined for 1 of 2 samples"):
        assert MeanBias(relative=True)([1.0, 3.0], [0.0, 2.0]) == {"bias": 0.5}


def test_one_label_explains_nothing() -> None:
    """Of equal labels perfect predictions are 1, others 0; one sample has no value."""
    for metric in (D2PinballScore(), D2TweedieScore(), D2TweedieScore(2)):
        assert [*metric([1.0, 1.0], [1.0, 1.0]).values()] == [1.0]
        assert [*metric([1.0, 2.0], [1.0, 1.0]).values()] == [0.0]
        assert math.isnan(next(iter(metric([1.0], [1.0]).values())))


BAD = [
    (lambda: D2PinballScore(1.5), "alpha must be in"),
    (lambda: D2TweedieScore(0.5), "power must be finite and not in"),
    (lambda: D2TweedieScore(2).add([1.0], [0.0]), "labels must be positive with power=2"),
    (lambda: D2TweedieScore(1).add([0.0], [1.0]), "predictions must be positive with power=1"),
    (lambda: PoissonLoss().add([0.0], [1.0]), "predictions must be positive"),
    (lambda: PoissonLoss().add([1.0], [-1.0]), "labels must not be negative"),
    (lambda: MedianAbsoluteError().add([math.inf], [1.0]), "predictions must not contain"),
    (lambda: MedianAbsoluteError(nan="keep"), "nan must be one of"),
    (lambda: MaxError(0), "num_outputs must be positive"),
]


@pytest.mark.parametrize(("action", "text"), BAD)
def test_bad_arguments_and_inputs(action: Callable[[], Any], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(ValueError, match=text):
        action()
