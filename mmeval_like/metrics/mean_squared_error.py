"""MeanSquaredError: the mean squared difference of images, in units of the full range."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like import state
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._common import ratio
from mmeval_like.metrics._image import check_data_range, mean_errors
from mmeval_like.metrics._weights import weighted
from mmeval_like.results import Results

__all__ = ["MeanSquaredError"]


class MeanSquaredError(BaseMetric):
    """The mean over samples of mean(((prediction - groundtruth) / data_range) ** 2).

    Samples are images of range 0 to 255; for regression, where samples are single numbers or
    vectors in units of their own, pass `data_range=1`.

    With masks, an image's value is sum(mask * error) / sum(mask) over its elements, the mask
    repeated over channels where it has one channel only; 0 for an empty mask.

    Args:
        data_range: What differences are divided by.
        **options: As for `BaseMetric`.

    Returns of `compute`: `mse`. Without samples, or when all weights are 0: nan.

    Raises:
        ValueError: `data_range` is not positive and finite.

    Example:
        >>> import numpy as np
        >>> metric = MeanSquaredError()
        >>> metric.add([np.zeros((2, 2), np.uint8)], [np.full((2, 2), 255, np.uint8)])
        >>> metric.compute()
        {'mse': 1.0}
        >>> MeanSquaredError(data_range=1)(predictions=[1.0, 2.0], groundtruths=[1.0, 4.0])
        {'mse': 2.0}
    """

    on_accelerator = True

    score = state.sum()
    weight = state.sum()

    def __init__(self, data_range: float = 255.0, **options: Any) -> None:
        super().__init__(**options)
        self.data_range = check_data_range(data_range)

    def rows(
        self, predictions: Any, groundtruths: Any, masks: Any = None, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return one score per sample.

        Args:
            predictions: Images, (N, H, W), (N, H, W, C) or a sequence of (H, W[, C]); or numbers
                (N, ...). Any real dtype.
            groundtruths: The same shapes.
            masks: Weights >= 0, one (H, W), (H, W, 1) or (H, W, C) per image.
            sample_weight: A weight >= 0 per sample, (N,).

        Raises:
            TypeError: Not real numbers.
            ValueError: Different numbers of samples, shapes that do not fit, bad weights.
        """
        errors = mean_errors(lambda d: d * d, predictions, groundtruths, masks)
        return weighted(errors / self.data_range**2, sample_weight)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `mse`."""
        return {"mse": ratio(results.score, results.weight)}
