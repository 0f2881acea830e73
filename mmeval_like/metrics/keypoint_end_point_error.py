"""KeypointEndPointError: how many pixels keypoints are off."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like._accumulate.results import Results
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._shared.common import ratio
from mmeval_like.metrics._shared.keypoints import instances

__all__ = ["KeypointEndPointError"]


class KeypointEndPointError(BaseMetric):
    """The mean distance of predicted and true keypoints, over all visible joints.

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `EPE`, in pixels. Without visible joints: nan.

    Example:
        >>> metric = KeypointEndPointError()
        >>> prediction = {"coords": [[[3.0, 4.0], [0.0, 1.0]]]}
        >>> metric.add([prediction], [{"coords": [[[0, 0], [0, 0]]], "mask": [[1, 1]]}])
        >>> metric.compute()
        {'EPE': 3.0}
    """

    every_rank_computes = True
    distance = state.sum()
    joints = state.sum(int)

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, np.ndarray]:
        """Return every sample's summed distance and its number of visible joints.

        Args:
            predictions: A sequence of dicts with `coords`: (M, K, 2), M instances of K joints,
                or (K, 2) for one.
            groundtruths: A sequence of dicts with `coords` of the same shape and `mask` (M, K),
                which is true where a joint is visible.

        Raises:
            KeyError: A key is missing.
            TypeError: No sequences of dicts, not real numbers.
            ValueError: Different numbers of samples, shapes that do not fit, nan or infinite
                distances of visible joints.
        """
        totals, counts = [], []
        for sample in instances(predictions, groundtruths):
            _, distances = sample.distances(np.ones((len(sample.truth), 2)))
            totals.append(arrays.sum_rows(distances[None]).item())
            counts.append(len(distances))
        return {"distance": np.array(totals, np.float64), "joints": np.array(counts, np.int64)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `EPE`."""
        return {"EPE": ratio(results.distance, results.joints)}
