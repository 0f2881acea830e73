"""KeypointEndPointError: the distance of keypoints from the truth, in pixels."""

from __future__ import annotations

import numpy as np

from mmeval_like.metrics.keypoints.keypoint_metrics import KeypointDistance
from mmeval_like.metrics.keypoints.keypoints import Instances
from mmeval_like.writing import NOT_NEGATIVE

__all__ = ["KeypointEndPointError"]


class KeypointEndPointError(KeypointDistance):
    """The mean distance between predicted and true keypoints, over all visible joints.

    Formula:
        EPE = (sum_(i, j) v_(i j) |p_(i j) - y_(i j)|) / (sum_(i, j) v_(i j))

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `EPE`, in pixels. Without visible joints, the value is nan. Lower is
    better.

    Example:
        >>> metric = KeypointEndPointError()
        >>> prediction = {"coords": [[[3.0, 4.0], [0.0, 1.0]]]}
        >>> metric.add([prediction], [{"coords": [[[0, 0], [0, 0]]], "mask": [[1, 1]]}])
        >>> metric.compute()
        {'EPE': 3.0}
    """

    key = "EPE"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def norms(self, found: Instances) -> np.ndarray:
        """Return norms of 1: the unit is the pixel."""
        return np.ones((len(found.truth), 2))
