"""PeakSignalNoiseRatio: the mean squared error of images, in decibels below full range."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like import arrays
from mmeval_like._accumulate.results import Results
from mmeval_like.metrics._shared.common import ratio
from mmeval_like.metrics._shared.decibels import DecibelMetric

__all__ = ["PeakSignalNoiseRatio"]


class PeakSignalNoiseRatio(DecibelMetric):
    """The mean over images of 20 log10(data_range / sqrt(MSE)).

    Identical images have no noise: their score, and then the mean, is infinite. A video's
    score is the mean over its frames.

    Args:
        crop_border: How many pixels to cut off on each side.
        input_order: "CHW" or "HWC": the axes of images with channels. Letter case is free, here
            and below.
        convert_to: "Y": compare the luma of ITU-R BT.601 (16 to 235 for 8 bits) instead of the
            colours; None: the channels as they are.
        channel_order: "rgb" or "bgr"; `add` may say otherwise. It matters to "Y" only.
        data_range: The difference between white and black: 255 for 8-bit images.
        **options: As for `BaseMetric`.

    Returns of `compute`: `psnr`. Without samples: nan.

    Raises:
        ValueError: An option that is none of these.

    Example:
        >>> import numpy as np
        >>> metric = PeakSignalNoiseRatio()
        >>> metric.add([np.zeros((3, 4, 4), np.uint8)], [np.full((3, 4, 4), 25.5)])
        >>> metric.compute()
        {'psnr': 20.0}
    """

    def rows(
        self, predictions: Any, groundtruths: Any, channel_order: str | None = None
    ) -> dict[str, np.ndarray]:
        """Return one score per image.

        Args:
            predictions: Images (H, W) or with channels, or videos (frames, ...) with channels:
                one array (N, ...) or a sequence. Any real dtype.
            groundtruths: The same shapes.
            channel_order: "rgb" or "bgr"; default: the constructor's.

        Raises:
            TypeError: Not real numbers.
            ValueError: Different numbers of images, shapes that do not fit, images that are no
                larger than the border, other than 3 channels for "Y", nan or infinite pixels.
        """
        names = ("predictions", "groundtruths")
        return self.score_rows(channel_order, names, predictions, groundtruths)

    def powers(self, prediction: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the squared range and the mean squared errors."""
        difference = prediction - truth
        square = arrays.sum_rows(difference * difference) / math.prod(difference.shape[1:])
        return np.full(len(square), self.data_range**2), square

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `psnr`."""
        return {"psnr": ratio(results.score, len(results))}
