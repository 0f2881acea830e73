"""Which shares are shares of samples, so that they have the interval of a proportion."""

import math
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*no samples")


def test_hits_are_true_or_false() -> None:
    """`state.sum(bool)` refuses numbers, which would be no hits."""
    state = mm.state.sum(bool)
    with pytest.raises(TypeError, match="must be an array of bool"):
        state.check("hits", np.array([1, 0]))
    assert state.value(state.fold(state.empty(), np.array([True, False, True]))) == 2


def test_samples_of_several_codes_are_not_taken_for_one_each() -> None:
    """Three predictions of one sample and none of two others are not three samples."""
    none = np.array([], int)
    metric = mm.SingleLabelPrecisionRecallF1score(num_classes=2, interval=0.95)
    metric.add([np.array([1, 0, 1]), none, none], [np.array([1, 0, 0]), none, none])
    forecast = mm.ForecastContingency(0.5, interval=0.95)
    forecast.add([[1.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]])
    forecast.add(np.zeros((2, 0)), np.zeros((2, 0)))
    for made, key in ((metric, "precision"), (forecast, "csi")):
        assert math.isnan(made.compute()[f"{key}_low"])
        assert "more counts than others" in str(made.intervals[key].thin)


class Hit(mm.BaseMetric):
    """Precision: a share of what was predicted, not of all samples."""

    both, predicted = mm.state.sum(bool), mm.state.sum(bool)

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return whether both are, and what was predicted."""
        return {"both": predictions & labels, "predicted": predictions}

    def compute_metric(self, results: Any) -> dict[str, float]:
        """Return the share."""
        return {"precision": results.both / results.predicted}


def test_a_share_of_some_samples_is_none_of_all() -> None:
    """Three of three predictions are not a hundred of a hundred; without ranges it says so."""
    few, every = np.arange(100) < 3, np.ones(100, bool)
    for ranges, why in (
        ({"*": (0.0, 1.0)}, "not a share of all samples"),
        ({}, "declares no ranges"),
    ):
        metric = Hit(interval=0.95)
        metric.ranges = ranges
        metric.add(few, every)
        assert math.isnan(metric.compute()["precision_low"])
        assert why in metric.intervals["precision"].thin
