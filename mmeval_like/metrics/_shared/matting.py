"""What the matting metrics share: samples with trimaps, and their means."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like.metrics._shared.image import pairs
from mmeval_like.metrics.means import SampleMean

__all__ = ["TrimapMetric", "check_norm_const"]

_NAMES = ("pred_alphas", "gt_alphas", "trimaps")


def check_norm_const(norm_const: float) -> float:
    """Return it; ValueError unless it is positive and far from where float64 ends."""
    if not 1e-100 <= norm_const <= 1e100:
        raise ValueError(f"norm_const must be positive, in [1e-100, 1e100], got {norm_const}")
    return norm_const


class TrimapMetric(SampleMean):
    """A mean over images of an error that depends on the trimap's unknown pixels."""

    @abstractmethod
    def error(self, prediction: np.ndarray, truth: np.ndarray, unknown: np.ndarray) -> float:
        """Return one image's error from alphas (H, W), float64, and where they are unknown."""

    def scores(self, pred_alphas: Any, gt_alphas: Any, trimaps: Any) -> np.ndarray:
        """Return the error of every image.

        Args:
            pred_alphas: Alphas (H, W): an array (N, H, W) or a sequence. Any real dtype.
            gt_alphas: The same shapes.
            trimaps: The same shapes: 0 background, 128 unknown, 255 foreground.

        Raises:
            TypeError: Not real numbers.
            ValueError: Different numbers of images, shapes that do not fit, other values in a
                trimap, nan or infinite alphas.
        """
        scores = []
        for prediction, truth, trimap in pairs(
            _NAMES, pred_alphas, gt_alphas, trimaps, shape="(H, W)", ndim=2
        ):
            arrays.check_finite("pred_alphas", prediction)
            arrays.check_finite("gt_alphas", truth)
            unknown = trimap == 128
            strange = trimap[~(unknown | (trimap == 0) | (trimap == 255))]
            if strange.size:
                raise ValueError(f"trimaps must hold 0, 128 and 255 only, got {strange[0]}")
            scores.append(self.error(prediction, truth, unknown))
        return np.array(scores, np.float64)
