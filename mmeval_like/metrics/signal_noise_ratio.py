"""SignalNoiseRatio: the power of images over that of the errors, in decibels."""

from __future__ import annotations

import numpy as np

from mmeval_like import arrays
from mmeval_like.metrics._shared.decibels import DecibelMetric

__all__ = ["SignalNoiseRatio"]


class SignalNoiseRatio(DecibelMetric):
    """The mean over images of 10 log10(mean(groundtruth^2) / mean((groundtruth - prediction)^2)).

    Identical images have no noise: their score, and then the mean, is infinite; that of a black
    ground truth with noise is minus infinity. A video's score is the mean over its frames.
    `data_range` matters to the luma only.

    Args:
        **options: As for `PlanesMetric`.

    Returns of `compute`: `snr`. Without samples: nan.

    Raises:
        ValueError: An option that is none of these.

    Example:
        >>> import numpy as np
        >>> metric = SignalNoiseRatio()
        >>> metric.add([np.full((3, 4, 4), 90, np.uint8)], [np.full((3, 4, 4), 100, np.uint8)])
        >>> metric.compute()
        {'snr': 20.0}
    """

    key = "snr"
    higher_is_better = True

    def powers(self, prediction: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums of squares of the images and of the errors."""
        difference = truth - prediction
        return arrays.sum_rows(truth * truth), arrays.sum_rows(difference * difference)
