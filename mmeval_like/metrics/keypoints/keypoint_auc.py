"""KeypointAUC: the area under the curve of the share of correct keypoints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.keypoints.keypoint_metrics import hits_per_joint, mean_of_known, shares
from mmeval_like.metrics.keypoints.keypoints import instances
from mmeval_like.writing import SHARE, BaseMetric, MetricOptions, Ragged, Results, Unpack, state

__all__ = ["KeypointAUC"]


class KeypointAUC(BaseMetric):
    """The area under the curve of the fraction of correct keypoints (PCK), over thresholds.

    As in `PCKAccuracy`, PCK is the mean over the joints that were visible at least once: a joint
    that is seldom visible counts as much as the others.

    Formula:
        AUC = 1/n sum_(t = 0)^(n - 1) PCK(t/n)
        PCK(t) = mean_j (sum_i v_(i j) [d_(i j) < t]) / (sum_i v_(i j))

    Args:
        norm_factor: The distance in pixels that is the unit of the thresholds.
        num_thrs: The number n of thresholds t/n, for t = 0, ..., n - 1.
        **options: As for `BaseMetric`.

    Returns of `compute`: `AUC@{num_thrs}`, in [0, 1]. Without visible joints, the value is nan.
    Higher is better.

    Raises:
        ValueError: `norm_factor` or `num_thrs` is not positive.

    Example:
        >>> metric = KeypointAUC(norm_factor=20, num_thrs=4)
        >>> prediction = {"coords": [[[9.0, 0.0], [0.0, 0.0]]]}
        >>> metric.add([prediction], [{"coords": [[[0, 0], [0, 0]]], "mask": [[1, 1]]}])
        >>> metric.compute()
        {'AUC@4': 0.625}
    """

    ranges = SHARE
    higher_is_better = True
    every_rank_computes = True

    hits = state.count(None, codes=0)

    def __init__(
        self, norm_factor: float = 30, num_thrs: int = 20, **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        if not 0 < norm_factor < math.inf:
            raise ValueError(f"norm_factor must be positive and finite, got {norm_factor}")
        check_count("num_thrs", num_thrs)
        self.norm_factor = norm_factor
        self.num_thrs = num_thrs
        self._thrs = [index / num_thrs for index in range(num_thrs)]

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, Ragged]:
        """Return a code for every visible joint of every sample.

        Args:
            predictions: A sequence of dicts with `coords`: (M, K, 2), M instances of K joints,
                or (K, 2) for one.
            groundtruths: A sequence of dicts with `coords` of the same shape and `mask` (M, K),
                which is true where a joint is visible.

        Raises:
            KeyError: A key is missing.
            TypeError: The inputs are not sequences of dicts, or their entries are not real numbers.
            ValueError: The numbers of samples differ, shapes do not fit, or a distance of visible
                joints is nan or infinite.
        """
        found = instances(predictions, groundtruths)
        norms = np.full((len(found.truth), 2), float(self.norm_factor))
        return {"hits": found.distances(norms).hits(self._thrs)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the area."""
        hits, visible = hits_per_joint(results.hits, self.num_thrs)
        curve = [mean_of_known(shares(column, visible)) for column in hits.T]
        return {f"AUC@{self.num_thrs}": math.fsum(curve) / self.num_thrs}
