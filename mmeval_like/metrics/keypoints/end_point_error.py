"""EndPointError: the distance between the ends of flow vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.image import in_batches
from mmeval_like.writing import NOT_NEGATIVE, RatioOfSums, arrays

__all__ = ["EndPointError"]


class EndPointError(RatioOfSums):
    """End-point error (EPE): the mean error of predicted optical flow vectors, in pixels.

    The value is the mean, over all valid pixels i of all maps, of the distance between the
    predicted vector p_i and the true one y_i. Values at pixels that are not valid, for instance
    nan, are not used.

    Formula:
        EPE = (sum_i valid_i |p_i - y_i|) / (sum_i valid_i)

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `EPE`. Without valid pixels, the value is nan. Lower is better.

    Example:
        >>> import numpy as np
        >>> metric = EndPointError()
        >>> metric.add(np.zeros((1, 2, 2, 2)), np.full((1, 2, 2, 2), [3.0, 4.0]))
        >>> metric.compute()
        {'EPE': 5.0}
    """

    key = "EPE"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def parts(
        self, predictions: Any, labels: Any, valid_masks: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the summed distances and the number of valid pixels of every map.

        Args:
            predictions: Flow maps (N, H, W, 2) or a sequence of (H, W, 2). Any real dtype.
            labels: The same shapes.
            valid_masks: Masks (N, H, W) or a sequence of (H, W); a pixel is valid if its mask is at
                least 0.5. None: all pixels are valid.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of maps differ, or shapes do not fit.
        """
        distances, pixels = [np.zeros(0)], [np.zeros(0)]
        inputs = {"predictions": predictions, "labels": labels}
        for prediction, label, mask in in_batches(inputs, {"valid_masks": valid_masks}):
            if prediction.ndim != 4 or prediction.shape[3] != 2:
                raise ValueError(
                    f"each sample of predictions must have shape (H, W, 2), "
                    f"got {prediction.shape[1:]}"
                )
            valid = np.ones(prediction.shape[:3], bool) if mask is None else mask >= 0.5
            if valid.shape != prediction.shape[:3]:
                raise ValueError(
                    f"valid_masks must have shape {prediction.shape[1:3]}, got {valid.shape[1:]}"
                )
            with np.errstate(invalid="ignore"):  # infinities at pixels that do not count
                difference = np.where(valid[..., None], prediction - label, 0.0)
            x, y = np.moveaxis(difference, 3, 0)
            distances.append(arrays.sum_rows(np.sqrt(x * x + y * y)))
            pixels.append(np.count_nonzero(valid, axis=(1, 2)))
        return np.concatenate(distances), np.concatenate(pixels)
