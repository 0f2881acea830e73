"""Metrics of features refuse too few samples, and what means nothing."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from mmeval_like import (
    CLIPScore,
    FrechetInceptionDistance,
    HilbertSchmidtIndependence,
    InceptionScore,
    KernelInceptionDistance,
    MaximumMeanDiscrepancy,
    MemorizationInformedFID,
    PrecisionRecallDensityCoverage,
)
from tests.metrics.test_feature_metrics import DIM, FID


def test_too_few_samples() -> None:
    """One sample of a kind has no covariance, and no subset."""
    x, real = np.zeros((3, DIM)), [True, True, False]
    for make in (
        FID,
        partial(MemorizationInformedFID, DIM),
        partial(MaximumMeanDiscrepancy, DIM),
        partial(PrecisionRecallDensityCoverage, DIM),
    ):
        assert all(map(math.isnan, make()(x, real).values()))
    metric = KernelInceptionDistance(DIM)
    metric.add(x, real)
    with pytest.warns(
        RuntimeWarning, match="needs 1000 samples of each kind, got 1 generated and 2"
    ):
        assert math.isnan(metric.compute()["kid"])
    assert all(map(math.isnan, InceptionScore(5, splits=3)(np.zeros((2, 5))).values()))


BAD = [
    (lambda: FrechetInceptionDistance(0), ValueError, "dim must be positive"),
    (lambda: FrechetInceptionDistance(2, features=3), TypeError, "features must be a function"),
    (lambda: InceptionScore(2, features=3), TypeError, "features must be a function"),
    (lambda: FID().add([[1.0]], True), ValueError, r"features must have shape \(N, 3\)"),
    (
        lambda: FID().add([[1.0, 2.0, 2049.0]], True),
        ValueError,
        "must not exceed 2048 .*magnitude=.*, got 2049",
    ),
    (
        lambda: MemorizationInformedFID(1).add([[-2049.0]], True),
        ValueError,
        "must not exceed 2048 .*magnitude=.*, got -2049",
    ),
    (lambda: FID().add([[1.0, 2.0, math.nan]], True), ValueError, "nan"),
    (
        lambda: FID().add([[1.0, 2.0, 3.0]], [1, 0]),
        ValueError,
        r"real must be a bool or have shape \(1,\)",
    ),
    (lambda: FID().add([[1.0, 2.0, 3.0]], 2), ValueError, r"real must be in \[0, 2\)"),
    (lambda: FID().add([[1.0, 2.0, 3.0]], "real"), TypeError, "real"),
    (
        lambda: KernelInceptionDistance(2, subset_size=1),
        ValueError,
        "subset_size must be at least 2",
    ),
    (lambda: KernelInceptionDistance(2, subsets=-1), ValueError, "subsets must be positive"),
    (lambda: KernelInceptionDistance(1).add([[1e39]], True), ValueError, "infinity"),
    (lambda: MaximumMeanDiscrepancy(2, sigma=0), ValueError, "sigma must be positive"),
    (lambda: MemorizationInformedFID(2, threshold=2), ValueError, "threshold must be in"),
    (
        lambda: PrecisionRecallDensityCoverage(2, nearest_k=0),
        ValueError,
        "nearest_k must be positive",
    ),
    (lambda: InceptionScore(2, splits=0), ValueError, "splits must be positive"),
    (
        lambda: InceptionScore(2, from_logits=False).add([[0.5, 0.6]]),
        ValueError,
        "add up to 1, got 1.1",
    ),
    (lambda: InceptionScore(2, from_logits=False).add([[1.5, -0.5]]), ValueError, "negative"),
    (lambda: KernelInceptionDistance(seed=-1), ValueError, r"seed must be in \[0, 2\^32\)"),
    (lambda: KernelInceptionDistance(seed=0.5), TypeError, "seed must be an integer"),
    (lambda: MaximumMeanDiscrepancy(1, sigma=1e-200), ValueError, "sigma must be positive"),
    (lambda: HilbertSchmidtIndependence(1, 0), ValueError, "dim_y must be positive"),
    (lambda: HilbertSchmidtIndependence(1, 1, sigma_y=-1), ValueError, "sigma_y must be positive"),
    (
        lambda: HilbertSchmidtIndependence(1, 1).add([[1.0]], [[1.0], [2.0]]),
        ValueError,
        "same length",
    ),
    (lambda: CLIPScore(0), ValueError, "scale must be positive"),
    (lambda: CLIPScore(features=(len,)), TypeError, "a pair of functions"),
    (
        lambda: CLIPScore().add([[1.0]], [[1.0, 2.0]]),
        ValueError,
        "images and texts must have the same shape",
    ),
]


@pytest.mark.parametrize(("action", "error", "text"), BAD)
def test_bad_arguments(action: Callable[[], Any], error: type[Exception], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(error, match=text):
        action()
