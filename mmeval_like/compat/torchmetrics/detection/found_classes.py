"""COCO's evaluation of images whose classes are those that occur, known once all ranks are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import bits, coco_summary, image_dicts, masks
from mmeval_like.metrics.detection.coco_batch import Detections
from mmeval_like.metrics.detection.coco_curves import Curves, curves_of
from mmeval_like.metrics.detection.coco_task import CocoTask
from mmeval_like.metrics.detection.coco_truths import Truths
from mmeval_like.metrics.detection.table import count_truths, sorted_matches
from mmeval_like.metrics.detection.thresholds import as_iou_thresholds
from mmeval_like.writing import BaseMetric, Ragged, Results, State, arrays, state

__all__ = ["FoundClasses"]

_SIZES = ("small", "medium", "large")
_LABELS = np.iinfo(np.int32)  # torchmetrics returns the classes in this dtype


class FoundClasses(BaseMetric):
    """COCO's average precision and recall of the classes that occur among the images.

    Args:
        kinds: "bbox", "segm", or both.
        iou_thresholds: The IoU thresholds.
        rec_thresholds: The recalls at which precision is read.
        max_dets: The numbers of detections, ascending.
        pooled: Whether all boxes are of one class, except for the values of each class.
        by_class: Whether the values of each class are returned.
        **options: As for `BaseMetric`.

    Returns of `compute`: torchmetrics' values, each with the prefix `bbox_` or `segm_`; `classes`,
    int64 (C,). Values without ground truths are -1.

    Raises:
        ValueError: A threshold is out of [0, 1].
    """

    def __init__(
        self,
        kinds: Sequence[str],
        iou_thresholds: Sequence[float],
        rec_thresholds: Sequence[float],
        max_dets: Sequence[int],
        pooled: bool,
        by_class: bool,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.kinds, self.max_dets, self.by_class = tuple(kinds), tuple(max_dets), by_class
        self.iou_thresholds = as_iou_thresholds(iou_thresholds, "iou_thresholds")
        self.recalls = np.sort([0.0, *as_iou_thresholds(rec_thresholds, "rec_thresholds")])
        self.pooled = pooled
        ways = (True, False) if pooled and by_class else (pooled,)
        self._parts = [(kind, way) for kind in self.kinds for way in ways]

    def states(self) -> dict[str, State]:
        """Return the classes, and the matches of every part."""
        states = {"classes": state.tally()}
        for part in self._parts:
            for name, (dtype, shape) in self._task(part, 1).table.columns().items():
                kind = np.int64 if name.endswith("label") else dtype
                states[_prefix(part) + name] = state.cat(kind, shape)
        return states

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, Any]:
        """Return one row per image.

        Args:
            predictions: A dict for each image: `boxes` (n, 4) of x, y, width, height; `scores` and
                `labels` (n,); for "segm" `masks`, n RLE dicts.
            groundtruths: A dict for each image: `boxes` (m, 4), `labels` (m,); optionally
                `iscrowd` and `area` (m,), which counts where it is positive; `masks`.

        Raises:
            TypeError: A value has the wrong type.
            ValueError: Lengths differ, a label does not fit into int32, or a value is nan or
                infinite.
        """
        found, truths = self._detections(predictions), self._truths(groundtruths)
        both = np.concatenate([found.labels, truths.labels])
        arrays.require("labels", both, (both >= _LABELS.min) & (both <= _LABELS.max),
                       "must fit into int32")  # fmt: skip
        known, places = np.unique(both, return_inverse=True)
        lengths = found.lengths + truths.lengths
        images = [np.repeat(np.arange(len(lengths)), one.lengths) for one in (found, truths)]
        order = np.argsort(np.concatenate(images), kind="stable")
        rows: dict[str, Any] = {"classes": Ragged(both[order], lengths)}
        for part in self._parts:
            of_part, labels = (np.zeros(1, np.int64), 0 * places) if part[1] else (known, places)
            ours, theirs = np.split(labels, [len(found.labels)])
            task = self._task(part, max(1, len(of_part)))
            for name, value in task.rows(
                replace(found, labels=ours), replace(truths, labels=theirs)
            ).items():
                if name.endswith("label"):
                    value = value.with_values(of_part[value.values])
                rows[_prefix(part) + name] = value
        return rows

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the values of every kind, and the classes."""
        classes = results.classes[0]
        values: dict[str, Any] = {}
        for kind in self.kinds:
            curves = self._curves(results, (kind, self.pooled), classes)
            found: dict[str, Any] = {
                **coco_summary.values_of(
                    curves, self.iou_thresholds, self.max_dets, _items(self.max_dets)
                )
            }
            precision: Any = -1.0
            recall: Any = -1.0
            if self.by_class:
                if self.pooled:
                    curves = self._curves(results, (kind, False), classes)
                precision = np.array(
                    [coco_summary.mean_precision(curves, [i]) for i in range(len(classes))]
                )
                # -1 at all thresholds, or at none
                recall = curves.recall[:, :, 0, -1].mean(axis=0)
            found["map_per_class"] = precision
            found[f"mar_{self.max_dets[-1]}_per_class"] = recall
            values |= {f"{kind}_{name}": value for name, value in found.items()}
        return values | {"classes": classes}

    def _task(self, part: tuple[str, bool], classes: int) -> CocoTask:
        return CocoTask(part[0], self.iou_thresholds, self.max_dets, classes, True)

    def _curves(self, results: Results, part: tuple[str, bool], classes: np.ndarray) -> Curves:
        classes = np.zeros(1, np.int64) if part[1] else classes
        table = self._task(part, len(classes)).table
        table.prefix = _prefix(part) + table.prefix
        label, truth = (table.column(results, name, None) for name in ("label", "truth_label"))
        counted = table.column(results, "truth_counted", None).values
        truths = count_truths(
            np.searchsorted(classes, truth.values),
            bits.unpack_bytes(counted, table.ranges).astype(np.bool_),
            len(classes),
        )
        matched = sorted_matches(
            label.with_values(np.searchsorted(classes, label.values)),
            table.scores(results, None),
            table.column(results, "outcome", None).values,
            truths,
            table.settings,
        )
        found = curves_of(matched, self.max_dets, self.recalls)
        return replace(found, precision=found.precision[:, 1:])  # without the recall 0 of ours

    def _detections(self, images: Sequence[Mapping[str, Any]]) -> Detections:
        boxes = image_dicts.boxes_of("preds", images, "boxes")
        scores = image_dicts.scores_of("preds", images)
        return Detections(
            boxes, scores.values, _labels("preds", images), _masks(images), scores.values
        )

    def _truths(self, images: Sequence[Mapping[str, Any]]) -> Truths:
        boxes = image_dicts.boxes_of("target", images, "boxes")
        crowd = image_dicts.flags_of("target", images, "iscrowd", optional="labels")
        given = image_dicts.numbers_of("target", images, "area", optional="labels")
        image_dicts.check_lengths("target", labels=boxes, iscrowd=crowd, area=given)
        rles = _masks(images)
        areas = masks.areas(rles) if "segm" in self.kinds else boxes.values[:, 2:].prod(axis=1)
        areas = np.where(given.values > 0, given.values, areas)
        return Truths(boxes, _labels("target", images), crowd.values, areas, rles)


def _prefix(part: tuple[str, bool]) -> str:
    return "pooled_" if part[1] else ""


def _labels(name: str, images: Sequence[Mapping[str, Any]]) -> np.ndarray:
    labels = image_dicts.numbers_of(name, images, "labels").values
    return arrays.as_integers(labels, f"{name}: 'labels'")


def _masks(images: Sequence[Mapping[str, Any]]) -> list[masks.Rle]:
    return [rle for image in images for rle in image.get("masks", ())]


def _items(max_dets: Sequence[int]) -> dict[str, tuple[bool, float | None, str, int]]:
    """Return torchmetrics' values, as `coco_summary.item_names` does."""
    most = max_dets[-1]
    return {
        "map": (True, None, "all", most),
        "map_50": (True, 0.5, "all", most),
        "map_75": (True, 0.75, "all", most),
        **{f"map_{size}": (True, None, size, most) for size in _SIZES},
        **{f"mar_{number}": (False, None, "all", number) for number in max_dets},
        **{f"mar_{size}": (False, None, size, most) for size in _SIZES},
    }
