"""ImagePairMetric: the base class of metrics of pairs of images."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from mmeval_like.metrics._common.image import PlanesMetric
from mmeval_like.writing import SampleMean, arrays

__all__ = ["ImagePairMetric", "mean_of"]


class ImagePairMetric(PlanesMetric, SampleMean):
    """The mean score of pairs of images; a video's score is the mean over its frames.

    Args:
        **options: As for `PlanesMetric`.
    """

    least = 1  # the least side of an image, in pixels

    def scores(
        self, predictions: Any, groundtruths: Any, channel_order: str | None = None
    ) -> np.ndarray:
        """Return the score of every pair.

        Args:
            predictions: Images (H, W) or with channels, or videos (frames, ...) with channels:
                one array (N, ...) or a sequence. Any real dtype, finite.
            groundtruths: The same shapes.
            channel_order: "rgb" or "bgr"; default: the constructor's.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of images differ, shapes do not fit, an image is too small
                inside the border, an image for "Y" does not have 3 channels, or a pixel is not
                finite or beyond 1e60.
        """
        names = ("predictions", "groundtruths")
        return self.frame_means(self.frame_score, channel_order, names, predictions, groundtruths)

    def frame_score(self, *frames: np.ndarray) -> float:
        """Check one frame of each input, and return its score."""
        for name, frame in zip(("predictions", "groundtruths"), frames, strict=True):
            rule = "must be finite, and within 1e60"
            arrays.require(name, frame, np.abs(frame) <= 1e60, rule)
            height, width = frame.shape[1:]
            if min(height, width) < self.least:
                raise ValueError(
                    f"{name} must have at least {self.least} x {self.least} pixels, "
                    f"got {height} x {width}"
                )
        prediction, truth = (frame.astype(np.float64) for frame in frames)
        return self.pair_score(prediction, truth)

    @abstractmethod
    def pair_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the score of one frame of planes (C, H, W), float64."""


def mean_of(values: np.ndarray) -> float:
    """Return the mean of an array; it depends only on the values and their order."""
    total: float = arrays.sum_rows(values[None]).item()
    return total / values.size
