"""ObjectKeypointSimilarity: how near the joints of poses are, in units of the person's size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.metrics.keypoints.oks_task import COCO_SIGMAS, similarities
from mmeval_like.writing import SHARE, MetricOptions, SampleMean, Unpack, arrays

__all__ = ["ObjectKeypointSimilarity"]


class ObjectKeypointSimilarity(SampleMean):
    """The mean object keypoint similarity (OKS) of predicted and true poses, person by person.

    A sample is a person of area A: its prediction, and its ground truth. d_j is the distance of
    joint j from the true one, v_j says whether the joint is visible, and sigma_j is the spread of
    its annotated positions. 1 is perfect. Persons without a visible joint are left out, with a
    warning. If it is not known which prediction belongs to which person, `CocoKeypoints` matches
    them. Source: https://cocodataset.org/#keypoints-eval.

    Formula:
        oks = mean (sum_j [v_j > 0] exp(-d_j^2 / (8 A sigma_j^2))) / (sum_j [v_j > 0])

    Args:
        sigmas: For each joint the number sigma_j, the spread of its annotated positions; None: the
            values of COCO's 17 joints.
        **options: As for `BaseMetric`.

    Returns of `compute`: `oks`, in [0, 1]; nan without samples. Higher is better.

    Raises:
        ValueError: `sigmas` is empty, or one is not between 1e-50 and 1e50.

    Example:
        >>> metric = ObjectKeypointSimilarity(sigmas=[0.05, 0.05])
        >>> metric.add([[[0, 2], [40, 2]]], [[[0, 0], [40, 0]]], areas=[1500])
        >>> round(metric.compute()["oks"], 4)  # exp(-2² / (2 · 1500 · 0.1²))
        0.8752
    """

    processor_dependent = "exp"
    key = "oks"
    ranges = SHARE
    higher_is_better = True
    leaves_out_nan = True

    def __init__(
        self, sigmas: Sequence[float] | None = None, **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        self.sigmas = COCO_SIGMAS if sigmas is None else tuple(map(float, sigmas))
        if not self.sigmas or not all(1e-50 < sigma < 1e50 for sigma in self.sigmas):
            raise ValueError(f"sigmas must be positive numbers, at least one, got {sigmas}")

    def scores(
        self, predictions: Any, groundtruths: Any, areas: Any, visible: Any = None
    ) -> np.ndarray:
        """Return the similarity of every person.

        Args:
            predictions: x and y of the K joints of N persons, (N, K, 2), of any real dtype.
            groundtruths: The same shape.
            areas: The areas of the persons, (N,), positive.
            visible: Which joints count, (N, K); None: all joints count.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, a value is nan, infinite or beyond 1e100, or an area is
                not positive.
        """
        joints = len(self.sigmas)
        found = arrays.as_floats(predictions, "predictions")
        truths = arrays.as_floats(groundtruths, "groundtruths")
        sizes = arrays.as_floats(areas, "areas")
        check_one_axis("areas", sizes)
        shape = len(sizes), joints
        seen = np.ones(shape) if visible is None else arrays.as_floats(visible, "visible")
        for name, side, wanted in (
            ("predictions", found, (*shape, 2)),
            ("groundtruths", truths, (*shape, 2)),
            ("areas", sizes, shape[:1]),
            ("visible", seen, shape),
        ):
            if side.shape != wanted and side.size + len(sizes):
                raise ValueError(f"{name} must have shape {wanted}, got {side.shape}")
            arrays.check_finite(name, side)
            arrays.require(name, side, np.abs(side) <= 1e100, "must be within 1e100")
        arrays.require("areas", sizes, sizes > 0, "must be positive")
        known = np.concatenate([truths.reshape(*shape, 2), (seen != 0)[:, :, None]], axis=2)
        values = similarities(
            found.reshape(*shape, 2), known, sizes, np.zeros((len(sizes), 4)), np.array(self.sigmas)
        )
        return np.where((seen != 0).any(axis=1), values, np.nan)
