"""StructuralSimilarity: how much of the images' structure agrees."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.filters import correlate, gaussian
from mmeval_like.metrics._common.image import FrameMetric
from mmeval_like.writing import CORRELATION, arrays

__all__ = ["StructuralSimilarity"]

_RADIUS = 5
_WINDOW = gaussian(1.5, _RADIUS)


class StructuralSimilarity(FrameMetric):
    """The mean structural similarity (SSIM) of images: 1 for identical images.

    The luminance l, and the contrast and structure cs, of two images x and y are compared around
    each pixel, from their means m, variances s^2 and covariance under a Gaussian window of 11 x 11
    pixels (sigma 1.5), wherever it fits into the image. C_1 is (0.01 data_range)^2 and C_2 is (0.03
    data_range)^2. SSIM is the mean over pixels and channels, computed in float64. A video's score
    is the mean over its frames. Source: Z. Wang et al., "Image quality assessment: from error
    visibility to structural similarity" (IEEE TIP 13, 2004).

    Formula:
        ssim = mean l * cs
        l = (2 m_x m_y + C_1) / (m_x^2 + m_y^2 + C_1)
        cs = (2 s_(x y) + C_2) / (s_x^2 + s_y^2 + C_2)

    Args:
        **options: As for `PlanesMetric`.

    Returns of `compute`: `ssim`, in [-1, 1]. Without samples: nan. Higher is better.

    Raises:
        ValueError: An option is none of its allowed values.

    Example:
        >>> import numpy as np
        >>> image = np.arange(3 * 16 * 16).reshape(3, 16, 16) % 256
        >>> metric = StructuralSimilarity()
        >>> metric.add([image, image], [image, 255 - image])
        >>> round(metric.compute()["ssim"], 4)
        0.0869
    """

    key = "ssim"
    ranges = CORRELATION
    higher_is_better = True
    scaled = True

    def scores(
        self, predictions: Any, groundtruths: Any, channel_order: str | None = None
    ) -> np.ndarray:
        """Return the similarity of every image.

        Args:
            predictions: Images (H, W) or with channels, or videos (frames, ...) with channels:
                one array (N, ...) or a sequence. Any real dtype.
            groundtruths: The same shapes.
            channel_order: "rgb" or "bgr"; default: the constructor's.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Numbers of images differ, shapes do not fit, an image has less than 11 x 11
                pixels, or "Y" has other than 3 channels.
        """
        names = ("predictions", "groundtruths")
        return self.image_scores(channel_order, names, predictions, groundtruths)

    def frame_score(self, *frames: np.ndarray) -> float:
        """Return the similarity of one frame."""
        x, y = frames
        if min(x.shape[1:]) < len(_WINDOW):
            raise ValueError(
                f"predictions must have at least 11 x 11 pixels, got {x.shape[1]} x {x.shape[2]}"
            )
        mean_x, mean_y = _blur(x), _blur(y)
        square_x, square_y, product = mean_x * mean_x, mean_y * mean_y, mean_x * mean_y
        variances = _blur(x * x) - square_x + (_blur(y * y) - square_y)
        covariance = _blur(x * y) - product
        c1, c2 = (0.01 * self.data_range) ** 2, (0.03 * self.data_range) ** 2
        similarity = ((2 * product + c1) * (2 * covariance + c2)) / (
            (square_x + square_y + c1) * (variances + c2)
        )
        mean: float = arrays.sum_rows(similarity[None]).item() / similarity.size
        return mean


def _blur(planes: np.ndarray) -> np.ndarray:
    return correlate(planes, _WINDOW, _WINDOW)
