"""CalibrationError against a loop over bins, and scikit-learn's calibration curve."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from mmeval_like import CalibrationError
from mmeval_like.testing import MetricCase, check_metric
from tests.metrics import classes
from tests.metrics.test_log_loss import BAD

EMPTY = {"ece": math.nan, "mce": math.nan}


def oracle(predictions: np.ndarray, labels: np.ndarray, bins: int = 15) -> dict[str, float]:
    """Bin after bin, from the definition."""
    confidence = predictions if predictions.ndim == 1 else predictions.max(axis=1)
    right = labels == (1 if predictions.ndim == 1 else predictions.argmax(axis=1))
    ece, gaps = 0.0, []
    for b in range(bins):
        low, high = predictions.dtype.type(b / bins), predictions.dtype.type((b + 1) / bins)
        inside = (confidence > low) & (confidence <= high)
        if b == 0:
            inside |= confidence == 0
        if inside.any():
            gap = abs(right[inside].mean() - confidence[inside].astype(float).mean())
            ece += inside.mean() * gap
            gaps.append(gap)
    return {"ece": ece, "mce": max(gaps)}


CASES = {
    "CalibrationError, classes": MetricCase(
        CalibrationError, classes.probabilities, oracle, empty=EMPTY
    ),
    "CalibrationError, one class": MetricCase(
        partial(CalibrationError, 4), classes.binary, partial(oracle, bins=4), empty=EMPTY
    ),
    "CalibrationError, one bin": MetricCase(
        partial(CalibrationError, 1), classes.binary, partial(oracle, bins=1)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its definition and keeps every law."""
    check_metric(CASES[name], examples=4, libraries=["array_api_strict"])


def test_scikit_learns_curve() -> None:
    """The largest gap of scikit-learn's reliability diagram is the maximum error."""
    rng = np.random.default_rng(0)
    scores = rng.random(500)
    labels = (rng.random(500) < scores**2).astype(int)
    share, confidence = calibration_curve(labels, scores, n_bins=10)

    value = CalibrationError(10)(scores, labels)
    assert value["mce"] == pytest.approx(np.abs(share - confidence).max(), rel=1e-12)


def test_edges_in_the_probabilities_own_dtype() -> None:
    """A float32 of 0.2 is in the bin that ends there, as a float64 of 0.2 is."""
    for dtype in (np.float16, np.float32, np.float64):
        edges = np.array([0.2, 0.4, 0.6, 0.8, 1.0], dtype)
        metric = CalibrationError(5)
        metric.add(edges, [1, 1, 1, 1, 1])

        outcomes = metric._stores()[0].part(0).folded["outcomes"]
        assert outcomes.tolist() == [0, 1] * 5


def test_perfectly_calibrated() -> None:
    """Where every bin's share is its confidence there is no error."""
    assert CalibrationError(2)([0.25, 0.25, 0.25, 0.25, 1.0], [1, 0, 0, 0, 1]) == {
        "ece": 0.0,
        "mce": 0.0,
    }


@pytest.mark.parametrize(("arguments", "error", "text"), BAD)
def test_bad_inputs(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """What are no probabilities of the labels' classes is refused."""
    with pytest.raises(error, match=text):
        CalibrationError().add(*arguments)


def test_bad_arguments() -> None:
    """At least one bin."""
    with pytest.raises(ValueError, match="bins"):
        CalibrationError(0)
