"""The base class of metrics of pairs of boxes, and the quantities that they compute with."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.detection import image_dicts
from mmeval_like.metrics.detection.overlaps import box_areas, pairs_of_groups
from mmeval_like.writing import (
    CORRELATION,
    BaseMetric,
    MetricOptions,
    Ranges,
    Results,
    State,
    Unpack,
    arrays,
    ratio,
    state,
)

__all__ = ["BoxPairMetric", "Pairs", "quotients"]

_CHUNK_PAIRS = 1 << 14  # pairs that are computed together and fit in the processor's cache


@dataclass(frozen=True)
class Pairs:
    """Pairs of boxes, and the quantities that the metrics compute with.

    Attributes:
        boxes: x1, y1, x2, y2; float64 (p, 4).
        others: The same.
    """

    boxes: np.ndarray
    others: np.ndarray

    def ious_and_unions(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the IoU, 0 if the union has no area, and the area of the union, both (p,)."""
        low = np.maximum(self.boxes[:, :2], self.others[:, :2])
        sides = np.maximum(np.minimum(self.boxes[:, 2:], self.others[:, 2:]) - low, 0.0)
        inner = sides[:, 0] * sides[:, 1]
        unions = box_areas(self.boxes) + box_areas(self.others) - inner
        return quotients(inner, unions), unions

    def hulls(self) -> np.ndarray:
        """Return the width and the height of the hull of each pair, (p, 2)."""
        low = np.minimum(self.boxes[:, :2], self.others[:, :2])
        return np.asarray(np.maximum(self.boxes[:, 2:], self.others[:, 2:]) - low)

    def distances(self) -> np.ndarray:
        """Return (distance of the centres / diagonal of the hull)², (p,)."""
        gaps = (self.boxes[:, :2] + self.boxes[:, 2:] - self.others[:, :2] - self.others[:, 2:]) / 2
        hulls = self.hulls()
        return quotients(_squares(gaps), _squares(hulls))


@shared_options
class BoxPairMetric(BaseMetric):
    """The base class of means over pairs of a predicted and a true box.

    `add` takes `predictions` and `groundtruths`, lists with a dict for each image: `bboxes` (n,
    4) of x1, y1, x2, y2, and `labels` (n,), or only the boxes.

    Args:
        pairs: Which boxes are compared. "all": every prediction of an image with every ground truth
            of the image; if an image has only predictions or only ground truths, each of these
            boxes counts as a pair with value 0. "given": the k-th prediction with the k-th ground
            truth; there must be the same number of both.
        iou_threshold: Pairs whose IoU is smaller do not count; None: all pairs count.
        respect_labels: With `pairs="all"`, whether only boxes with equal labels are compared. Boxes
            without labels count as having the same label.
        num_classes: The number of classes. If it is given, the result also has a list with one
            value for each class: the mean over the pairs whose ground truth has this label. Labels
            must then be in [0, num_classes). None: no list.
        **options: As for `BaseMetric`.
    """

    every_rank_computes = True
    ranges: Ranges = CORRELATION
    higher_is_better = True
    no_bounds = "an image may have any number of pairs of boxes"
    key: ClassVar[str]

    def __init__(
        self,
        *,
        pairs: str = "all",
        iou_threshold: float | None = None,
        respect_labels: bool = True,
        num_classes: int | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.pairs = check_option("pairs", pairs, ("all", "given"))
        if iou_threshold is not None and not 0 <= iou_threshold <= 1:
            raise ValueError(f"iou_threshold must be in [0, 1], got {iou_threshold}")
        self.iou_threshold = iou_threshold
        self.respect_labels = respect_labels
        self.num_classes = None if num_classes is None else check_count("num_classes", num_classes)

    @abstractmethod
    def measure(self, pairs: Pairs, ious: np.ndarray, unions: np.ndarray) -> np.ndarray:
        """Return the value of each pair, (p,), given the IoUs and the areas of the unions."""

    def states(self) -> dict[str, State]:
        """Return the sum of values and the number of pairs; with `num_classes` also by class."""
        states = {"value": state.sum(float), "number": state.sum(int)}
        if self.num_classes is not None:
            shape = (self.num_classes,)
            states |= {"values": state.sum(float, shape), "numbers": state.sum(int, shape)}
        return states

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, np.ndarray]:
        """Return one row per image.

        Args:
            predictions: A list with a dict per image: `bboxes` (n, 4) of x1, y1, x2, y2, and
                `labels` (n,), integers, if there are labels; or arrays (n, 4).
            groundtruths: The same; with `pairs="given"` as many boxes in each image as in
                `predictions`.

        Raises:
            KeyError: A dict has no `bboxes`.
            TypeError: A value has the wrong type.
            ValueError: Lengths differ, a label is out of range, a value is nan or infinite, or a
                box has x2 < x1 or y2 < y1.
        """
        sides = image_dicts.check_image_pairs(_dicts(predictions), _dicts(groundtruths))
        names = ("predictions", "groundtruths")
        boxes = [image_dicts.boxes_of(name, side) for name, side in zip(names, sides, strict=True)]
        labels = [self._labels(name, side) for name, side in zip(names, sides, strict=True)]
        for name, one, other in zip(names, boxes, labels, strict=True):
            image_dicts.check_lengths(name, bboxes=one, labels=other)
            good = (one.values[:, :2] <= one.values[:, 2:]).all(axis=1)
            rule = "must not end before they begin: x1 <= x2, y1 <= y2"
            arrays.require(f"the bboxes of {name}", one.values, good, rule)
        found, truths = boxes[0].lengths, boxes[1].lengths
        images = np.repeat(np.arange(len(found)), found)
        if self.pairs == "given":
            if (found != truths).any():
                index = int(np.flatnonzero(found != truths)[0])
                raise ValueError(
                    f"groundtruths[{index}] must have as many boxes as predictions[{index}] with "
                    f"pairs='given', got {truths[index]} and {found[index]}"
                )
            first = second = np.arange(len(images))
        else:
            first, second = self._all_pairs(images, truths, labels[0].values, labels[1].values)
        values, counted = self._values(boxes[0].values, boxes[1].values, first, second)
        owners = images[first[counted]]
        alone = np.where((found > 0) & (truths > 0), 0, found + truths)
        # Each image's pairs are added in order, so that the sum does not depend on the batch.
        rows = {
            "value": np.bincount(owners, values, len(found)),
            "number": np.bincount(owners, minlength=len(found)) + alone,
        }
        if self.num_classes is not None:
            cells = owners * self.num_classes + labels[1].values[second[counted]]
            shape = (len(found), self.num_classes)
            rows["values"] = np.bincount(cells, values, math.prod(shape)).reshape(shape)
            rows["numbers"] = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
        return rows

    def _labels(self, name: str, images: image_dicts.Images) -> Any:
        if self.num_classes is not None:
            return image_dicts.labels_of(name, images, self.num_classes)
        labels = image_dicts.numbers_of(name, images, "labels", optional="bboxes")
        values = arrays.as_integers(labels.values, f"{name}: 'labels'")
        return type(labels)(values, labels.lengths)

    def _all_pairs(
        self, images: np.ndarray, lengths: np.ndarray, labels: np.ndarray, truth_labels: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the indices of the boxes of all pairs, prediction by prediction."""
        groups, truth_groups = images, np.repeat(np.arange(len(lengths)), lengths)
        if self.respect_labels:
            known, codes = np.unique(np.append(labels, truth_labels), return_inverse=True)
            groups = groups * len(known) + codes[: len(labels)]
            truth_groups = truth_groups * len(known) + codes[len(labels) :]
        order = np.argsort(truth_groups, kind="stable")
        first, second = pairs_of_groups(groups, truth_groups[order])
        return first, order[second]

    def _values(
        self, boxes: np.ndarray, others: np.ndarray, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of the pairs that count, and which pairs count."""
        values, counted = np.zeros(len(first)), np.ones(len(first), np.bool_)
        for start in range(0, len(first), _CHUNK_PAIRS):
            part = slice(start, start + _CHUNK_PAIRS)
            pairs = Pairs(boxes[first[part]], others[second[part]])
            ious, unions = pairs.ious_and_unions()
            values[part] = self.measure(pairs, ious, unions)
            if self.iou_threshold is not None:
                counted[part] = ious >= self.iou_threshold
        return values[counted], np.flatnonzero(counted)

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the mean over pairs, and with `num_classes` the mean of each class."""
        found: dict[str, Any] = {self.key: ratio(results.value, results.number)}
        if self.num_classes is not None:
            sums = zip(results.values.tolist(), results.numbers.tolist(), strict=True)
            found[f"{self.key}_classwise"] = [ratio(total, number) for total, number in sums]
        return found


def _dicts(images: Any) -> Any:
    """Return a list of images as dicts; arrays of boxes become dicts without labels."""
    if not isinstance(images, list | tuple):
        return images
    return [image if isinstance(image, Mapping) else {"bboxes": image} for image in images]


def _squares(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors[:, 0] * vectors[:, 0] + vectors[:, 1] * vectors[:, 1])


def quotients(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Return quotients; 0 where the denominator is 0."""
    known = denominators > 0
    return np.where(known, numerators / np.where(known, denominators, 1.0), 0.0)
