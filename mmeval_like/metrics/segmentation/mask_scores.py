"""BoundaryIoU and ReferringSegmentation: the IoU of inner bands and of single masks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shapes import check_same_shape
from mmeval_like.metrics.segmentation.class_maps import ClassMeanMetric
from mmeval_like.metrics.segmentation.pixel_counts import as_map
from mmeval_like.writing import (
    SHARE,
    BaseMetric,
    MetricOptions,
    Results,
    State,
    Unpack,
    arrays,
    ratio,
    state,
)

__all__ = ["BoundaryIoU", "ReferringSegmentation"]


class BoundaryIoU(ClassMeanMetric):
    """The boundary IoU: how well the outlines of masks agree, averaged over images.

    The band A_d or B_d of a mask consists of its pixels that are at most d steps, including
    diagonal ones, from a pixel outside of the mask or of the image. The value of a class is the IoU
    of the two bands. A class that is in neither map of an image is left out of the image's mean.
    Source: B. Cheng et al., "Boundary IoU" (CVPR 2021). `add` takes `predictions` and
    `groundtruths`, maps of classes (N, H, W) or masks of all classes (N, C, H, W).

    Formula:
        IoU = mean intersection(A_d, B_d) / union(A_d, B_d)

    Args:
        num_classes: The number of classes C.
        dilation_ratio: The width d of the bands as a share of the image's diagonal, in (0, 1]; it
            is rounded to whole pixels, and is at least one pixel.
        include_background: Whether class 0 counts.
        **options: As for `ClassMeanMetric`.

    Returns of `compute`: `boundary_iou`, or `boundary_iou_classwise`, in [0, 1]; nan without
    samples. Higher is better.

    Raises:
        ValueError: `dilation_ratio` is out of range.

    Example:
        >>> import numpy as np
        >>> truth = np.zeros((1, 5, 5), int)
        >>> truth[:, 1:4, 1:4] = 1
        >>> prediction = truth.copy()
        >>> prediction[0, 1, 1] = 0
        >>> BoundaryIoU(num_classes=2)(prediction, truth)  # 7 / 9: with the middle, which is inside
        {'boundary_iou': 0.7777777777777778}
    """

    key = "boundary_iou"

    def __init__(
        self,
        num_classes: int,
        *,
        dilation_ratio: float = 0.02,
        include_background: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(num_classes, include_background=include_background, **options)
        if not 0 < dilation_ratio <= 1:
            raise ValueError(f"dilation_ratio must be in (0, 1], got {dilation_ratio}")
        self.dilation_ratio = dilation_ratio

    def class_values(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return the IoU of the bands of every class."""
        values = []
        for prediction, truth in self.maps.pairs(predictions, groundtruths):
            shape = truth.shape[truth.ndim - self.spatial_ndim :]
            diagonal = math.sqrt(sum(side * side for side in shape))
            width = max(1, round(self.dilation_ratio * diagonal))
            for masks in zip(*self.maps.masks(prediction, truth), strict=True):
                found, goal = (mask & ~_inside(mask, width) for mask in masks)
                both = int(np.count_nonzero(found & goal))
                either = int(np.count_nonzero(found | goal))
                values.append(ratio(both, either))
        return np.reshape(np.array(values, np.float64), (-1, len(self.maps.counted)))


def _inside(mask: np.ndarray, width: int) -> np.ndarray:
    """Return the pixels whose neighbours up to `width` steps along all axes are in the mask."""
    for axis in range(mask.ndim):
        along = np.moveaxis(mask, axis, 0)
        beyond = np.zeros((width, *along.shape[1:]), np.bool_)
        counts = np.cumsum(np.concatenate([beyond[:1], beyond, along, beyond]), axis=0)
        full = counts[2 * width + 1 :] - counts[: -2 * width - 1] == 2 * width + 1
        mask = np.moveaxis(full, 0, axis)
    return mask


class ReferringSegmentation(BaseMetric):
    """The IoU of masks of the object that an expression refers to, one mask for each sample.

    Formula:
        cIoU = (sum_i intersection_i) / (sum_i union_i)
        mIoU = mean_i intersection_i / union_i
        precision(t) = mean_i [intersection_i / union_i > t]

    Source: L. Yu et al., "Modeling context in referring expressions" (ECCV 2016).

    Args:
        thresholds: The IoU thresholds t; the precision at a threshold is the share of samples whose
            IoU is above it.
        **options: As for `BaseMetric`.

    Returns of `compute`: `ciou`, the sum of intersections over the sum of unions; `mean_iou`, the
    mean over samples of their IoU, which is 1 if both masks are empty; and `precision@{threshold}`
    for each threshold. All are in [0, 1]. They are nan without samples, and `ciou` also if all
    masks are empty. Higher is better.

    Raises:
        ValueError: A threshold is out of [0, 1], two thresholds are equal, or none is given.

    Example:
        >>> metric = ReferringSegmentation(thresholds=[0.5])
        >>> metric.add([[[1, 1, 1, 0]], [[0, 0, 0, 1]]], [[[1, 1, 0, 0]], [[0, 0, 1, 0]]])
        >>> metric.compute()  # IoU 2/3 and 0; 2 of 3 + 2 pixels
        {'ciou': 0.4, 'mean_iou': 0.3333333333333333, 'precision@0.5': 0.5}
    """

    every_rank_computes = True
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self, thresholds: Sequence[float] = (0.5, 0.7, 0.9), **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        self.thresholds = tuple(map(float, thresholds))
        inside = all(0 <= threshold <= 1 for threshold in self.thresholds)
        if not self.thresholds or not inside or len({*self.thresholds}) < len(self.thresholds):
            raise ValueError(f"thresholds must be different numbers in [0, 1], got {thresholds}")
        keys = [f"precision@{threshold:g}" for threshold in self.thresholds]
        if len({*keys}) < len(keys):  # thresholds that are equal in six digits
            keys = [f"precision@{threshold!r}" for threshold in self.thresholds]
        self._keys = keys

    def states(self) -> dict[str, State]:
        """Return the sums of intersections, unions and IoUs, and of hits at each threshold."""
        return {
            "pixels": state.sum(int, (2,)),
            "iou": state.sum(float),
            "hits": state.sum(int, (len(self.thresholds),)),
        }

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, np.ndarray]:
        """Return one row per mask.

        Args:
            predictions: Masks (N, H, W) of 0 and 1, or a list of (H, W).
            groundtruths: The same shapes.

        Raises:
            TypeError: The inputs are not whole numbers.
            ValueError: The numbers or shapes of masks differ, or a mask has values other than 0 and
                1.
        """
        found = arrays.to_samples(predictions, "predictions")
        truths = arrays.to_samples(groundtruths, "groundtruths")
        check_same_shape("predictions", found, "groundtruths", truths, classes=True)
        pixels = np.zeros((len(found), 2), np.int64)
        for index, (prediction, truth) in enumerate(zip(found, truths, strict=True)):
            pair = as_map(prediction, "predictions"), as_map(truth, "groundtruths")
            for name, side in zip(("predictions", "groundtruths"), pair, strict=True):
                arrays.check_range(f"masks in {name}", side, 2)
            ours, theirs = (side != 0 for side in pair)
            pixels[index] = np.count_nonzero(ours & theirs), np.count_nonzero(ours | theirs)
        both, either = pixels.T
        ious = np.where(either > 0, both / np.maximum(either, 1), 1.0)
        return {"pixels": pixels, "iou": ious, "hits": ious[:, None] > np.array(self.thresholds)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the quotients."""
        size, (both, either) = len(results), results.pixels.tolist()
        values = {"ciou": ratio(both, either), "mean_iou": ratio(results.iou, size)}
        hits = results.hits.tolist()
        return values | {
            key: ratio(number, size) for key, number in zip(self._keys, hits, strict=True)
        }
