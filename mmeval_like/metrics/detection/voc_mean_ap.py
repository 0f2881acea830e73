"""VOCMeanAP: PASCAL VOC's mean average precision."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count, num_classes_of
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.detection import image_dicts
from mmeval_like.metrics.detection.axis_aligned import AxisAligned, Geometry
from mmeval_like.metrics.detection.pascal_curves import ClassCurve, average_precisions, class_curves
from mmeval_like.metrics.detection.pascal_task import Boxes, PascalTask, Range, join
from mmeval_like.metrics.detection.table import few_boxes
from mmeval_like.metrics.detection.thresholds import as_iou_thresholds, percent_names
from mmeval_like.writing import SHARE, BaseMetric, MetricOptions, Results, State, Unpack
from mmeval_like.writing.intervals import Jackknife

__all__ = ["VOCMeanAP"]


@shared_options
class VOCMeanAP(BaseMetric):
    """Mean average precision of boxes, as computed by the PASCAL VOC development kit.

    In every image and class, detections are processed in order of descending score, and each is
    compared with the ground truth that it overlaps most. If their IoU reaches the threshold, the
    detection is a true positive if no earlier detection matched this ground truth, and otherwise a
    false positive; it is ignored if the ground truth is marked as ignored or outside the range of
    sizes. If the IoU does not reach the threshold, the detection is a false positive, or is ignored
    if its own size is outside the range. Precision and recall are computed at every score; equal
    scores are one point of the curve. r_k is the recall at the k-th score.

    Formula:
        mAP = mean_(c, t) sum_k (r_k - r_(k - 1)) max_(j >= k) precision_j

    Args:
        iou_thrs: The IoU threshold, or several.
        scale_ranges: Ranges (least, most) of box sizes, each with a separate result. A box is in a
            range if its area is at least least ** 2 and below most ** 2; None means no bound. The
            range of all sizes, (None, None), is always added.
        num_classes: The number of classes; default: from `dataset_meta`.
        eval_mode: How the average precision is computed. "area": the area under the curve of
            interpolated precision. "11points": the mean of the interpolated precision at the
            recalls 0, 0.1, ..., 1, as in VOC until 2009.
        use_legacy_coordinate: Whether boxes include their last pixel, so that widths and heights
            are larger by 1.
        nproc: Without effect, since matching is vectorised. The argument exists for compatibility
            with MMEval.
        drop_class_ap: Whether classes without ground truths are left out of the means; otherwise
            they count as 0.
        classwise: Whether the result also has `classwise_result`, with the curves of every class.
        **options: As for `BaseMetric`.

    Returns of `compute`: floats in [0, 1], nan without ground truths: `AP{percent}` for every
    threshold, the mean over classes; `mAP`, the mean over classes and thresholds; and `mAP@{(least,
    most)}` for every range of `scale_ranges`. With `classwise` also `classwise_result`: for each
    class name (or index, as text) a dict of `num_gts`, `num_dets`, `recalls` and `precisions`
    (arrays with an entry for each distinct score, from the highest down) and `ap`. With a list of
    thresholds, `recalls`, `precisions` and `ap` have an axis for the thresholds; with
    `scale_ranges`, they and `num_gts` also have a first axis for the ranges. Higher is better.

    Source: http://host.robots.ox.ac.uk/pascal/VOC, devkit, with COCO-like ranges of sizes.

    Raises:
        TypeError: A threshold is not a number, or a range is not a pair.
        ValueError: A threshold is out of [0, 1], or `eval_mode` is unknown.
        RuntimeError: `add` was called, and the number of classes is not known.

    Example:
        >>> metric = VOCMeanAP(iou_thrs=[0.5, 0.75], num_classes=1)
        >>> found = {"bboxes": [[0, 0, 10, 6], [20, 20, 30, 30]], "scores": [0.9, 0.8],
        ...          "labels": [0, 0]}
        >>> truth = {"bboxes": [[0, 0, 10, 10]], "labels": [0]}
        >>> metric.add([found], [truth])
        >>> metric.compute()
        {'AP50': 1.0, 'AP75': 0.0, 'mAP': 0.5}
    """

    ranges = SHARE
    higher_is_better = True
    higher_is_better_of = MappingProxyType({"*num_gts": None, "*num_dets": None})

    def __init__(
        self,
        iou_thrs: float | Sequence[float] = 0.5,
        scale_ranges: Sequence[Range] | None = None,
        num_classes: int | None = None,
        eval_mode: str = "area",
        use_legacy_coordinate: bool = False,
        nproc: int = 4,
        drop_class_ap: bool = True,
        classwise: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if iou_thrs is None:
            raise TypeError("iou_thrs must be a number or a list of numbers, got None")
        self.iou_thrs = as_iou_thresholds(iou_thrs)
        self.scale_ranges = _as_ranges(scale_ranges or ())
        if eval_mode not in ("area", "11points"):
            raise ValueError(f"eval_mode must be 'area' or '11points', got {eval_mode!r}")
        self.eval_mode = eval_mode
        self.drop_class_ap = drop_class_ap
        self.classwise = classwise
        self.geometry: Geometry = AxisAligned(1.0 if use_legacy_coordinate else 0.0)
        self._num_classes = None if num_classes is None else check_count("num_classes", num_classes)
        # Whether the arrays of classwise_result keep the axes of ranges and thresholds.
        self._axes = (scale_ranges is not None, not isinstance(iou_thrs, int | float))

    @property
    def num_classes(self) -> int:
        """The number of classes, as given or from `dataset_meta`.

        Raises:
            RuntimeError: The number was not given, and `dataset_meta` does not contain it.
        """
        found = num_classes_of(self._num_classes, self._dataset_meta)
        if found is None or found < 1:
            raise RuntimeError(
                f"{self.name} needs num_classes, or dataset_meta with 'classes' or 'num_classes'"
            )
        return found

    def states(self) -> dict[str, State]:
        """Return the matches of every image."""
        return self._task().table.states()

    @property
    def jackknife(self) -> Jackknife:
        """The caveat for classes with few boxes."""
        return Jackknife(
            caveat=lambda results: few_boxes(self._task().table.count_truths(results, None))
        )

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, Any]:
        """Return one row per image.

        Args:
            predictions: A list with a dict for each image: `bboxes` (n, 4) of x1, y1, x2, y2 in
                pixels; `scores` (n,); `labels` (n,), integers in [0, num_classes).
            groundtruths: A list with a dict for each image: `bboxes` (m, 4) and `labels` (m,);
                optionally `bboxes_ignore` (k, 4) and `labels_ignore` (k,), ground truths to ignore.

        Raises:
            KeyError: A key is missing.
            TypeError: A value has the wrong type.
            ValueError: Lengths differ, a label is out of range, or a value is nan or infinite.
        """
        predictions, groundtruths = image_dicts.check_image_pairs(predictions, groundtruths)
        return {**self._task().rows(self._detections(predictions), self._truths(groundtruths))}

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the means over classes and thresholds."""
        curves = class_curves(self._task().table.read(results))
        # (classes, ranges, thresholds); nan for classes without ground truths.
        found = np.stack([average_precisions(c, self.eval_mode) for c in curves])
        found = found.reshape(-1, len(self.scale_ranges), len(self.iou_thrs))
        scores = found if self.drop_class_ap else np.nan_to_num(found, nan=0.0)
        whole = self.scale_ranges.index((None, None))
        values: dict[str, Any] = {
            f"AP{percent}": _known_mean(scores[:, whole, i])
            for i, percent in enumerate(percent_names(self.iou_thrs))
        }
        values |= {
            f"mAP@{bounds}": _known_mean(scores[:, i])
            for i, bounds in enumerate(self.scale_ranges)
            if i != whole
        }
        values["mAP"] = _known_mean(scores[:, whole])
        if self.classwise:
            values["classwise_result"] = {
                name: self._classwise(curve, aps)
                for name, curve, aps in zip(self._class_names(), curves, scores, strict=True)
            }
        return values

    def _task(self) -> PascalTask:
        return PascalTask(self.geometry, self.iou_thrs, self.scale_ranges, self.num_classes)

    def _detections(self, images: image_dicts.Images) -> Boxes:
        name = "predictions"
        boxes = self.geometry.boxes_of(name, images, "bboxes")
        scores = image_dicts.scores_of(name, images)
        labels = image_dicts.labels_of(name, images, self.num_classes)
        image_dicts.check_lengths(name, bboxes=boxes, scores=scores, labels=labels)
        return Boxes(boxes.lengths, boxes.values, labels.values, scores.values)

    def _truths(self, images: image_dicts.Images) -> Boxes:
        return join(
            self._labelled(images, "bboxes", "labels", None),
            self._labelled(images, "bboxes_ignore", "labels_ignore", ""),
        )

    def _labelled(
        self, images: image_dicts.Images, key: str, label_key: str, optional: str | None
    ) -> Boxes:
        name = "groundtruths"
        boxes = self.geometry.boxes_of(name, images, key, optional)
        labels = image_dicts.labels_of(name, images, self.num_classes, label_key, optional)
        image_dicts.check_lengths(name, **{key: boxes, label_key: labels})
        return Boxes(boxes.lengths, boxes.values, labels.values)

    def _class_names(self) -> list[str]:
        names = (self._dataset_meta or {}).get("classes", ())
        return [*names] if len(names) == self.num_classes else [*map(str, range(self.num_classes))]

    def _classwise(self, curve: ClassCurve, scores: np.ndarray) -> dict[str, Any]:
        shape = (len(self.scale_ranges), len(self.iou_thrs))
        truths = curve.truths.reshape(shape)[:, 0]
        arrays_of = {
            "recalls": curve.recalls.reshape(*shape, -1),
            "precisions": curve.precisions.reshape(*shape, -1),
            "ap": scores,
        }
        # An argument that was not a list has no axis.
        which = tuple(slice(None) if kept else 0 for kept in self._axes)
        values = {
            "num_gts": truths if self._axes[0] else int(truths[0]),
            "num_dets": curve.detections,
        }
        values |= {name: array[which] for name, array in arrays_of.items()}
        return values | ({} if any(self._axes) else {"ap": float(scores[0, 0])})


def _known_mean(scores: np.ndarray) -> float:
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if known.size else float("nan")


def _as_ranges(ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Return the distinct ranges as tuples, including the range of all sizes."""
    for bounds in ranges:
        numbers = isinstance(bounds, list | tuple) and all(
            side is None or isinstance(side, int | float) for side in bounds
        )
        if not numbers or len(bounds) != 2:
            raise TypeError(f"scale_ranges must be pairs of numbers or None, got {bounds!r}")
    return tuple(dict.fromkeys([*((least, most) for least, most in ranges), (None, None)]))
