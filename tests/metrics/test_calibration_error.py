"""CalibrationError against a loop over bins, and scikit-learn's calibration curve."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from mmeval_like import CalibrationError
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes
from tests.metrics.test_log_loss import BAD

EMPTY = {"ece": math.nan, "mce": math.nan, "rmsce": math.nan}


def oracle(
    predictions: np.ndarray, labels: np.ndarray, weights: Any = None, bins: int = 15
) -> dict[str, float]:
    """Bin after bin, from the definition."""
    confidence = predictions if predictions.ndim == 1 else predictions.max(axis=1)
    right = labels == (1 if predictions.ndim == 1 else predictions.argmax(axis=1))
    weights = np.ones(len(labels)) if weights is None else weights
    ece, gaps, squares = 0.0, [], 0.0
    for b in range(bins):
        low, high = predictions.dtype.type(b / bins), predictions.dtype.type((b + 1) / bins)
        inside = (confidence > low) & (confidence <= high)
        if b == 0:
            inside |= confidence == 0
        if inside.any():
            here = weights[inside]
            gap = abs(np.average(right[inside] - confidence[inside].astype(float), weights=here))
            ece += here.sum() / weights.sum() * gap
            squares += here.sum() / weights.sum() * gap**2
            gaps.append(gap)
    return {"ece": ece, "mce": max(gaps), "rmsce": math.sqrt(squares)}


def by_class(
    predictions: np.ndarray, labels: np.ndarray, weights: Any = None, bins: int = 4
) -> dict[str, Any]:
    """The error of one class after the other, and their mean."""
    hits = labels if labels.ndim == 2 else np.eye(classes.CLASSES, dtype=int)[labels]
    values = [
        oracle(predictions[:, c], hits[:, c], weights, bins)["ece"] for c in range(hits.shape[1])
    ]
    return {"ece_classwise": values, "static_ece": float(np.mean(values))}


def pooled(predictions: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """The entries of all classes as samples of one."""
    return oracle(predictions.reshape(-1), labels.reshape(-1), None, 4)


EMPTY_CLASSES = {"ece_classwise": [math.nan] * classes.CLASSES, "static_ece": math.nan}
OF_CLASSES: dict[str, Any] = {"num_classes": classes.CLASSES, "classwise": True}
MULTILABEL: dict[str, Any] = {"task": "multilabel", "num_classes": classes.CLASSES}
CASES = {
    "CalibrationError, class by class": MetricCase(
        partial(CalibrationError, 4, **OF_CLASSES),
        classes.probabilities,
        by_class,
        empty=EMPTY_CLASSES,
    ),
    "CalibrationError, class by class, weighted": MetricCase(
        partial(CalibrationError, 4, use_sample_weight=True, **OF_CLASSES),
        lambda rng, n: (*classes.probabilities(rng, n), rng.integers(1, 9, n) / 8),
        by_class,
        empty=EMPTY_CLASSES,
    ),
    "CalibrationError, multilabel, class by class": MetricCase(
        partial(CalibrationError, 4, classwise=True, **MULTILABEL),
        classes.label_sets,
        by_class,
        empty=EMPTY_CLASSES,
    ),
    "CalibrationError, multilabel": MetricCase(
        partial(CalibrationError, 4, **MULTILABEL), classes.label_sets, pooled, empty=EMPTY
    ),
    "CalibrationError, classes": MetricCase(
        CalibrationError, classes.probabilities, oracle, empty=EMPTY
    ),
    "CalibrationError, one class": MetricCase(
        partial(CalibrationError, 4), classes.binary, partial(oracle, bins=4), empty=EMPTY
    ),
    "CalibrationError, weighted": MetricCase(
        partial(CalibrationError, 4, use_sample_weight=True),
        lambda rng, n: (*classes.probabilities(rng, n), rng.integers(1, 9, n) / 8),
        partial(oracle, bins=4),
        empty=EMPTY,
    ),
    "CalibrationError, one bin": MetricCase(
        partial(CalibrationError, 1), classes.binary, partial(oracle, bins=1)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its definition and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


def test_scikit_learns_curve() -> None:
    """The largest gap of scikit-learn's reliability diagram is the maximum error."""
    rng = np.random.default_rng(0)
    scores = rng.random(500)
    labels = (rng.random(500) < scores**2).astype(int)
    share, confidence = calibration_curve(labels, scores, n_bins=10)

    value = CalibrationError(10)(scores, labels)
    assert value["mce"] == pytest.approx(np.abs(share - confidence).max(), rel=1e-12)


def test_scikit_learns_curve_of_each_class() -> None:
    """Every class's error is that of scikit-learn's reliability diagram of the class."""
    rng = np.random.default_rng(1)
    scores = rng.dirichlet([1.0, 2.0, 0.5], 400)
    labels = (rng.random(400)[:, None] > scores.cumsum(axis=1)[:, :2]).sum(axis=1)
    expected = []
    for c in range(3):
        share, confidence = calibration_curve(labels == c, scores[:, c], n_bins=10)
        counts = np.unique(np.ceil(scores[:, c] * 10), return_counts=True)[1]
        expected.append(np.average(np.abs(share - confidence), weights=counts))

    value = CalibrationError(10, num_classes=3, classwise=True)(scores, labels)
    assert value["ece_classwise"] == pytest.approx(expected, rel=1e-12)
    assert value["static_ece"] == pytest.approx(np.mean(expected), rel=1e-12)


def test_tasks_agree() -> None:
    """One-hot rows of a multilabel task are a class index; one class is a binary task."""
    scores, labels = classes.probabilities(np.random.default_rng(2), 50)
    one_hot = np.eye(classes.CLASSES, dtype=int)[labels]
    several = CalibrationError(5, classwise=True, **MULTILABEL)(scores, one_hot)
    assert several == CalibrationError(5, task="multiclass", **OF_CLASSES)(scores, labels)

    one = CalibrationError(5, task="multilabel", num_classes=1)
    assert one(scores[:, :1], one_hot[:, :1]) == CalibrationError(5, task="binary")(
        scores[:, 0], one_hot[:, 0]
    )


def test_edges_are_in_the_bin_below() -> None:
    """By hand, five bins: 0.2 is in (0, 0.2], 1 is in (0.8, 1], 0 in the first."""
    assert CalibrationError(5)([0.2, 0.1], [1, 0])["ece"] == pytest.approx(0.35)
    assert CalibrationError(5)([1.0, 0.9], [0, 1])["ece"] == pytest.approx(0.45)
    assert CalibrationError(5)([0.0, 0.1], [1, 0])["ece"] == pytest.approx(0.45)


def test_edges_in_the_probabilities_own_dtype() -> None:
    """A float32 of 0.2 is in the bin that ends there, as a float64 of 0.2 is."""
    for dtype in (np.float16, np.float32, np.float64):
        edges = np.array([0.2, 0.4, 0.6, 0.8, 1.0], dtype)
        metric = CalibrationError(5)
        metric.add(edges, [1, 1, 1, 1, 1])

        outcomes = metric._samples().stores()[0].part(0).folded["outcomes"]
        assert outcomes.tolist() == [0, 1] * 5


def test_perfectly_calibrated() -> None:
    """Where every bin's share is its confidence there is no error."""
    assert CalibrationError(2)([0.25, 0.25, 0.25, 0.25, 1.0], [1, 0, 0, 0, 1]) == {
        "ece": 0.0,
        "mce": 0.0,
        "rmsce": 0.0,
    }


@pytest.mark.parametrize(("arguments", "error", "text"), BAD)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What are no probabilities of the labels' classes is refused."""
    with pytest.raises(error, match=text):
        CalibrationError().add(*arguments)


@pytest.mark.parametrize(
    ("options", "arguments", "text"),
    [
        ({"task": "binary"}, ([[0.5, 0.5]], [1]), r"shape \(N,\) and labels \(N,\), got \(1, 2\)"),
        ({"task": "multiclass"}, ([0.5], [1]), r"shape \(N, C\) and labels \(N,\), got \(1,\)"),
        (MULTILABEL, ([[0.5] * 4], [1]), r"shape \(N, C\) and labels the same, got \(1, 4\)"),
        (MULTILABEL, ([0.5], [1]), r"shape \(N, C\) and labels the same, got \(1,\)"),
        (MULTILABEL, ([[0.5] * 3], [[1] * 3]), r"shape \(N, 4\), got \(1, 3\)"),
        (MULTILABEL, ([[0.5] * 4], [[2] * 4]), r"labels must be in \[0, 2\), got 2"),
        (OF_CLASSES, ([[0.5, 0.5]], [1]), r"shape \(N, 4\), got \(1, 2\)"),
        (OF_CLASSES, ([0.5, 0.5], [1, 1]), r"shape \(N, 4\), got \(2,\)"),
        ({"num_classes": 4}, ([[0.5, 0.5]], [1]), r"shape \(N, 4\), got \(1, 2\)"),
    ],
)
def test_shapes_of_tasks(options: Any, arguments: tuple[Any, ...], text: str) -> None:
    """What does not fit the task or its number of classes is refused."""
    with pytest.raises(ValueError, match=text):
        CalibrationError(**options).add(*arguments)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"bins": 0}, "bins must be positive"),
        ({"task": "x"}, "task must be one of"),
        ({"classwise": True}, "num_classes must be given"),
        ({"task": "multilabel"}, "num_classes must be given"),
        ({"task": "multilabel", "num_classes": 0}, "num_classes must be positive"),
        ({"task": "binary", "num_classes": 2, "classwise": True}, "classwise=True needs"),
        ({"num_classes": 3, "classes": ["a", "b"]}, "classes has 2 names, but num_classes is 3"),
    ],
)
def test_bad_arguments(options: Any, text: str) -> None:
    """At least one bin, a known task, and the number of classes where each has bins."""
    with pytest.raises(ValueError, match=text):
        CalibrationError(**options)
