"""GradientError: how much the gradients of alpha mattes differ."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mmeval_like.metrics._common.filters import correlate, gaussian
from mmeval_like.metrics.segmentation.matting import TrimapMetric, check_norm_const
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, Unpack, arrays

__all__ = ["GradientError"]

# The filters end where the Gaussian density falls below this value.
_EPSILON = 1e-2
_SMALLEST = 0.03  # below this sigma, the density next to the middle is 0 in float64


class GradientError(TrimapMetric):
    """The gradient error of alpha mattes: the difference of their gradients.

    Both mattes are scaled to [0, 1], each by its own extremes, and filtered with the derivatives of
    a Gaussian (of unit energy, with repeated edges), which gives a gradient at each pixel. The
    differences of the lengths of the predicted and the true gradient are squared, summed over the
    unknown pixels U of an image and divided by `norm_const`; the value is the mean over images.

    Formula:
        error = mean 1/norm sum_(i in U) (|grad p_i| - |grad y_i|)^2

    Source: C. Rhemann et al., "A perceptually motivated online benchmark for image matting"
    (CVPR 2009).

    Args:
        sigma: The Gaussian's standard deviation in pixels, in [0.03, 39.8).
        norm_const: The number by which sums are divided, so that values have a convenient size.
        **options: As for `BaseMetric`.

    Returns of `compute`: `gradient_error`. Without samples, the value is nan. Lower is better.

    Raises:
        ValueError: `sigma` is out of its range, or `norm_const` is not positive.

    Example:
        >>> import numpy as np
        >>> truth = np.zeros((1, 32, 32))
        >>> truth[:, :, 16:] = 1
        >>> trimap = np.full((1, 32, 32), 128)
        >>> metric = GradientError()
        >>> metric.add(truth, truth, trimap)
        >>> metric.add(np.zeros((1, 32, 32)), truth, trimap)
        >>> round(metric.compute()["gradient_error"], 4)
        0.3135
    """

    key = "gradient_error"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self, sigma: float = 1.4, norm_const: float = 1000, **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        largest = 1 / (math.sqrt(2 * math.pi) * _EPSILON)
        if not _SMALLEST <= sigma < largest:
            raise ValueError(f"sigma must be in [{_SMALLEST}, {largest:.1f}), got {sigma}")
        self.sigma = sigma
        self.norm_const = check_norm_const(norm_const)
        self._smooth, self._derive = _filters(sigma)

    def errors(
        self, predictions: np.ndarray, truths: np.ndarray, unknown: np.ndarray
    ) -> Iterator[float]:
        """Yield the errors of images."""
        yield from map(self._error, predictions, truths, unknown)

    def _error(self, prediction: np.ndarray, truth: np.ndarray, unknown: np.ndarray) -> float:
        difference = self._steepness(prediction) - self._steepness(truth)
        squares = np.where(unknown, difference * difference, 0.0)
        error: float = arrays.sum_rows(squares[None]).item() / self.norm_const
        return error

    def _steepness(self, alpha: np.ndarray) -> np.ndarray:
        if alpha.size == 0:
            return alpha
        low = alpha.min()
        extent = alpha.max() - low
        scaled = (alpha - low) / extent if extent else np.zeros_like(alpha)
        padded = np.pad(scaled, len(self._smooth) // 2, mode="edge")
        along_x = correlate(padded, self._smooth, self._derive)
        along_y = correlate(padded, self._derive, self._smooth)
        return np.asarray(np.sqrt(along_x * along_x + along_y * along_y))


def _filters(sigma: float) -> tuple[list[float], list[float]]:
    """Return a Gaussian and its derivative, both of unit energy."""
    density = math.sqrt(2 * math.pi) * sigma * _EPSILON
    radius = math.ceil(sigma * math.sqrt(-2 * math.log(density)))
    smooth = gaussian(sigma, radius)
    derived = [x * value for x, value in zip(range(-radius, radius + 1), smooth, strict=True)]
    return _of_unit_energy(smooth), _of_unit_energy(derived)


def _of_unit_energy(taps: list[float]) -> list[float]:
    length = math.sqrt(math.fsum(tap * tap for tap in taps))
    return [tap / length for tap in taps]
