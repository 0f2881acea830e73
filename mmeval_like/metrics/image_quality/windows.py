"""UniversalImageQualityIndex and SpatialCorrelationCoefficient: means over sliding windows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.image_quality.image_pairs import ImagePairMetric, mean_of
from mmeval_like.writing import CORRELATION

__all__ = ["SpatialCorrelationCoefficient", "UniversalImageQualityIndex"]

_ROUNDING = 32 * np.finfo(np.float64).eps  # relative to the largest pixel


def check_window(window: int) -> int:
    """Return the side of a window, in pixels.

    Raises:
        TypeError: `window` is not an integer.
        ValueError: `window` is below 2.
    """
    if check_count("window", window) < 2:
        raise ValueError(f"window must be at least 2, got {window}")
    return window


class UniversalImageQualityIndex(ImagePairMetric):
    """The mean over images of the universal image quality index.

    In each window, with equal weights, the index compares the means m_x and m_y, the variances
    s_x^2 and s_y^2, and the covariance s_(x y) of the two images x and y; the score is the mean
    over all windows and channels, and 1 for identical images. If both windows are flat the index is
    2 m_x m_y / (m_x^2 + m_y^2), or 1 if both are black; if they are not flat and both means are 0,
    it is 2 s_(x y) / (s_x^2 + s_y^2). Source: Z. Wang and A. Bovik, "A universal image quality
    index" (IEEE SPL 9, 2002).

    Formula:
        uqi = mean 4 s_(x y) m_x m_y / ((s_x^2 + s_y^2) (m_x^2 + m_y^2))

    Args:
        window: The side of the window, in pixels.
        **options: As for `PlanesMetric`.

    Returns of `compute`: `uqi`, in [-1, 1]. Without samples, the value is nan. Higher is better.

    Raises:
        TypeError: `window` is not an integer.
        ValueError: `window` is below 2, or another option is not one of its allowed values.

    Example:
        >>> import numpy as np
        >>> metric = UniversalImageQualityIndex()
        >>> metric.add([np.full((8, 8), 100)], [np.full((8, 8), 50)])
        >>> metric.compute()  # 2 * 5000 / (10000 + 2500)
        {'uqi': 0.8}
    """

    key = "uqi"
    higher_is_better = True
    ranges = CORRELATION

    def __init__(self, window: int = 8, **options: Any) -> None:
        super().__init__(**options)
        self.window = self.least = check_window(window)

    def pair_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the index of one frame."""
        found = moments(prediction, truth, self.window)
        spread = _quotient(2 * found.covariance, found.variance_x + found.variance_y)
        squares = found.mean_x * found.mean_x + found.mean_y * found.mean_y
        return mean_of(spread * _quotient(2 * found.mean_x * found.mean_y, squares))


class SpatialCorrelationCoefficient(ImagePairMetric):
    """The mean spatial correlation coefficient (SCC) of images: how similar their edges are.

    Both images are first filtered: each pixel becomes 8 times itself minus its 8 neighbours, where
    the image is mirrored at its border. In the window around each pixel, Pearson's correlation of
    the two filtered images is computed. Filtered images are 0 outside of the image; the correlation
    counts as 0 if either is flat. The score is the mean over all windows and channels. Source: J.
    Zhou, D. Civco, J. Silander, "A wavelet transform method to merge Landsat TM and SPOT
    panchromatic data" (International Journal of Remote Sensing 19, 1998).

    Formula:
        scc = mean s_(x y) / (s_x s_y)

    Args:
        window: The side of the window, in pixels.
        **options: As for `PlanesMetric`.

    Returns of `compute`: `scc`, in [-1, 1]. Without samples, the value is nan. Higher is better.

    Raises:
        TypeError: `window` is not an integer.
        ValueError: `window` is below 2, or another option is not one of its allowed values.

    Example:
        >>> import numpy as np
        >>> image = np.arange(100).reshape(10, 10) ** 2 % 256
        >>> metric = SpatialCorrelationCoefficient()
        >>> metric.add([image, 255 - image], [image, image])
        >>> metric.compute()  # (1 - 1) / 2
        {'scc': 0.0}
    """

    key = "scc"
    higher_is_better = True
    ranges = CORRELATION

    def __init__(self, window: int = 8, **options: Any) -> None:
        super().__init__(**options)
        self.window = self.least = check_window(window)

    def pair_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the correlation of one frame."""
        beyond = (self.window // 2, (self.window - 1) // 2)
        p, y = (np.pad(_edges(x), ((0, 0), beyond, beyond)) for x in (prediction, truth))
        found = moments(p, y, self.window)
        spread = np.sqrt(found.variance_x) * np.sqrt(found.variance_y)
        shares = np.zeros_like(spread)
        np.divide(found.covariance, spread, out=shares, where=spread > 0)
        return mean_of(np.clip(shares, -1.0, 1.0))


class Moments(NamedTuple):
    """Means, variances and the covariance of two images in every window, (C, H, W) each."""

    mean_x: np.ndarray
    mean_y: np.ndarray
    variance_x: np.ndarray
    variance_y: np.ndarray
    covariance: np.ndarray


def moments(x: np.ndarray, y: np.ndarray, window: int) -> Moments:
    """Return the moments of all windows of this side that fit into planes (C, H, W).

    The first value of each window is subtracted first, so that no digits cancel, and the variance
    of a flat window is exactly 0.
    """
    height, width = (size - window + 1 for size in x.shape[1:])
    first_x, first_y = x[:, :height, :width], y[:, :height, :width]
    sums = [np.zeros_like(first_x) for _ in range(5)]
    for row in range(window):
        for column in range(window):
            dx = x[:, row : row + height, column : column + width] - first_x
            dy = y[:, row : row + height, column : column + width] - first_y
            for total, term in zip(sums, (dx, dy, dx * dx, dy * dy, dx * dy), strict=True):
                total += term
    dx, dy, xx, yy, xy = (total / window**2 for total in sums)
    return Moments(
        first_x + dx,
        first_y + dy,
        np.maximum(xx - dx * dx, 0.0),
        np.maximum(yy - dy * dy, 0.0),
        xy - dx * dy,
    )


def _quotient(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Return quotients; 1 where numerator and denominator are 0."""
    found = np.ones_like(numerators)
    np.divide(numerators, denominators, out=found, where=denominators != 0)
    return found


def _edges(planes: np.ndarray) -> np.ndarray:
    """Return 8 times every pixel minus its neighbours; the image is mirrored at its border.

    Values as small as float64's rounding errors become 0: a slope has no edges, even in steps of 1
    / 255.
    """
    _, height, width = planes.shape
    padded = np.pad(planes, ((0, 0), (1, 1), (1, 1)), mode="symmetric")
    edges, largest = np.zeros_like(planes), np.zeros_like(planes)
    for row in range(3):
        for column in range(3):
            near = padded[:, row : row + height, column : column + width]
            edges += planes - near
            np.maximum(largest, np.abs(near), out=largest)
    edges[np.abs(edges) <= _ROUNDING * largest] = 0.0
    return edges
