"""MeanAbsoluteError against scikit-learn and numpy's averages; bad inputs are tested with MSE."""

import math
from typing import Any

import numpy as np
import pytest

from mmeval_like import MeanAbsoluteError
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics.pictures import images
from tests.metrics.test_mean_squared_error import masked, weighted


def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """scikit-learn's error of each image's pixels, then the mean."""
    error = requires("sklearn.metrics").mean_absolute_error
    pairs = zip(predictions, groundtruths, strict=True)
    return {"mae": np.mean([error(np.ravel(t) / 255, np.ravel(p) / 255) for p, t in pairs])}


def masked_oracle(predictions: Any, groundtruths: Any, masks: Any) -> dict[str, float]:
    """Averages weighted by the repeated masks, 0 where there is nothing to average."""
    errors = np.abs(predictions.astype(float) - groundtruths) / 255
    weights = np.repeat(masks, 3, axis=3)
    pairs = zip(errors, weights, strict=True)
    return {"mae": np.mean([np.average(e, weights=w) if w.any() else 0 for e, w in pairs])}


def weighted_oracle(predictions: Any, labels: Any, _: None, weights: Any) -> dict[str, float]:
    """scikit-learn's weighted error."""
    error = requires("sklearn.metrics").mean_absolute_error
    return {"mae": error(labels, predictions, sample_weight=weights)}


def regression(**options: Any) -> MeanAbsoluteError:
    """The metric in the labels' own units."""
    return MeanAbsoluteError(data_range=1, **options)


EMPTY = {"mae": math.nan}
CASES = {
    "MeanAbsoluteError": MetricCase(MeanAbsoluteError, images(4, 5, 3), oracle, empty=EMPTY),
}
VARIANTS = {
    "MeanAbsoluteError, masked": MetricCase(MeanAbsoluteError, masked, masked_oracle),
    "MeanAbsoluteError of numbers": MetricCase(regression, weighted, weighted_oracle),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(4))
