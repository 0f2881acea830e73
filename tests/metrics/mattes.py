"""Alpha mattes for the tests of the matting metrics."""

from typing import Any

import numpy as np
import pytest


def mattes(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """Predictions and true alphas in [0, 1] of n images, with regions, and trimaps."""
    ramp = np.linspace(-1, 2, 12)[:, None] * rng.normal(size=(n, 1, 10))
    truth = np.clip(ramp + 0.3 * rng.random((n, 12, 10)), 0, 1)
    prediction = np.clip(truth + rng.normal(size=truth.shape) * 0.2, 0, 1)
    trimaps = rng.choice(np.array([0, 128, 255], np.uint8), truth.shape)
    return prediction, truth, trimaps


def check_refusals(metric: Any) -> None:
    """Check that what is no matte with a trimap is refused by name."""
    alpha, trimap = np.zeros((1, 4, 4)), np.full((1, 4, 4), 128)
    for arguments, text in [
        ((alpha, alpha[:0], trimap), "same length"),
        ((alpha, alpha[:, 1:], trimap), "same shape"),
        ((alpha, alpha, trimap[:, 1:]), "same shape"),
        ((alpha[..., None], alpha[..., None], trimap[..., None]), "\\(H, W\\)"),
        ((alpha, alpha, trimap - 1), "only 0, 128 and 255, got 127"),
        ((alpha * np.nan, alpha, trimap), "pred_alphas must not contain nan"),
        ((alpha, alpha + np.inf, trimap), "gt_alphas must not contain"),
    ]:
        with pytest.raises(ValueError, match=text):
            metric.add(*arguments)
    with pytest.raises(TypeError, match="trimaps"):
        metric.add(alpha, alpha, None)
