"""DOTAMeanAP: mean average precision of rotated boxes."""

from __future__ import annotations

from collections.abc import Sequence

from mmeval_like.metrics.detection.pascal_task import Range
from mmeval_like.metrics.detection.rotated import Rotated
from mmeval_like.metrics.detection.voc_mean_ap import VOCMeanAP
from mmeval_like.writing import SHARE, MetricOptions, Unpack

__all__ = ["DOTAMeanAP"]


class DOTAMeanAP(VOCMeanAP):
    """Mean average precision of rotated boxes, as on the DOTA dataset.

    Boxes are (n, 5): center x, center y, width, height, angle in radians (from the x to the y
    axis); or (n, 8): four corners x1, y1, ..., x4, y4 in any order, which become the rotated box
    of least area around them. Overlaps are exact, by clipping polygons in float64. Inputs are
    otherwise those of `VOCMeanAP`. As on DOTA, r takes the eleven recalls 0, 0.1, ..., 1; with
    `eval_mode="area"` the formula is that of `VOCMeanAP`.

    Formula:
        mAP = mean_(c, t) 1/11 sum_r max_(recall >= r) precision

    Args:
        iou_thrs: The IoU threshold, or several.
        scale_ranges: Ranges (least, most) of box sizes, see `VOCMeanAP`.
        num_classes: The number of classes; default: from `dataset_meta`.
        eval_mode: "11points" (as on DOTA) or "area".
        nproc: Without effect, since matching is vectorised. The argument exists for compatibility
            with MMEval.
        drop_class_ap: Whether classes without ground truths are left out of the means; otherwise
            they count as 0.
        classwise: Whether the result also has `classwise_result`, with the curves of every class.
        **options: As for `BaseMetric`.

    Returns of `compute`: the values of `VOCMeanAP`. Higher is better.

    Source: https://captain-whu.github.io/DOTA/evaluation.html (task 1).

    Raises:
        TypeError: A threshold is not a number, or a range not a pair; or `use_legacy_coordinate` of
            `VOCMeanAP` was given, although sides of rotated boxes have no last pixel.
        ValueError: A threshold is out of [0, 1], or `eval_mode` is unknown.
        RuntimeError: `add` was called, and the number of classes is not known.

    Example:
        >>> metric = DOTAMeanAP(num_classes=1)
        >>> found = {"bboxes": [[5, 5, 10, 10, 0.0]], "scores": [0.9], "labels": [0]}
        >>> truth = {"bboxes": [[0, 0, 10, 0, 10, 10, 0, 10]], "labels": [0]}
        >>> metric.add([found], [truth])
        >>> metric.compute()
        {'AP50': 1.0, 'mAP': 1.0}
    """

    processor_dependent = "sin, cos and arctan2"
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        iou_thrs: float | Sequence[float] = 0.5,
        scale_ranges: Sequence[Range] | None = None,
        num_classes: int | None = None,
        eval_mode: str = "11points",
        nproc: int = 4,
        drop_class_ap: bool = True,
        classwise: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        if "use_legacy_coordinate" in options:
            raise TypeError(
                "DOTAMeanAP takes no use_legacy_coordinate: sides of rotated boxes are lengths, "
                "and have no last pixel to include"
            )
        super().__init__(
            iou_thrs=iou_thrs,
            scale_ranges=scale_ranges,
            num_classes=num_classes,
            eval_mode=eval_mode,
            drop_class_ap=drop_class_ap,
            classwise=classwise,
            **options,
        )
        self.geometry = Rotated()
