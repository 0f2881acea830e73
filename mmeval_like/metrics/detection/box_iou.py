"""IntersectionOverUnion and its generalized, distance and complete kinds: pairs of boxes."""

from __future__ import annotations

import math

import numpy as np

from mmeval_like.metrics.detection.box_pairs import BoxPairMetric, Pairs, quotients
from mmeval_like.writing import SHARE, Ranges

__all__ = [
    "CompleteIntersectionOverUnion",
    "DistanceIntersectionOverUnion",
    "GeneralizedIntersectionOverUnion",
    "IntersectionOverUnion",
]

_RANGES: Ranges = {"*": (-2.0, 1.0)}


class IntersectionOverUnion(BoxPairMetric):
    """The mean IoU of predicted and true boxes: intersection / union of their areas.

    `add` takes `predictions` and `groundtruths`, a dict of `bboxes` and `labels` for each image.
    Source: P. Jaccard, "The distribution of the flora in the alpine zone" (New Phytologist 11,
    1912).

    Formula:
        IoU = intersection / union

    Args:
        **options: As for `BoxPairMetric`.

    Returns of `compute`: `iou`, and with `num_classes` `iou_classwise`, in [0, 1]; nan without
    pairs. Higher is better.

    Example:
        >>> metric = IntersectionOverUnion()
        >>> metric.add(
        ...     [{"bboxes": [[0, 0, 2, 2]], "labels": [4]}],
        ...     [{"bboxes": [[0, 0, 2, 1]], "labels": [4]}],
        ... )
        >>> metric.compute()
        {'iou': 0.5}
    """

    key = "iou"
    ranges = SHARE

    def measure(self, pairs: Pairs, ious: np.ndarray, unions: np.ndarray) -> np.ndarray:
        """Return IoU."""
        return ious


class GeneralizedIntersectionOverUnion(BoxPairMetric):
    """The mean generalised IoU (GIoU) of boxes, which is below 0 for boxes far apart.

    The hull is the smallest box around both boxes; its area and that of the union are compared.
    Source: H. Rezatofighi et al., "Generalized intersection over union" (CVPR 2019). `add` takes
    `predictions` and `groundtruths`, a dict of `bboxes` and `labels` for each image.

    Formula:
        GIoU = IoU - (hull - union) / hull

    Args:
        **options: As for `BoxPairMetric`.

    Returns of `compute`: `giou`, and with `num_classes` `giou_classwise`, in (-1, 1]; nan without
    pairs. Higher is better.

    Example:
        >>> metric = GeneralizedIntersectionOverUnion()
        >>> metric.add([[[0, 0, 1, 1]]], [[[3, 0, 4, 1]]])
        >>> metric.compute()  # 0 - (4 - 2) / 4
        {'giou': -0.5}
    """

    key = "giou"

    def measure(self, pairs: Pairs, ious: np.ndarray, unions: np.ndarray) -> np.ndarray:
        """Return IoU - (hull - union) / hull."""
        hulls = pairs.hulls()
        areas = hulls[:, 0] * hulls[:, 1]
        return np.asarray(ious - quotients(areas - unions, areas))


class DistanceIntersectionOverUnion(BoxPairMetric):
    """The mean distance IoU (DIoU) of boxes: IoU minus a term for distant centres.

    d is the distance of the two boxes' centres, and the diagonal that of the hull, the smallest box
    around both. Source: Z. Zheng et al., "Distance-IoU loss" (AAAI 2020). `add` takes `predictions`
    and `groundtruths`, a dict of `bboxes` and `labels` for each image.

    Formula:
        DIoU = IoU - (d / diagonal)^2

    Args:
        **options: As for `BoxPairMetric`.

    Returns of `compute`: `diou`, and with `num_classes` `diou_classwise`, in (-1, 1]; nan without
    pairs. Higher is better.

    Example:
        >>> metric = DistanceIntersectionOverUnion()
        >>> metric.add([[[0, 0, 2, 2]]], [[[2, 2, 4, 4]]])
        >>> metric.compute()  # 0 - (2² + 2²) / (4² + 4²)
        {'diou': -0.25}
    """

    key = "diou"

    def measure(self, pairs: Pairs, ious: np.ndarray, unions: np.ndarray) -> np.ndarray:
        """Return IoU - distance."""
        return np.asarray(ious - pairs.distances())


class CompleteIntersectionOverUnion(BoxPairMetric):
    """The mean complete IoU (CIoU) of boxes: DIoU minus a term for boxes of different shapes.

    d is the distance of the two boxes' centres, and the diagonal that of the hull, the smallest box
    around both. v compares the ratios of width w and height h of the prediction p and the ground
    truth y. Source: Z. Zheng et al., "Distance-IoU loss" (AAAI 2020). `add` takes `predictions` and
    `groundtruths`, a dict of `bboxes` and `labels` for each image.

    Formula:
        CIoU = IoU - (d / diagonal)^2 - alpha v
        v = 4 / pi^2 (atan(w_y / h_y) - atan(w_p / h_p))^2
        alpha = v / (1 - IoU + v)

    Args:
        **options: As for `BoxPairMetric`.

    Returns of `compute`: `ciou`, and with `num_classes` `ciou_classwise`, in (-2, 1]; nan without
    pairs. Higher is better.

    Example:
        >>> metric = CompleteIntersectionOverUnion()
        >>> metric.add([[[0, 0, 2, 2]]], [[[0, 0, 2, 1]]])
        >>> round(metric.compute()["ciou"], 4)  # 1/2 - 1/4 / 8, less the term of the shapes
        0.4655
    """

    processor_dependent = "arctan2"
    key = "ciou"
    ranges = _RANGES

    def measure(self, pairs: Pairs, ious: np.ndarray, unions: np.ndarray) -> np.ndarray:
        """Return IoU - distance - α v."""
        sides = [side[:, 2:] - side[:, :2] for side in (pairs.boxes, pairs.others)]
        angles = [np.arctan2(wide[:, 0], wide[:, 1]) for wide in sides]
        shape = (2 / math.pi * (angles[0] - angles[1])) ** 2
        return np.asarray(ious - pairs.distances() - quotients(shape * shape, 1 - ious + shape))
