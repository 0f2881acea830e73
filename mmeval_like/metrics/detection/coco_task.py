"""One kind of COCO evaluation (boxes, masks or proposals): from images to matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mmeval_like.metrics.detection import bits, masks, overlaps
from mmeval_like.metrics.detection.coco_batch import Detections
from mmeval_like.metrics.detection.coco_matching import greedy_match
from mmeval_like.metrics.detection.coco_truths import Truths
from mmeval_like.metrics.detection.runs import place_in_run
from mmeval_like.metrics.detection.table import Matches, MatchTable, count_truths
from mmeval_like.writing import Ragged

__all__ = ["AREA_NAMES", "AREA_RANGES", "CocoTask", "Side"]

AREA_NAMES = ("all", "small", "medium", "large")
# In pixels; both bounds belong to the range.
AREA_RANGES = np.array([[0, 1e5**2], [0, 32**2], [32**2, 96**2], [96**2, 1e5**2]])


class Side(NamedTuple):
    """The detections, or the ground truths, of some images, sorted by image and class."""

    places: np.ndarray  # indices in the batch
    groups: np.ndarray  # an integer that identifies the image and the class


class CocoTask:
    """One evaluation of a metric.

    Attributes:
        ranges: The least and the largest area of each range, in pixels.

    Args:
        kind: "bbox", "segm" or "proposal".
        iou_thrs: The IoU thresholds.
        max_dets: How many detections of an image and class count; ascending.
        num_classes: The number of classes; all proposals are of one class.
        with_truths: Whether the states hold the ground truths too.
        category_ids: The id of every class. Proposals of equal scores in an image are ranked by
            these ids, then by their order. None: the class indices.
    """

    ranges = AREA_RANGES

    def __init__(
        self,
        kind: str,
        iou_thrs: Sequence[float],
        max_dets: Sequence[int],
        num_classes: int,
        with_truths: bool,
        category_ids: Sequence[int] | None = None,
    ) -> None:
        self.kind = kind
        self.iou_thrs = tuple(iou_thrs)
        self.max_dets = tuple(max_dets)
        self.num_classes = 1 if kind == "proposal" else num_classes
        ids = range(num_classes) if category_ids is None else category_ids
        self._ranks = np.argsort(np.argsort(ids))
        self.table = MatchTable(
            f"{kind}_", len(self.iou_thrs), len(self.ranges), self.num_classes, with_truths
        )

    def rows(self, found: Detections, truths: Truths) -> dict[str, Ragged]:
        """Match the detections of a batch of images, and return the rows of its states."""
        blocks = overlaps.blocks(found.lengths, truths.lengths)
        return self.table.rows([self._match(found, truths, block) for block in blocks])

    def count_truths(self, truths: Truths) -> np.ndarray:
        """Return how many ground truths of each class count in each area range."""
        counted = self._within(truths.areas) & ~truths.ignored[:, None]
        return count_truths(self._classes(truths.labels), counted, self.num_classes)

    def _classes(self, labels: np.ndarray) -> np.ndarray:
        return np.zeros_like(labels) if self.kind == "proposal" else labels

    def _match(self, found: Detections, truths: Truths, block: slice) -> Matches:
        """Match the detections of some consecutive images."""
        images, places = _entries(found.lengths, block)
        truth_images, truth_places = _entries(truths.lengths, block)
        scores = found.mask_scores if self.kind == "segm" else found.scores
        # By image and class, then by descending score; on ties the first of the lowest category.
        labels = found.labels[places]
        classes = self._classes(labels)
        order = np.lexsort((self._ranks[labels], -scores[places], classes, images))
        groups = (images * self.num_classes + classes)[order]
        kept = place_in_run(groups) < self.max_dets[-1]
        order = order[kept]
        ours = Side(places[order], groups[kept])
        truth_labels = truths.labels[truth_places]
        truth_classes = self._classes(truth_labels)
        truth_order = np.lexsort((self._ranks[truth_labels], truth_classes, truth_images))
        truth_groups = truth_images * self.num_classes + truth_classes
        theirs = Side(truth_places[truth_order], truth_groups[truth_order])

        pairs = overlaps.pairs_of_groups(ours.groups, theirs.groups)
        areas, ious = self.measure(found, truths, ours, theirs, pairs)
        crowd, ignored = truths.crowd[theirs.places], truths.ignored[theirs.places]
        counted = self._within(truths.areas[theirs.places]) & ~ignored[:, None]
        # As in pycocotools: an IoU that is below 1 only by rounding reaches a threshold of 1.
        thresholds = np.minimum(self.iou_thrs, 1 - 1e-10)
        near = np.flatnonzero(ious >= thresholds.min())
        hits, spared = greedy_match(
            pairs[0][near],
            pairs[1][near],
            ious[near],
            np.tile(ious[near, None] >= thresholds, len(self.ranges)),
            ours.groups,
            np.repeat(counted, len(thresholds), axis=1),
            crowd,
        )
        spare = bits.pack(np.repeat(self.spare(found, ours, areas), len(thresholds), axis=1))
        lengths = np.bincount(images[order], minlength=block.stop - block.start)
        return Matches(
            lengths=lengths.astype(np.int64),
            scores=scores[ours.places],
            labels=self._classes(found.labels[ours.places]),
            hits=bits.to_bytes(hits, self.table.settings),
            ignored=bits.to_bytes(spared | (spare & ~hits), self.table.settings),
            truth_lengths=truths.lengths[block],
            truth_labels=self._classes(truths.labels[theirs.places]),
            truth_counted=counted,
        )

    def _within(self, areas: np.ndarray) -> np.ndarray:
        """Return whether each area is in each range, bool (n, ranges)."""
        return (areas[:, None] >= self.ranges[:, 0]) & (areas[:, None] <= self.ranges[:, 1])

    def spare(self, found: Detections, ours: Side, areas: np.ndarray) -> np.ndarray:
        """Return which detections do not count in each range unless they match, (n, ranges)."""
        return ~self._within(areas)

    def measure(
        self,
        found: Detections,
        truths: Truths,
        ours: Side,
        theirs: Side,
        pairs: tuple[np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the detections' areas, and the IoU of every pair."""
        if self.kind == "segm":
            return _mask_overlaps(found, truths, ours, theirs)
        boxes = found.boxes.values[ours.places]
        truth_boxes = truths.boxes.values[theirs.places]
        areas, truth_areas = boxes[:, 2:].prod(axis=1), truth_boxes[:, 2:].prod(axis=1)
        ious = overlaps.box_overlaps(
            overlaps.to_corners(boxes),
            overlaps.to_corners(truth_boxes),
            areas,
            truth_areas,
            pairs,
            truths.crowd[theirs.places],
        )
        return areas, ious


def _mask_overlaps(
    found: Detections, truths: Truths, ours: Side, theirs: Side
) -> tuple[np.ndarray, np.ndarray]:
    rles = [found.masks[place] for place in ours.places.tolist()]
    truth_rles = [truths.masks[place] for place in theirs.places.tolist()]
    crowd = truths.crowd[theirs.places]
    ious = masks.overlaps(rles, truth_rles, crowd, ours.groups, theirs.groups)
    return masks.areas(rles), ious


def _entries(lengths: np.ndarray, block: slice) -> tuple[np.ndarray, np.ndarray]:
    """Return the image (from the block's first) and the index of every entry of a block."""
    start, inside = int(lengths[: block.start].sum()), lengths[block]
    images = np.repeat(np.arange(len(inside)), inside)
    return images, np.arange(start, start + len(images))
