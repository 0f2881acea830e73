"""OIDMeanAP: Open Images' mean average precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import image_dicts, open_images
from mmeval_like.metrics.detection.group_of import OpenImagesTask
from mmeval_like.metrics.detection.open_images import get_relation_matrix
from mmeval_like.metrics.detection.pascal_task import Boxes
from mmeval_like.metrics.detection.thresholds import as_iou_thresholds
from mmeval_like.metrics.detection.voc_mean_ap import VOCMeanAP
from mmeval_like.writing import SHARE, arrays

__all__ = ["OIDMeanAP", "get_relation_matrix"]


class OIDMeanAP(VOCMeanAP):
    """Mean average precision of boxes, as in the Open Images challenge.

    The metric is `VOCMeanAP` with three additions. First, a ground truth counts for its class and
    for all classes above it in the hierarchy; so does a detection, for those classes that were
    verified in the image. Second, detections of labels that were not verified in the image are
    dropped. Third, a box around a group of objects is not matched one to one: among all detections
    inside it that are not hits otherwise, the one with the highest score is a hit and the others
    are ignored; a group without any detection adds a false positive of score 0.

    Formula:
        mAP = mean_(c, t) sum_k (r_k - r_(k - 1)) max_(j >= k) precision_j

    Args:
        iof_thrs: The share of a detection's area that must lie inside a group's box, one number for
            every IoU threshold.
        use_group_of: Whether groups are matched in this way; otherwise they are matched like single
            objects.
        get_supercategory: Whether boxes also count for the classes above their own.
        filter_labels: Whether detections of labels that were not verified in the image are dropped.
        class_relation_matrix: An array (C, C) of 0 and 1: 1 if the column's class is the row's
            class or its ancestor; `get_relation_matrix` reads it from the files of Open Images.
            None: `dataset_meta["relation_matrix"]`. `get_supercategory` needs it.
        **options: As for `VOCMeanAP`.

    Returns of `compute`: the values of `VOCMeanAP`. Every ground truth, single or group, counts
    once. Higher is better.

    Source: https://storage.googleapis.com/openimages/web/evaluation.html (object detection).

    Raises:
        TypeError: A threshold is not a number, or a range is not a pair.
        ValueError: A threshold is out of [0, 1], or `iou_thrs` and `iof_thrs` differ in length; the
            matrix has the wrong shape; or `eval_mode` is unknown.
        RuntimeError: `add` was called, and the number of classes or the relation matrix is not
            known.

    Example:
        >>> metric = OIDMeanAP(num_classes=2, class_relation_matrix=[[1, 1], [0, 1]])
        >>> found = {"bboxes": [[0, 0, 10, 10], [1, 1, 4, 4]], "scores": [0.9, 0.8],
        ...          "labels": [0, 0]}
        >>> crowd = {"bbox": [0, 0, 20, 20], "bbox_label": 0, "is_group_of": True}
        >>> metric.add([found], [{"instances": [crowd]}])
        >>> metric.compute()
        {'AP50': 1.0, 'mAP': 1.0}
    """

    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        iof_thrs: float | Sequence[float] = 0.5,
        use_group_of: bool = True,
        get_supercategory: bool = True,
        filter_labels: bool = True,
        class_relation_matrix: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.iof_thrs = as_iou_thresholds(iof_thrs, "iof_thrs")
        if len(self.iof_thrs) != len(self.iou_thrs):
            raise ValueError(
                f"iof_thrs and iou_thrs differ in length, got {self.iof_thrs} and {self.iou_thrs}"
            )
        self.use_group_of = use_group_of
        self.get_supercategory = get_supercategory
        self.filter_labels = filter_labels
        self.class_relation_matrix = class_relation_matrix
        self._checked: tuple[Any, np.ndarray] | None = None  # a matrix and its checked form

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, Any]:
        """Return one row per image.

        Args:
            predictions: As for `VOCMeanAP`; with `use_group_of` scores must not be negative,
                because a group without any detection counts as one of score 0.
            groundtruths: A list with a dict for each image: `instances`, a list of dicts with
                `bbox` (x1, y1, x2, y2), `bbox_label` and optionally `is_group_of`; and optionally
                `image_level_labels` (k,), the labels that were verified in the image, as present or
                as absent.

        Raises:
            KeyError: A key is missing.
            TypeError: A value has the wrong type.
            ValueError: Lengths differ, a label is out of range, a value is nan or infinite, a score
                is negative, or `is_group_of` is neither 0 nor 1.
        """
        predictions, groundtruths = image_dicts.check_image_pairs(predictions, groundtruths)
        found = self._detections(predictions)
        if self.use_group_of:
            rule = "must not be negative, since groups without detections count at score 0"
            arrays.require("predictions: 'scores'", found.scores, found.scores >= 0, rule)
        truths = open_images.instances_of(groundtruths, self.num_classes)
        if self.get_supercategory:
            truths = open_images.relabelled(truths, self._relation()[truths.labels])
        known = open_images.verified(groundtruths, truths, self.num_classes)
        if self.get_supercategory:
            found = self._with_verified_ancestors(found, known)
        if self.filter_labels:
            found = found.take(np.flatnonzero(known[found.images, found.labels]))
        return {**self._task().rows(found, truths)}

    def _task(self) -> OpenImagesTask:
        return OpenImagesTask(
            self.geometry,
            self.iou_thrs,
            self.iof_thrs,
            self.scale_ranges,
            self.num_classes,
            self.use_group_of,
        )

    def _with_verified_ancestors(self, found: Boxes, known: np.ndarray) -> Boxes:
        own = np.arange(self.num_classes) == found.labels[:, None]
        wanted = self._relation()[found.labels] & (known[found.images] | own)
        return open_images.relabelled(found, wanted)

    def _relation(self) -> np.ndarray:
        matrix = self.class_relation_matrix
        if matrix is None:
            matrix = (self._dataset_meta or {}).get("relation_matrix")
        if matrix is None:
            raise RuntimeError(
                "OIDMeanAP needs class_relation_matrix, or dataset_meta with 'relation_matrix', "
                "for get_supercategory=True"
            )
        if self._checked is None or self._checked[0] is not matrix:
            self._checked = matrix, open_images.as_relation_matrix(matrix, self.num_classes)
        return self._checked[1]
