"""McNemar, HingeLoss, entropies, calibration of sums and the area under points."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, binomtest, chi2, entropy
from sklearn.metrics import auc, hinge_loss, log_loss

from mmeval_like import (
    AreaUnderCurve,
    ClickThroughRate,
    HingeLoss,
    McNemar,
    NormalizedEntropy,
    PredictionEntropy,
    WeightedCalibration,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

SIZE = classes.CLASSES


def models(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Two models' classes, and the labels."""
    first, labels = classes.indices(rng, n)
    return first, classes.indices(rng, n)[0], labels


def toss(first: Any, second: Any, labels: Any) -> dict[str, float]:
    """The test as a toss of coins, by scipy."""
    only_a = int(((first == labels) & (second != labels)).sum())
    only_b = int(((first != labels) & (second == labels)).sum())
    both = only_a + only_b
    p = binomtest(only_a, both).pvalue if both else 1.0
    return {"only_a": only_a, "only_b": only_b, "p_value": p, "statistic": min(only_a, only_b)}


def hinge(squared: bool, scores: Any, labels: Any) -> dict[str, float]:
    """scikit-learn's value; of squares by numpy."""
    if scores.ndim == 1:
        losses = np.maximum(0, 1 - (2 * labels.astype(int) - 1) * scores)
        return {"hinge": np.mean(losses**2 if squared else losses)}
    value = hinge_loss(labels, scores, labels=range(SIZE))
    return {"hinge": value}


def decisions(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Decision values of all classes."""
    return rng.normal(size=(n, SIZE)), classes.labels(rng, n)


def one_vs_all(scores: Any, labels: Any) -> dict[str, Any]:
    """Every class by itself."""
    truth = labels[:, None] == np.arange(SIZE)
    return {"hinge_classwise": np.maximum(0, 1 - np.where(truth, scores, -scores)).mean(axis=0)}


def clicks(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Predicted rates, clicks of both kinds and weights."""
    labels = rng.integers(0, 2, n)
    labels[:2] = 0, 1
    return rng.random(n), labels, rng.integers(1, 9, n) / 8


def normalized(scores: Any, labels: Any, weights: Any) -> dict[str, float]:
    """By scikit-learn's loss and scipy's entropy."""
    rate = np.average(labels, weights=weights)
    value = log_loss(labels, scores, sample_weight=weights) / entropy([rate, 1 - rate])
    return {"normalized_entropy": value}


CASES = {
    "McNemar": MetricCase(
        McNemar, models, toss,
        empty={"only_a": 0, "only_b": 0, "p_value": 1.0, "statistic": 0.0},
    ),
    "HingeLoss": MetricCase(HingeLoss, classes.logits, partial(hinge, False)),
    "HingeLoss, squared": MetricCase(
        partial(HingeLoss, squared=True), classes.logits, partial(hinge, True)
    ),
    "HingeLoss, classes": MetricCase(
        partial(HingeLoss, "multiclass"), decisions, partial(hinge, False)
    ),
    "HingeLoss, one against all": MetricCase(
        partial(HingeLoss, "multiclass", multiclass_mode="one-vs-all", num_classes=SIZE),
        decisions, one_vs_all,
    ),
    "PredictionEntropy": MetricCase(
        PredictionEntropy, lambda rng, n: classes.probabilities(rng, n)[:1],
        lambda p: {"entropy": np.mean(entropy(p.astype(float), axis=1))}, 1e-6,
    ),
    "NormalizedEntropy": MetricCase(NormalizedEntropy, clicks, normalized, least=2),
    "WeightedCalibration": MetricCase(
        WeightedCalibration, clicks, lambda p, y, w: {"calibration": (p @ w) / (y @ w)}, least=2
    ),
    "ClickThroughRate": MetricCase(
        ClickThroughRate, lambda rng, n: clicks(rng, n)[1:],
        lambda y, w: {"ctr": np.average(y, weights=w)}, least=2,
    ),
    "AreaUnderCurve": MetricCase(
        AreaUnderCurve, lambda rng, n: (rng.random(n), rng.random(n)),
        lambda x, y: {"auc": auc(np.sort(x), y[np.argsort(x)])}, least=2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals the oracle's value and keeps every law."""
    with np.errstate(all="ignore"):
        check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@pytest.mark.parametrize(("only_a", "only_b"), [(3, 9), (400, 480), (60_000, 60_400)])
def test_mcnemar_of_many(only_a: int, only_b: int) -> None:
    """The tail of many coins as scipy has it, and the approximation."""
    right = np.repeat([1, 0], [only_a, only_b])
    labels = np.ones(only_a + only_b, int)
    found = McNemar()(right, 1 - right, labels)
    expected = 2 * binom.cdf(only_a, only_a + only_b, 0.5)
    assert found["p_value"] == pytest.approx(expected, rel=1e-9)

    for correction in (True, False):
        found = McNemar(exact=False, correction=correction)(right, 1 - right, labels)
        statistic = (abs(only_a - only_b) - correction) ** 2 / (only_a + only_b)
        assert found["statistic"] == pytest.approx(statistic)
        assert found["p_value"] == pytest.approx(chi2.sf(statistic, 1), rel=1e-9)


def test_values_that_do_not_exist() -> None:
    """One kind of label, no labels, one point."""
    assert math.isnan(NormalizedEntropy()([0.5, 0.5], [1, 1])["normalized_entropy"])
    assert math.isnan(WeightedCalibration()([0.5], [0])["calibration"])
    assert math.isnan(AreaUnderCurve()([0.5], [1.0])["auc"])


def test_vertical_steps_have_no_area() -> None:
    """Points of one x in any order."""
    assert AreaUnderCurve()([1.0, 0.5, 0.5, 0.0], [1.0, 1.0, 0.0, 0.0]) == {"auc": 0.5}


BAD = [
    (partial(HingeLoss, "multilabel"), "task"),
    (partial(HingeLoss, "multiclass", multiclass_mode="pairs"), "multiclass_mode"),
    (partial(HingeLoss, "multiclass", multiclass_mode="one-vs-all"), "num_classes"),
    (lambda: HingeLoss()([[1.0]], [1]), "shape"),
    (lambda: HingeLoss()([math.inf], [1]), "predictions must not contain"),
    (lambda: HingeLoss()([1.0], [2]), "labels must be in"),
    (lambda: PredictionEntropy()([0.5]), "shape"),
    (lambda: PredictionEntropy()([[0.5, 0.1]]), "add up to 1"),
    (lambda: NormalizedEntropy()([[0.5, 0.5]], [1]), "shape"),
    (lambda: WeightedCalibration()([0.5, 0.5], [1]), "same length"),
    (lambda: ClickThroughRate()([2]), "clicks must be in"),
    (lambda: AreaUnderCurve()([math.nan], [1.0]), "x must not contain"),
    (lambda: McNemar()([1, 1], [1], [1, 1]), "same length"),
]


@pytest.mark.parametrize(("action", "text"), BAD)
def test_bad_arguments_and_inputs(action: Callable[[], Any], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(ValueError, match=text):
        action()
