"""MeanSquaredError: the mean squared difference of images, in units of the full range."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._common import ratio
from mmeval_like.results import Results

__all__ = ["MeanSquaredError"]


class MeanSquaredError(BaseMetric):
    """The mean over images of mean(((prediction - groundtruth) / 255) ** 2).

    With masks, an image's value is sum(mask * error) / sum(mask) over its elements, the mask
    repeated over channels where it has one channel only; 0 for an empty mask.

    Example:
        >>> import numpy as np
        >>> metric = MeanSquaredError()
        >>> metric.add([np.zeros((2, 2), np.uint8)], [np.full((2, 2), 255, np.uint8)])
        >>> metric.compute()
        {'mse': 1.0}
    """

    score = state.sum()

    def rows(self, predictions: Any, groundtruths: Any, masks: Any = None) -> dict[str, np.ndarray]:
        """Return one score per image.

        Args:
            predictions: Images, (N, H, W), (N, H, W, C) or a sequence of (H, W[, C]); any real
                dtype, range 0 to 255.
            groundtruths: The same shapes.
            masks: Weights, one (H, W), (H, W, 1) or (H, W, C) per image.

        Raises:
            ValueError: Different numbers of images, or shapes that do not fit.
        """
        predictions = arrays.to_samples(predictions, "predictions")
        groundtruths = arrays.to_samples(groundtruths, "groundtruths")
        arrays.check_same_length("predictions", predictions, "groundtruths", groundtruths)
        masks = [None] * len(predictions) if masks is None else masks
        arrays.check_same_length("predictions", predictions, "masks", masks)
        scores = [_score(*sample) for sample in zip(predictions, groundtruths, masks, strict=True)]
        return {"score": np.array(scores, np.float64)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `mse`."""
        return {"mse": ratio(results.score, len(results))}


def _score(prediction: Any, groundtruth: Any, mask: Any) -> float:
    prediction = arrays.as_floats(prediction, "predictions")
    groundtruth = arrays.as_floats(groundtruth, "groundtruths")
    if prediction.shape != groundtruth.shape:
        raise ValueError(
            f"predictions and groundtruths must have the same shape, "
            f"got {prediction.shape} and {groundtruth.shape}"
        )
    error = ((prediction - groundtruth) / 255) ** 2
    if mask is None:
        return float(arrays.sum_rows(error[None])[0] / max(error.size, 1))
    weights = arrays.as_floats(mask, "masks")
    if weights.ndim == error.ndim - 1:
        weights = weights[..., None]
    try:
        weights = np.broadcast_to(weights, error.shape)
    except ValueError:
        raise ValueError(f"masks must fit {error.shape}, got {weights.shape}") from None
    total = float(arrays.sum_rows(weights[None])[0])
    return ratio(float(arrays.sum_rows((error * weights)[None])[0]), total, empty=0.0)
