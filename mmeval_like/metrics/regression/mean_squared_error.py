"""MeanSquaredError: the mean squared difference of images or of numbers."""

from __future__ import annotations

import numpy as np

from mmeval_like.metrics.regression.mean_errors import MeanErrors
from mmeval_like.writing import NOT_NEGATIVE

__all__ = ["MeanSquaredError"]


class MeanSquaredError(MeanErrors):
    """The mean squared error, over samples that are images, vectors or numbers.

    Differences are divided by `data_range`. With masks, an image's value is sum(mask * error) /
    sum(mask) over its elements, and 0 if the mask is empty; a mask with one channel is used for all
    channels.

    Formula:
        mse = 1/range^2 (sum w (p - y)^2) / (sum w)

    Args:
        **options: As for `MeanErrors`.

    Returns of `compute`: `mse`. Without samples, or if all weights are 0, the value is nan. Lower
    is better.

    Raises:
        ValueError: `data_range` is not positive and finite. From `add` or `compute`: some samples
            are images and others are not, and `data_range` is None.

    Example:
        >>> import numpy as np
        >>> metric = MeanSquaredError()
        >>> metric.add([np.zeros((2, 2), np.uint8)], [np.full((2, 2), 255, np.uint8)])
        >>> metric.compute()
        {'mse': 1.0}
        >>> MeanSquaredError()(predictions=[1.0, 2.0], groundtruths=[1.0, 4.0])
        {'mse': 2.0}
    """

    key = "mse"
    power = 2
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def error(self, difference: np.ndarray) -> np.ndarray:
        """Return the errors of differences, element by element, computed in place."""
        np.multiply(difference, difference, out=difference)
        return difference
