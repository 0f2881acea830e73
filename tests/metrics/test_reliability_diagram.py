"""ReliabilityDiagram and BrierDecomposition against scikit-learn and the Brier score itself."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from mmeval_like import BrierDecomposition, CalibrationError, MetricCollection, ReliabilityDiagram
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

BINS = 4


def midpoints(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Forecasts that are all equal in a bin, and weights."""
    scores = (rng.integers(0, BINS, n) + 0.5) / BINS
    return scores, rng.integers(0, 2, n), rng.integers(1, 9, n) / 8


def diagram(scores: Any, labels: Any) -> dict[str, Any]:
    """scikit-learn's curve in the bins that have samples; bins are numbered by numpy."""
    right = labels if scores.ndim == 1 else scores.argmax(axis=1) == labels
    sure = (scores if scores.ndim == 1 else scores.max(axis=1)).astype(float)
    share, confidence = calibration_curve(right, sure, n_bins=BINS)
    count = np.bincount(np.maximum(np.ceil(sure * BINS) - 1, 0).astype(int), minlength=BINS)
    found = {"accuracy": np.full(BINS, math.nan), "confidence": np.full(BINS, math.nan)}
    found["accuracy"][count > 0], found["confidence"][count > 0] = share, confidence
    return found | {"count": count}


def parts(scores: Any, labels: Any, weights: Any) -> dict[str, float]:
    """The spread of bins' shares by numpy; reliability is what the Brier score has left."""
    whole = np.average(labels, weights=weights)
    shares = np.zeros(len(labels))
    for value in np.unique(scores):
        inside = scores == value
        shares[inside] = np.average(labels[inside], weights=weights[inside])
    resolution = np.average((shares - whole) ** 2, weights=weights)
    uncertainty = whole * (1 - whole)
    brier = brier_score_loss(labels, scores, sample_weight=weights)
    reliability = brier + resolution - uncertainty
    return {"reliability": reliability, "resolution": resolution, "uncertainty": uncertainty}


NOTHING = np.full(BINS, math.nan)
EMPTY = {"accuracy": NOTHING, "confidence": NOTHING, "count": np.zeros(BINS, np.int64)}
CASES = {
    "ReliabilityDiagram": MetricCase(
        partial(ReliabilityDiagram, BINS), classes.binary, diagram, empty=EMPTY
    ),
    "ReliabilityDiagram, classes": MetricCase(
        partial(ReliabilityDiagram, BINS, task="multiclass"), classes.probabilities, diagram,
        1e-6, empty=EMPTY,
    ),
    "BrierDecomposition": MetricCase(
        partial(BrierDecomposition, BINS, use_sample_weight=True), midpoints, parts, 1e-9
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric(CASES[name], examples=examples(2))


def test_weights_are_sums() -> None:
    """With weights the numbers of samples are their weights' sums."""
    found = ReliabilityDiagram(2, use_sample_weight=True)([0.2, 0.4, 0.9], [1, 0, 1], [1, 3, 0.5])

    assert found["count"].tolist() == [4.0, 0.5]
    assert found["accuracy"].tolist() == [0.25, 1.0]


def test_one_count_for_all() -> None:
    """With equal options the error and its diagram are computed from the same counts."""
    metrics = MetricCollection([CalibrationError(5), ReliabilityDiagram(5)])
    metrics.add([0.1, 0.9], [0, 1])

    assert len(metrics.plan.slots) == 1


def test_bad_arguments() -> None:
    """One set of bins, of one class or of the predicted classes."""
    with pytest.raises(ValueError, match="multilabel"):
        ReliabilityDiagram(task="multilabel")
    with pytest.raises(ValueError, match="task must be one of"):
        ReliabilityDiagram(task="x")
    with pytest.raises(ValueError, match="bins must be positive"):
        BrierDecomposition(0)
    with pytest.raises(ValueError, match="shape"):
        BrierDecomposition().add([[0.5, 0.5]], [1])
