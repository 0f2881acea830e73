"""VisualInformationFidelity: how much of an image's information another image retains."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics._common.filters import correlate, gaussian
from mmeval_like.metrics.image_quality.image_pairs import ImagePairMetric
from mmeval_like.metrics.image_quality.window_moments import less_first, window_moments
from mmeval_like.writing import NOT_NEGATIVE, arrays

__all__ = ["VisualInformationFidelity"]

_SIDES = (17, 9, 5, 3)  # the sides of the windows at the four scales
_TINY = 1e-10


class VisualInformationFidelity(ImagePairMetric):
    """The mean visual information fidelity (VIF) of images, in the pixel domain.

    The score says how much of the information in the ground truth a viewer still gets from the
    prediction. At each of four scales, with Gaussian windows of 17, 9, 5 and 3 pixels (sigma is a
    fifth of this), the prediction y is modelled as the ground truth x times a gain g, with noise of
    variance v; the viewer's own noise has the variance n. Sums are taken over windows and scales.

    The next scale is the image smoothed by its window, at every second pixel. Images are first
    scaled by `data_range` to 0 to 255, since n is in these units. An image's score is the mean over
    its channels. Source: H. Sheikh and A. Bovik, "Image information and visual quality" (IEEE TIP
    15, 2006).

    Formula:
        vif = (sum ln(1 + g^2 s_x^2 / (v + n))) / (sum ln(1 + s_x^2 / n))
        g = s_(x y) / s_x^2
        v = s_y^2 - g s_(x y)

    Args:
        sigma_n_sq: The variance n of the viewer's noise.
        **options: As for `PlanesMetric`.

    Returns of `compute`: `vif`, at least 0; 1 for equal images, more where contrast was added.
    Images whose ground truth has a flat channel are left out, with a warning. Without samples, the
    value is nan. Higher is better.

    Raises:
        ValueError: `sigma_n_sq` is not positive and finite; another option is not one of its
            allowed values.

    Example:
        >>> import numpy as np
        >>> image = np.arange(48 * 48).reshape(48, 48) % 251
        >>> metric = VisualInformationFidelity()
        >>> metric.add([image], [image])
        >>> round(metric.compute()["vif"], 6)  # of an image and itself
        1.0
    """

    processor_dependent = "log"
    key = "vif"
    ranges = NOT_NEGATIVE
    higher_is_better = True
    scaled = True
    leaves_out_nan = True
    least = 41  # so that the window of the last scale fits

    def __init__(self, sigma_n_sq: float = 2.0, **options: Any) -> None:
        super().__init__(**options)
        if not 0 < sigma_n_sq < math.inf:
            raise ValueError(f"sigma_n_sq must be positive and finite, got {sigma_n_sq}")
        self.sigma_n_sq = float(sigma_n_sq)

    def pair_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the fidelity of one frame; nan where a channel of the truth is flat."""
        x, y = (255 / self.data_range * less_first(planes) for planes in (truth, prediction))
        left = whole = np.zeros(len(x))
        for place, side in enumerate(_SIDES):
            window = gaussian(side / 5, side // 2)
            if place:
                x, y = (correlate(planes, window, window, stride=2) for planes in (x, y))
            _, moments = window_moments([x, y], [(0, 0), (1, 1), (0, 1)], window)
            gain, noise, signal = _channel(*moments)
            left = left + _bits(gain * gain * signal / (noise + self.sigma_n_sq))
            whole = whole + _bits(signal / self.sigma_n_sq)
        if not whole.all():
            return math.nan
        return math.fsum(left / whole) / len(whole)


def _channel(xx: np.ndarray, yy: np.ndarray, xy: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the gain from x to y, and the variances of the noise and of x, where this is not 0."""
    gain = xy / (xx + _TINY)
    noise = yy - gain * xy
    flat_x, flat_y = xx < _TINY, yy < _TINY
    noise = np.where(flat_x, yy, np.where(flat_y, 0.0, noise))
    gain = np.where(flat_x | flat_y, 0.0, gain)
    against = gain < 0
    noise = np.maximum(np.where(against, yy, noise), _TINY)
    return np.where(against, 0.0, gain), noise, np.where(flat_x, 0.0, xx)


def _bits(ratios: np.ndarray) -> np.ndarray:
    """Return every channel's sum of ln(1 + ratio)."""
    return arrays.sum_rows(np.log1p(ratios))
