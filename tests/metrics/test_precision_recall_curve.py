"""PrecisionRecallCurve against scikit-learn."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from mmeval_like import PrecisionRecallCurve
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes
from tests.metrics.test_auroc import BAD
from tests.metrics.test_roc import weighted

NAMES = ("precision", "recall", "thresholds")


def one(scores: np.ndarray, truth: np.ndarray, weights: Any = None) -> list[np.ndarray]:
    """scikit-learn's curve; recall is nan without positives, except at its last point."""
    precision, recall, thresholds = precision_recall_curve(truth, scores, sample_weight=weights)
    if not truth.any():
        recall = np.append(np.full(len(thresholds), math.nan), 0.0)
    return [precision, recall, thresholds]


def oracle(scores: np.ndarray, labels: np.ndarray, weights: Any = None) -> dict[str, Any]:
    """The curve of one class."""
    return dict(zip(NAMES, one(scores, labels, weights), strict=True))


# The end of every curve, and no threshold.
EMPTY = dict(zip(NAMES, (np.ones(1), np.zeros(1), np.zeros(0)), strict=True))
CASES = {
    "PrecisionRecallCurve, binary": MetricCase(
        PrecisionRecallCurve, classes.binary, oracle, empty=EMPTY
    ),
    "PrecisionRecallCurve, logits": MetricCase(
        PrecisionRecallCurve, classes.logits, oracle, empty=EMPTY
    ),
    "PrecisionRecallCurve, weighted": MetricCase(
        partial(PrecisionRecallCurve, use_sample_weight=True), weighted, oracle, empty=EMPTY
    ),
    "PrecisionRecallCurve, classes": MetricCase(
        partial(PrecisionRecallCurve, "multiclass"), classes.tied_scores, None
    ),
    "PrecisionRecallCurve, bins": MetricCase(
        partial(PrecisionRecallCurve, bins=10),
        classes.binary,
        None,
        empty={
            "precision": np.ones(11),
            "recall": np.append(np.full(10, np.nan), 0),
            "thresholds": np.arange(10) / 10,
            "error_bound": math.nan,
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's curve and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


@pytest.mark.filterwarnings("ignore:No positive class")
def test_several_classes() -> None:
    """Every class has scikit-learn's curve of that class."""
    for seed in range(5):
        scores, labels = classes.label_sets(np.random.default_rng(seed), 15)
        value = PrecisionRecallCurve("multilabel", classes.CLASSES)(scores, labels)
        for c, expected in enumerate(map(one, scores.T, labels.T)):
            for name, theirs in zip(NAMES, expected, strict=True):
                assert np.allclose(value[name][c], theirs, rtol=1e-14, equal_nan=True)


def test_bins_are_points_of_the_exact_curve() -> None:
    """At every threshold b / bins both are exact; above all scores they are 1 and 0."""
    rng = np.random.default_rng(3)
    scores, labels = 0.9 * rng.random(200), rng.integers(0, 2, 200)
    value = PrecisionRecallCurve(bins=10)(scores, labels)

    for threshold, precision, recall in zip(
        value["thresholds"], value["precision"], value["recall"], strict=False
    ):
        above = scores >= threshold
        right = (above & (labels == 1)).sum()
        assert precision == (right / above.sum() if above.any() else 1.0)
        assert recall == right / (labels == 1).sum()
    assert value["error_bound"] == pytest.approx(-np.diff(value["recall"]).min(), rel=1e-12)
    assert len(value["precision"]) == len(value["recall"]) == len(value["thresholds"]) + 1 == 11


def test_no_samples() -> None:
    """Without samples there is the last point alone."""
    with pytest.warns(RuntimeWarning, match="no samples"):
        value = PrecisionRecallCurve().compute()

    assert {name: array.tolist() for name, array in value.items()} == {
        "precision": [1.0],
        "recall": [0.0],
        "thresholds": [],
    }


@pytest.mark.parametrize(("task", "arguments", "error", "text"), BAD)
def test_bad_inputs(task: str, arguments: Any, error: type[Exception], text: str) -> None:
    """What does not fit the task is refused, with both sides of the comparison."""
    with pytest.raises(error, match=text):
        PrecisionRecallCurve(task).add(*arguments)
