"""PeakSignalNoiseRatio: the mean squared error of images, in decibels below full range."""

from __future__ import annotations

import math

import numpy as np

from mmeval_like.metrics._common.decibels import DecibelMetric
from mmeval_like.writing import arrays

__all__ = ["PeakSignalNoiseRatio"]


class PeakSignalNoiseRatio(DecibelMetric):
    """The mean peak signal-to-noise ratio (PSNR) of images, in decibels.

    MSE is an image's mean squared error. Identical images have no error: their score, and with it
    the mean, is infinite. A video's score is the mean over its frames.

    Formula:
        psnr = mean 20 log_10 (range / sqrt(MSE))

    Args:
        **options: As for `PlanesMetric`.

    Returns of `compute`: `psnr`. Without samples, the value is nan. Higher is better.

    Raises:
        ValueError: An option is not one of its allowed values.

    Example:
        >>> import numpy as np
        >>> metric = PeakSignalNoiseRatio()
        >>> metric.add([np.zeros((3, 4, 4), np.uint8)], [np.full((3, 4, 4), 25.5)])
        >>> metric.compute()
        {'psnr': 20.0}
    """

    key = "psnr"
    higher_is_better = True
    scaled = True

    def powers(self, prediction: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the squared range and the mean squared errors."""
        difference = prediction - truth
        np.multiply(difference, difference, out=difference)
        square = arrays.sum_rows(difference) / math.prod(difference.shape[1:])
        return np.full(len(square), self.data_range * self.data_range), square
