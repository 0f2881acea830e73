"""TotalVariation: how much neighbouring pixels of an image differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.image import PlanesMetric
from mmeval_like.writing import NOT_NEGATIVE, SampleMean, arrays

__all__ = ["TotalVariation"]


class TotalVariation(PlanesMetric, SampleMean):
    """The mean over images of the sum of absolute differences of neighbouring pixels.

    The sum is taken over all pairs of pixels that are neighbours in a column or in a row, and over
    channels. A high value says that an image is noisy or rich in detail; there is no ground truth.
    A video's score is the mean over its frames. Source: the anisotropic form of L. Rudin, S. Osher,
    E. Fatemi, "Nonlinear total variation based noise removal algorithms" (Physica D 60, 1992).

    Formula:
        TV = mean sum_(i, j) (|x_(i + 1, j) - x_(i, j)| + |x_(i, j + 1) - x_(i, j)|)

    Args:
        **options: As for `PlanesMetric`.

    Returns of `compute`: `total_variation`, at least 0. Without samples, the value is nan. Lower is
    better.

    Raises:
        ValueError: An option is not one of its allowed values.

    Example:
        >>> metric = TotalVariation()
        >>> metric.add([[[1, 2], [4, 8]]])  # 3 + 6 down, 1 + 4 across
        >>> metric.compute()
        {'total_variation': 14.0}
    """

    key = "total_variation"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def scores(self, predictions: Any, channel_order: str | None = None) -> np.ndarray:
        """Return the variation of every image.

        Args:
            predictions: Images (H, W) or with channels, or videos (frames, ...) with channels:
                one array (N, ...) or a sequence. Any real dtype, finite.
            channel_order: "rgb" or "bgr"; default: the constructor's.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, an image is no larger than the border, an image for "Y"
                does not have 3 channels, a pixel is not finite, or the differences of pixels add up
                beyond float64.
        """
        return self.frame_means(self.frame_score, channel_order, ("predictions",), predictions)

    def frame_score(self, *frames: np.ndarray) -> float:
        """Return the variation of one frame."""
        [planes] = frames
        arrays.check_finite("predictions", planes)
        with np.errstate(over="ignore"):
            steps = (np.abs(np.diff(planes, axis=axis))[None] for axis in (1, 2))
            total = np.float64(sum(arrays.sum_rows(part).item() for part in steps))
        rule = "must have differences whose sum is within float64"
        arrays.require("predictions", total, np.isfinite(total), rule)
        return float(total)
