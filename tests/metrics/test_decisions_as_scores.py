"""Decisions where scores are wanted: told once, whatever their dtype."""

import warnings

import numpy as np
import pytest

import mmeval_like as mm

METRICS = [mm.AUROC, mm.AveragePrecision, mm.ROC, mm.BestThreshold, mm.PrecisionRecallCurve]


@pytest.mark.parametrize("make", METRICS)
@pytest.mark.parametrize("dtype", [int, bool, np.uint8, float, np.float32])
def test_scores_of_0_and_1_are_told_once(make, dtype):
    """What `predict` returns, instead of `predict_proba`."""
    labels = np.arange(40) % 2
    decisions = (np.arange(40) % 3 > 0).astype(dtype)
    metric = make()
    with pytest.warns(UserWarning, match="all scores are 0 or 1"):
        metric.add(decisions, labels)
    metric.add(decisions, labels)  # a second warning would be an error


@pytest.mark.parametrize("make", METRICS)
def test_scores_are_not_told(make):
    """Other numbers, few floats, and batches of certain scores after others: no warning."""
    labels = np.arange(40) % 2
    scores = np.linspace(0, 1, 40)
    for batches in ([scores, labels * 1.0], [scores[::39]], [np.arange(40)], [labels * 3]):
        metric = make()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for one in batches:
                metric.add(one, labels[: len(one)])
