"""SpectralAngleMapper and ERGAS: metrics of images of several channels, as from satellites."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics.image_quality.image_pairs import ImagePairMetric, mean_of
from mmeval_like.writing import NOT_NEGATIVE, arrays

__all__ = ["ERGAS", "SpectralAngleMapper"]


class SpectralAngleMapper(ImagePairMetric):
    """The mean over images of the angle between the colours of pixels, in radians.

    The channels of pixel i are a vector, p_i in the prediction and y_i in the ground truth; the
    angle is the one between these two vectors. An image's score is the mean over its pixels; pixels
    that are black in either image have no angle and are left out. Source: R. Yuhas, A. Goetz, J.
    Boardman, "Discrimination among semi-arid landscape endmembers using the spectral angle mapper
    (SAM) algorithm" (JPL 1992).

    Formula:
        sam = mean mean_i arccos((p_i * y_i) / (|p_i| |y_i|))

    Args:
        **options: As for `PlanesMetric`.

    Returns of `compute`: `sam`, in [0, pi]. Images in which no pixel has an angle are left out,
    with a warning. Without samples, the value is nan. Lower is better.

    Raises:
        ValueError: An option is not one of its allowed values. `add` raises it for images of one
            channel.

    Example:
        >>> import numpy as np
        >>> metric = SpectralAngleMapper()
        >>> metric.add([np.full((2, 1, 1), 7)], [np.array([[[5]], [[0]]])])
        >>> round(metric.compute()["sam"], 6)  # pi / 4
        0.785398
    """

    processor_dependent = "arctan2"
    key = "sam"
    ranges = MappingProxyType({"sam": (0.0, math.pi)})
    higher_is_better = False
    leaves_out_nan = True

    def pair_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the mean angle of one frame."""
        if len(prediction) < 2:
            raise ValueError("predictions must have at least 2 channels, got 1")
        p, y = (
            np.moveaxis(planes, 0, -1).reshape(-1, len(planes)) for planes in (prediction, truth)
        )
        lit = p.any(axis=1) & y.any(axis=1)
        if not lit.any():
            return math.nan
        # From the chord between the unit vectors: an arccosine loses half of the digits of small #
        # angles, and is not 0 for equal colours.
        p, y = _unit(p[lit]), _unit(y[lit])
        chords, sums = (np.sqrt(arrays.sum_rows(side * side)) for side in (p - y, p + y))
        return mean_of(2 * np.arctan2(chords, sums))


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Return vectors (n, C) scaled to length 1."""
    _, exponents = np.frexp(np.abs(vectors).max(axis=1, keepdims=True))
    small = np.ldexp(vectors, -exponents)  # so that the squares do not underflow
    return np.asarray(small / np.sqrt(arrays.sum_rows(small * small))[:, None])


class ERGAS(ImagePairMetric):
    """The mean ERGAS of images: the errors of all channels, relative to the channels' means.

    RMSE_c is the root mean squared error of channel c, and the divisor the mean of its ground truth
    y_c. The metric is meant for images that were synthesised from images of another resolution; the
    name is short for erreur relative globale adimensionnelle de synthèse. Source: L. Wald, "Quality
    of high resolution synthesised images: is there a simple criterion?" (Fusion of Earth data
    2000).

    Formula:
        ergas = mean 100 / ratio sqrt(mean_c (RMSE_c / (bar y_c))^2)

    Args:
        ratio: The ratio of the pixel sizes of the two kinds of images that were fused, for instance
            4.
        **options: As for `PlanesMetric`.

    Returns of `compute`: `ergas`, at least 0; infinite if a channel whose ground truth has the mean
    0 has errors. An image with such a channel without errors is left out, with a warning. Without
    samples the value is nan. Lower is better.

    Raises:
        ValueError: `ratio` is not positive and finite; another option is none of its allowed
            values.

    Example:
        >>> import numpy as np
        >>> metric = ERGAS()
        >>> metric.add([np.full((2, 4, 4), 110)], [np.full((2, 4, 4), 100)])
        >>> metric.compute()  # 100 / 4 * 0.1
        {'ergas': 2.5}
    """

    key = "ergas"
    ranges = NOT_NEGATIVE
    higher_is_better = False
    leaves_out_nan = True

    def __init__(self, ratio: float = 4.0, **options: Any) -> None:
        super().__init__(**options)
        if not 0 < ratio < math.inf:
            raise ValueError(f"ratio must be positive and finite, got {ratio}")
        self.ratio = float(ratio)

    def pair_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the relative error of one frame."""
        errors = prediction - truth
        squares = arrays.sum_rows(errors * errors) / truth[0].size
        means = arrays.sum_rows(truth) / truth[0].size
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = squares / (means * means)
        return 100 / self.ratio * math.sqrt(mean_of(relative))
