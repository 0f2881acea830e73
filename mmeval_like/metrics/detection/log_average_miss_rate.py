"""LogAverageMissRate: how many pedestrians are missed at few false alarms."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import image_dicts
from mmeval_like.metrics.detection.coco_batch import Detections
from mmeval_like.metrics.detection.coco_task import CocoTask
from mmeval_like.metrics.detection.coco_truths import Truths, xywh_of
from mmeval_like.metrics.detection.pascal_curves import class_curves
from mmeval_like.metrics.detection.thresholds import as_iou_thresholds
from mmeval_like.writing import SHARE, BaseMetric, MetricOptions, Results, State, Unpack
from mmeval_like.writing.exact import product_of_powers

__all__ = ["LogAverageMissRate"]

_POINTS = tuple(10 ** (place / 4 - 2) for place in range(9))  # false positives for each image
_LEAST = Fraction(1, 10**10)  # a miss rate of 0 would hide all others


class _AnySize(CocoTask):
    """Boxes of one class, in a single range of all sizes."""

    ranges = np.array([[-math.inf, math.inf]])


class LogAverageMissRate(BaseMetric):
    """The log-average miss rate: the fraction of missed objects if few false alarms are allowed.

    The miss rate is measured at nine allowed rates of false positives per image (fppi), evenly
    spaced from 10^-2 to 10^0 on a logarithmic scale. The miss rate miss_k is that of the lowest
    score threshold whose fppi does not exceed the k-th rate, and is 1 if there is none; a miss rate
    below 10^-10 counts as 10^-10. The value is the geometric mean of the nine. Detections are
    matched as in `COCODetection`, at one IoU threshold; a detection that matches an ignored ground
    truth counts neither as a hit nor as a false positive. Detections of equal score are accepted
    together.

    Formula:
        mr = (prod_(k = 0)^8 miss_k)^(1/9)
        miss_k = 1 - max recall where fppi <= 10^(k / 4 - 2)

    Source: P. Dollár et al., "Pedestrian detection: an evaluation of the state of the art" (IEEE
    Transactions on Pattern Analysis and Machine Intelligence 34, 2012).

    Args:
        iou_thr: The IoU threshold.
        **options: As for `BaseMetric`.

    Returns of `compute`: `mr`, in [0, 1]; nan without ground truths. Lower is better.

    Raises:
        TypeError: `iou_thr` is not a number.
        ValueError: A threshold is out of [0, 1].

    Example:
        >>> metric = LogAverageMissRate()
        >>> truth = {"bboxes": [[0, 0, 10, 20], [50, 0, 60, 20]]}
        >>> found = {"bboxes": [[0, 0, 10, 20], [90, 0, 99, 20], [50, 0, 60, 20]],
        ...          "scores": [0.9, 0.8, 0.7]}
        >>> metric.add([found], [truth])
        >>> round(metric.compute()["mr"], 4)  # (0.5^8 · 10^-10)^(1/9)
        0.0418
    """

    ranges = SHARE
    higher_is_better = False

    def __init__(self, iou_thr: float = 0.5, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        thresholds = as_iou_thresholds((iou_thr,), "iou_thr")
        self.iou_thr = thresholds[0]
        self._task = _AnySize("proposal", thresholds, (sys.maxsize,), 1, with_truths=True)

    def states(self) -> dict[str, State]:
        """Return the matches of every image."""
        return self._task.table.states()

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, Any]:
        """Return one row per image.

        Args:
            predictions: A list with a dict for each image: `bboxes` (n, 4) of x1, y1, x2, y2 in
                pixels, and `scores` (n,).
            groundtruths: A list with a dict for each image: `bboxes` (m, 4); optionally
                `ignore_flags` (m,), which mark ground truths that are ignored, such as crowds and
                objects that are hardly visible. Their overlap with a detection is the share of the
                detection's area that they cover.

        Raises:
            KeyError: A key is missing.
            TypeError: A value has the wrong type.
            ValueError: Lengths differ, or a value is nan or infinite.
        """
        predictions, groundtruths = image_dicts.check_image_pairs(predictions, groundtruths)
        boxes = image_dicts.boxes_of("predictions", predictions)
        scores = image_dicts.scores_of("predictions", predictions)
        image_dicts.check_lengths("predictions", bboxes=boxes, scores=scores)
        goals = image_dicts.boxes_of("groundtruths", groundtruths)
        ignored = image_dicts.flags_of(
            "groundtruths", groundtruths, "ignore_flags", optional="bboxes"
        )
        image_dicts.check_lengths("groundtruths", bboxes=goals, ignore_flags=ignored)
        labels, goal_labels = (np.zeros(len(side.values), np.int64) for side in (boxes, goals))
        found = Detections(xywh_of(boxes), scores.values, labels, (), scores.values)
        truths = Truths(xywh_of(goals), goal_labels, ignored.values, np.zeros(len(goal_labels)))
        return {**self._task.rows(found, truths)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the geometric mean of the miss rates."""
        [curve] = class_curves(self._task.table.read(results))
        truths, hits = int(curve.truths[0]), curve.hits[:, 0]
        if not truths:
            return {"mr": math.nan}
        false = curve.counted[:, 0] - hits
        rates = []
        for point in _POINTS:
            reached = int(np.count_nonzero(false <= point * len(results)))
            missed = truths - (int(hits[reached - 1]) if reached else 0)
            rates.append(max(Fraction(missed, truths), _LEAST))
        return {
            "mr": product_of_powers({Fraction(1, len(rates)): math.prod(rates, start=Fraction(1))})
        }
