"""StructuralSimilarity: how much of the images' structure agrees."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.filters import gaussian
from mmeval_like.metrics._common.image import PlanesMetric
from mmeval_like.metrics.image_quality.window_moments import less_first, window_moments
from mmeval_like.writing import CORRELATION, SampleMean, arrays

__all__ = ["WINDOW", "StructuralSimilarity", "luminance_and_structure"]

WINDOW = gaussian(1.5, 5)


class StructuralSimilarity(PlanesMetric, SampleMean):
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

    Returns of `compute`: `ssim`, in [-1, 1]. Without samples, the value is nan. Higher is better.

    Raises:
        ValueError: An option is not one of its allowed values.

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
            ValueError: The numbers of images differ, shapes do not fit, an image has fewer than 11
                x 11 pixels, or an image for "Y" does not have 3 channels.
        """
        names = ("predictions", "groundtruths")
        return self.frame_means(self.frame_score, channel_order, names, predictions, groundtruths)

    def frame_score(self, *frames: np.ndarray) -> float:
        """Return the similarity of one frame."""
        x, y = (frame.astype(np.float64) for frame in frames)
        if min(x.shape[1:]) < len(WINDOW):
            raise ValueError(
                f"predictions must have at least 11 x 11 pixels, got {x.shape[1]} x {x.shape[2]}"
            )
        luminance, structure = luminance_and_structure(x, y, self.data_range)
        similarity = luminance * structure
        mean: float = arrays.sum_rows(similarity[None]).item() / similarity.size
        return mean


def luminance_and_structure(
    x: np.ndarray, y: np.ndarray, data_range: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return l and cs in every window of two images (C, H, W).

    The squared mean of x + y minus that of x - y is 4 m_x m_y, and their sum is 2 (m_x^2 + m_y^2);
    variances and the covariance follow likewise. So four moments of two images are enough, in place
    of five.
    """
    c1, c2 = (2 * part * part for part in (0.01 * data_range, 0.03 * data_range))
    near_x, near_y = less_first(x), less_first(y)
    first_x, first_y = x[:, :1, :1], y[:, :1, :1]
    [plus], [both] = window_moments([near_x + near_y], [(0, 0)], WINDOW)
    [minus], [apart] = window_moments([near_x - near_y], [(0, 0)], WINDOW)
    plus, minus = (plus + (first_x + first_y)) ** 2, (minus + (first_x - first_y)) ** 2
    return (plus - minus + c1) / (plus + minus + c1), (both - apart + c2) / (both + apart + c2)
