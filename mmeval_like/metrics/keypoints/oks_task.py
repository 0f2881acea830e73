"""COCO's evaluation of keypoints: the object keypoint similarity instead of an IoU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmeval_like.metrics.detection.coco_batch import Detections
from mmeval_like.metrics.detection.coco_task import AREA_RANGES, CocoTask, Side
from mmeval_like.metrics.detection.coco_truths import Truths
from mmeval_like.metrics.keypoints.poses import Poses, TruePoses
from mmeval_like.writing import arrays

__all__ = ["COCO_SIGMAS", "OksTask", "similarities"]

# The spread of the annotated positions of COCO's joints, from the nose to the ankles.
COCO_SIGMAS = (
    *(0.026, 0.025, 0.025, 0.035, 0.035, 0.079, 0.079, 0.072, 0.072, 0.062, 0.062),
    *(0.107, 0.107, 0.087, 0.087, 0.089, 0.089),
)

_CHUNK_PAIRS = 1 << 12  # pairs that are computed together, to fit into the processor's cache


class OksTask(CocoTask):
    """The matching of one class of keypoints; it has no range of small areas.

    Args:
        sigmas: The spread of the annotated positions of each joint, in units of a person's size.
        oks_thrs: The thresholds.
        max_dets: The number of detections per image that count, in order of their scores.
        with_truths: Whether the ground truths are sent with the detections.
    """

    ranges = AREA_RANGES[[0, 2, 3]]
    areas = ("all", "medium", "large")

    def __init__(
        self, sigmas: Sequence[float], oks_thrs: Sequence[float], max_dets: int, with_truths: bool
    ) -> None:
        super().__init__("keypoints", oks_thrs, (max_dets,), 1, with_truths)
        self._sigmas = np.asarray(sigmas, np.float64)

    def measure(
        self,
        found: Detections,
        truths: Truths,
        ours: Side,
        theirs: Side,
        pairs: tuple[np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the areas of the detections, and the similarity of every pair."""
        assert isinstance(found, Poses)
        assert isinstance(truths, TruePoses)
        ious = np.empty(len(pairs[0]))
        for start in range(0, len(ious), _CHUNK_PAIRS):
            part = slice(start, start + _CHUNK_PAIRS)
            own, other = ours.places[pairs[0][part]], theirs.places[pairs[1][part]]
            ious[part] = similarities(
                found.keypoints[own],
                truths.keypoints[other],
                truths.areas[other],
                truths.boxes.values[other],
                self._sigmas,
            )
        return found.areas[ours.places], ious


def similarities(
    keypoints: np.ndarray,
    truths: np.ndarray,
    areas: np.ndarray,
    boxes: np.ndarray,
    sigmas: np.ndarray,
) -> np.ndarray:
    """Return the object keypoint similarity of pairs, (p,).

    The mean over labelled joints of exp(-d² / (2 area (2 sigma)²)). If no joint has a label, d is
    the distance of a joint from the true box, extended by the box's size on every side.

    Args:
        keypoints: x and y of the detections, (p, K, 2).
        truths: x, y and visibility of the ground truths, (p, K, 3).
        areas: The areas of the ground truths, (p,).
        boxes: The ground truths' boxes, x, y, width, height, (p, 4).
        sigmas: The spread of each joint, (K,).

    Example:
        >>> found, truth = np.array([[[3.0, 4.0]]]), np.array([[[0.0, 0.0, 2.0]]])
        >>> similarities(found, truth, np.array([50.0]), np.zeros((1, 4)), np.array([0.5])).round(4)
        array([0.7788])
    """
    visible = truths[:, :, 2] > 0
    labelled = visible.any(axis=1)
    offsets = keypoints - truths[:, :, :2]
    without = np.flatnonzero(~labelled)
    if len(without):
        low = (boxes[without, :2] - boxes[without, 2:])[:, None]
        high = (boxes[without, :2] + 2 * boxes[without, 2:])[:, None]
        places = keypoints[without]
        offsets[without] = np.maximum(0, low - places) + np.maximum(0, places - high)
        visible[without] = True
    squares = offsets[:, :, 0] ** 2 + offsets[:, :, 1] ** 2
    units = 2 * (areas + np.spacing(1.0))[:, None] * (2 * sigmas) ** 2
    near = np.where(visible, np.exp(-squares / units), 0.0)
    return np.asarray(arrays.sum_rows(near) / np.count_nonzero(visible, axis=1))
