"""MattingMeanSquaredError: the squared error of alpha mattes, per unknown pixel."""

from __future__ import annotations

import numpy as np

from mmeval_like.metrics.segmentation.matting import TrimapMetric
from mmeval_like.writing import NOT_NEGATIVE, arrays, ratio

__all__ = ["MattingMeanSquaredError"]


class MattingMeanSquaredError(TrimapMetric):
    """The mean squared error of alpha mattes, for each unknown pixel of the trimap.

    The squared differences are summed over the whole image and divided by the number of unknown
    pixels U. Benchmarks set predictions to 0 where the trimap says background, and to full alpha
    where it says foreground, so that only unknown pixels count. The value of an image without
    unknown pixels is 0. Alphas are compared in the units in which they are given.

    Formula:
        mse = mean 1/|U| sum_i (p_i - y_i)^2

    Source: C. Rhemann et al., "A perceptually motivated online benchmark for image matting"
    (CVPR 2009).

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `matting_mse`. Without samples, the value is nan. Lower is better.

    Example:
        >>> import numpy as np
        >>> metric = MattingMeanSquaredError()
        >>> truth, prediction = np.array([[[0.0, 1.0]]]), np.array([[[0.0, 0.5]]])
        >>> metric.add(prediction, truth, trimaps=np.array([[[0, 128]]]))
        >>> metric.compute()
        {'matting_mse': 0.25}
    """

    key = "matting_mse"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def errors(
        self, predictions: np.ndarray, truths: np.ndarray, unknown: np.ndarray
    ) -> list[float]:
        """Return the errors of images."""
        differences = predictions - truths
        totals = arrays.sum_rows(differences * differences).tolist()
        counts = np.count_nonzero(unknown, axis=(1, 2)).tolist()
        return [ratio(total, count, 0.0) for total, count in zip(totals, counts, strict=True)]
