"""MultiScaleStructuralSimilarity: SSIM's factors at several resolutions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics._common.filters import correlate
from mmeval_like.metrics.image_quality.image_pairs import ImagePairMetric
from mmeval_like.metrics.image_quality.structural_similarity import WINDOW, luminance_and_structure
from mmeval_like.writing import SHARE, arrays
from mmeval_like.writing.exact import product_of_powers

__all__ = ["MultiScaleStructuralSimilarity"]


class MultiScaleStructuralSimilarity(ImagePairMetric):
    """The mean multi-scale structural similarity (MS-SSIM) of images: 1 for identical images.

    Contrast and structure are compared at several scales, luminance at the last scale M only.
    Means, variances and covariance are those of `StructuralSimilarity`, under a Gaussian window of
    11 x 11 pixels (sigma 1.5) wherever it fits; cs_j is the mean over pixels at scale j, ssim_M the
    mean SSIM at scale M, and the exponents beta_j are `betas`. A negative factor counts as 0. Each
    further scale consists of the means of blocks of 2 x 2 pixels; an odd last row or column is
    dropped. An image's score is the mean over its channels. Source: Z. Wang, E. Simoncelli, A.
    Bovik, "Multiscale structural similarity for image quality assessment" (Asilomar 2003).

    Formula:
        ms_ssim = ssim_M^(beta_M) * prod_(j < M) cs_j^(beta_j)
        cs = mean (2 s_(x y) + C_2) / (s_x^2 + s_y^2 + C_2)

    Args:
        betas: The exponents beta_j, one for each scale.
        **options: As for `PlanesMetric`.

    Returns of `compute`: `ms_ssim`, in [0, 1]. Without samples, the value is nan. Higher is better.

    Raises:
        ValueError: `betas` is empty, or has a number that is not positive and finite; or another
            option is not one of its allowed values.

    Example:
        >>> import numpy as np
        >>> image = np.arange(3 * 32 * 32).reshape(3, 32, 32) % 256
        >>> metric = MultiScaleStructuralSimilarity(betas=(0.5, 0.5))
        >>> metric.add([image, image], [image, 255 - image])
        >>> metric.compute()
        {'ms_ssim': 0.5}
    """

    key = "ms_ssim"
    ranges = SHARE
    higher_is_better = True
    scaled = True

    def __init__(
        self,
        betas: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        **options: Any,
    ) -> None:
        super().__init__(**options)
        exponents = [float(beta) for beta in betas]
        if not exponents or not all(0 < beta < math.inf for beta in exponents):
            raise ValueError(f"betas must be positive, finite and not empty, got {betas!r}")
        self.betas = [Fraction(beta) for beta in exponents]
        self.least = len(WINDOW) << (len(exponents) - 1)

    def pair_score(self, prediction: np.ndarray, truth: np.ndarray) -> float:
        """Return the similarity of one frame."""
        x, y = prediction, truth
        scores: list[dict[Fraction, Fraction]] = [{} for _ in x]  # per channel: exponent to base
        for place, beta in enumerate(self.betas):
            if place:
                x, y = _halved(x), _halved(y)
            factors = self._factors(x, y, last=place == len(self.betas) - 1)
            for score, factor in zip(scores, factors, strict=True):
                score[beta] = score.get(beta, Fraction(1)) * Fraction(max(factor, 0.0))
        return math.fsum(map(product_of_powers, scores)) / len(scores)

    def _factors(self, x: np.ndarray, y: np.ndarray, last: bool) -> list[float]:
        """Return every channel's mean of contrast and structure; at the last scale, of SSIM."""
        luminance, factors = luminance_and_structure(x, y, self.data_range)
        if last:
            factors *= luminance
        means: list[float] = (arrays.sum_rows(factors) / factors[0].size).tolist()
        return means


def _halved(planes: np.ndarray) -> np.ndarray:
    """Return the means of blocks of 2 x 2 pixels."""
    return correlate(planes, (0.5, 0.5), (0.5, 0.5), stride=2)
