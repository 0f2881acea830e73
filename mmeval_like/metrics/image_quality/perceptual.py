"""LPIPS and DISTS: perceptual distances, computed by the caller's network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, SampleMean, Unpack, arrays

__all__ = ["DeepImageStructureAndTextureSimilarity", "LearnedPerceptualImagePatchSimilarity"]


@shared_options
class PerceptualDistance(SampleMean):
    """The base class of mean distances of images by a network, which is not included.

    `add` takes `predictions` and `groundtruths`, two batches of images as `distance` expects them,
    or with `distance=None` only `predictions`, the distances (N,) themselves, and `sample_weight`.

    Args:
        distance: A function of two batches of images that returns their N distances. It must treat
            samples one by one, as a network in evaluation mode does. None: `add` takes distances.
        **options: As for `BaseMetric`.

    Raises:
        TypeError: `distance` is not a function.
    """

    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self, distance: Callable[[Any, Any], Any] | None = None, **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        if distance is not None and not callable(distance):
            raise TypeError(f"distance must be a function or None, got {distance!r}")
        self.distance = distance

    def scores(self, predictions: Any, groundtruths: Any = None) -> np.ndarray:
        """Return the distance of every pair.

        Args:
            predictions: Images, or distances (N,).
            groundtruths: Images; None where `predictions` are distances.

        Raises:
            TypeError: Ground truths are given without `distance`, or missing with it; or distances
                are not real numbers.
            ValueError: A distance is negative or not finite, or the number of distances differs
                from the number of images.
        """
        if (self.distance is None) != (groundtruths is None):
            wanted = "distances alone" if self.distance is None else "two batches of images"
            raise TypeError(
                f"add must get {wanted}: {type(self).__name__} was made with "
                f"distance={self.distance!r}"
            )
        found = predictions
        if self.distance is not None:
            arrays.check_same_length("predictions", predictions, "groundtruths", groundtruths)
            found = self.distance(predictions, groundtruths)
        values = arrays.as_floats(found, "distances")
        if self.distance is not None and values.size == len(predictions):
            values = values.reshape(len(predictions))
        if values.ndim != 1 or (self.distance is not None and len(values) != len(predictions)):
            raise ValueError(f"distances must have shape (N,), got {values.shape}")
        arrays.check_finite("distances", values)
        arrays.check_not_negative("distances", values)
        return values


class LearnedPerceptualImagePatchSimilarity(PerceptualDistance):
    """The mean LPIPS of images: the distance of their features, by your network.

    Formula:
        lpips = mean sum_l mean_(h, w) |k_l * (x_l - y_l)|^2

    Source: R. Zhang et al., "The unreasonable effectiveness of deep features as a perceptual
    metric" (CVPR 2018); x_l and y_l are the features of layer l at a pixel (h, w), of length 1, and
    k_l are the weights of its channels. The package contains no network: it averages the distances
    that your network gives, for instance, with the authors' package,
    `distance=lpips.LPIPS(net="alex")`.

    Args:
        **options: As for `PerceptualDistance`.

    Returns of `compute`: `lpips`, at least 0. Without samples, the value is nan. Lower is better.

    Example:
        >>> import numpy as np
        >>> metric = LearnedPerceptualImagePatchSimilarity()
        >>> metric.add([0.25, 0.75])
        >>> metric.compute()
        {'lpips': 0.5}
        >>> def distance(predictions, groundtruths):  # in place of a network
        ...     return np.abs(predictions - groundtruths).max(axis=(1, 2, 3))
        >>> metric = LearnedPerceptualImagePatchSimilarity(distance)
        >>> metric.add(np.zeros((1, 3, 4, 4)), np.ones((1, 3, 4, 4)))
        >>> metric.compute()
        {'lpips': 1.0}
    """

    key = "lpips"


class DeepImageStructureAndTextureSimilarity(PerceptualDistance):
    """The mean DISTS of images: their distance in structure and texture, by your network.

    Formula:
        dists = mean (1 - sum_(l, c) (alpha_(l c) t_(l c) + beta_(l c) s_(l c)))
        t = (2 m_x m_y + c_1) / (m_x^2 + m_y^2 + c_1)
        s = (2 s_(x y) + c_2) / (s_x^2 + s_y^2 + c_2)

    Source: K. Ding, K. Ma, S. Wang, E. Simoncelli, "Image quality assessment: unifying structure
    and texture similarity" (IEEE TPAMI 44, 2022); t and s compare the means, variances and
    covariance of channel c of the features of layer l; the weights alpha and beta add up to 1. The
    package contains no network: it averages the distances that your network gives.

    Args:
        **options: As for `PerceptualDistance`.

    Returns of `compute`: `dists`, at least 0. Without samples, the value is nan. Lower is better.

    Example:
        >>> metric = DeepImageStructureAndTextureSimilarity()
        >>> metric.add([0.25, 0.75])
        >>> metric.compute()  # (0.25 + 0.75) / 2
        {'dists': 0.5}
    """

    key = "dists"
