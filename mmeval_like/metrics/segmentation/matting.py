"""TrimapMetric: the base of matting metrics, whose samples have trimaps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.image import in_batches
from mmeval_like.writing import SampleMean, arrays

__all__ = ["TrimapMetric", "check_norm_const"]

_NAMES = ("pred_alphas", "gt_alphas", "trimaps")


def check_norm_const(norm_const: float) -> float:
    """Return `norm_const`; raise ValueError unless it is positive and within a safe range."""
    if not 1e-100 <= norm_const <= 1e100:
        raise ValueError(f"norm_const must be positive, in [1e-100, 1e100], got {norm_const}")
    return norm_const


class TrimapMetric(SampleMean):
    """The mean over images of an error that depends on the trimap's unknown pixels."""

    truth_inputs: ClassVar[tuple[str, ...]] = ("gt_alphas",)

    @abstractmethod
    def errors(
        self, predictions: np.ndarray, truths: np.ndarray, unknown: np.ndarray
    ) -> Iterable[float]:
        """Return the errors of images from float64 alphas and masks of unknown pixels, (n, H, W).

        An image's error does not depend on the others.
        """

    def scores(self, pred_alphas: Any, gt_alphas: Any, trimaps: Any) -> np.ndarray:
        """Return the error of every image.

        Args:
            pred_alphas: Alphas (H, W): an array (N, H, W) or a sequence. Any real dtype.
            gt_alphas: The same shapes.
            trimaps: Trimaps of the same shapes, with 0 for background, 128 for unknown and 255 for
                foreground pixels.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of images differ, shapes do not fit, a trimap has other values,
                or an alpha is nan or infinite.
        """
        scores: list[float] = []
        given = zip(_NAMES, (pred_alphas, gt_alphas, trimaps), strict=True)
        for batch in in_batches(dict(given)):
            predictions, truths, regions = batch
            if regions.ndim != 3:
                shape = regions.shape[1:]
                raise ValueError(f"each sample of {_NAMES[0]} must have shape (H, W), got {shape}")
            arrays.check_finite("pred_alphas", predictions)
            arrays.check_finite("gt_alphas", truths)
            unknown = regions == 128
            known = unknown | (regions == 0) | (regions == 255)
            arrays.require("trimaps", regions, known, "must contain only 0, 128 and 255")
            scores.extend(self.errors(predictions, truths, unknown))
        return np.array(scores, np.float64)
