"""SumAbsoluteDifferences: the summed error of alpha mattes."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.image import in_batches
from mmeval_like.metrics.segmentation.matting import check_norm_const
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, SampleMean, Unpack, arrays

__all__ = ["SumAbsoluteDifferences"]


class SumAbsoluteDifferences(SampleMean):
    """The sum of absolute differences (SAD) of alpha mattes, averaged over images.

    The sum over an image's pixels is divided by `norm_const`. Alphas are compared in the units in
    which they are given: the value of 8-bit mattes is 255 times that of mattes in [0, 1]. Source:
    C. Rhemann et al., "A perceptually motivated online benchmark for image matting" (CVPR 2009).

    Formula:
        sad = mean 1/norm sum_i |p_i - y_i|

    Args:
        norm_const: The divisor of the sums, which gives the values a convenient size.
        **options: As for `BaseMetric`.

    Returns of `compute`: `sad`. Without samples, the value is nan. Lower is better.

    Raises:
        ValueError: `norm_const` is not positive.

    Example:
        >>> import numpy as np
        >>> metric = SumAbsoluteDifferences()
        >>> metric.add([np.zeros((20, 20), np.uint8)], [np.full((20, 20), 255, np.uint8)])
        >>> metric.compute()
        {'sad': 102.0}
    """

    key = "sad"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(self, norm_const: float = 1000, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.norm_const = check_norm_const(norm_const)

    def scores(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return the error of every image.

        Args:
            predictions: Alphas (H, W): an array (N, H, W) or a sequence. Any real dtype.
            groundtruths: The same shapes.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of images differ, shapes do not fit, or an alpha is nan or
                infinite.
        """
        names = ("predictions", "groundtruths")
        scores = [np.zeros(0)]
        for batch in in_batches(dict(zip(names, (predictions, groundtruths), strict=True))):
            with np.errstate(over="ignore", invalid="ignore"):
                differences = np.subtract(*batch)
                totals = arrays.sum_rows(np.abs(differences, out=differences))
            if not np.isfinite(totals).all():  # a nan or an infinity also makes the sum non-finite
                for name, alphas in zip(names, batch, strict=True):
                    arrays.check_finite(name, alphas)
            scores.append(totals / self.norm_const)
        return np.concatenate(scores)
