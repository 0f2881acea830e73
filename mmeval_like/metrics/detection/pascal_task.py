"""PASCAL VOC's evaluation: from images to matches, from matches to precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mmeval_like.metrics.detection import bits, overlaps
from mmeval_like.metrics.detection.axis_aligned import Geometry
from mmeval_like.metrics.detection.pascal_matching import best_partners, pascal_match
from mmeval_like.metrics.detection.table import Matches, MatchTable
from mmeval_like.writing import Ragged

__all__ = ["Boxes", "PascalTask", "Range", "area_bounds", "join"]

Range = tuple[float | None, float | None]


@dataclass(frozen=True)
class Boxes:
    """Labelled boxes of several images, concatenated.

    Attributes:
        lengths: The number of boxes of each image, int64 (images,).
        boxes: float64 (n, values per box).
        labels: Class indices, int64 (n,).
        scores: For detections float32 or float64 (n,); for ground truths (0,).
        flags: For ground truths bool (n,): the special ones, which are ignored here.
    """

    lengths: np.ndarray
    boxes: np.ndarray
    labels: np.ndarray
    scores: np.ndarray = field(default_factory=lambda: np.empty(0))
    flags: np.ndarray = field(default_factory=lambda: np.empty(0, np.bool_))

    @property
    def images(self) -> np.ndarray:
        """The image of every box, int64 (n,)."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def block(self, images: slice) -> Boxes:
        """Return the boxes of consecutive images."""
        start = int(self.lengths[: images.start].sum())
        part = slice(start, start + int(self.lengths[images].sum()))
        return self._with(self.lengths[images], part)

    def take(self, order: np.ndarray) -> Boxes:
        """Return the chosen boxes, which must be sorted by image."""
        lengths = np.bincount(self.images[order], minlength=len(self.lengths)).astype(np.int64)
        return self._with(lengths, order)

    def _with(self, lengths: np.ndarray, which: slice | np.ndarray) -> Boxes:
        scores = self.scores[which] if len(self.scores) else self.scores
        flags = self.flags[which] if len(self.flags) else self.flags
        return Boxes(lengths, self.boxes[which], self.labels[which], scores, flags)


def join(regular: Boxes, ignored: Boxes) -> Boxes:
    """Return regular and ignored ground truths as one `Boxes`, with the ignored ones flagged."""
    order = np.argsort(np.concatenate([regular.images, ignored.images]), kind="stable")
    return Boxes(
        regular.lengths + ignored.lengths,
        np.concatenate([regular.boxes, ignored.boxes])[order],
        np.concatenate([regular.labels, ignored.labels])[order],
        flags=(order >= len(regular.labels)),
    )


class PascalTask:
    """An evaluation at several IoU thresholds and ranges of box sizes.

    Args:
        geometry: The geometry of the boxes.
        iou_thrs: The thresholds.
        ranges: The least and the largest side of a square of the same area; None: no bound.
        num_classes: The number of classes.
        with_truths: Whether the states hold the ground truths too.
    """

    def __init__(
        self,
        geometry: Geometry,
        iou_thrs: Sequence[float],
        ranges: Sequence[Range],
        num_classes: int,
        with_truths: bool = True,
    ) -> None:
        self.geometry = geometry
        self.iou_thrs = np.asarray(iou_thrs, np.float64)
        self.bounds = area_bounds(ranges)
        self.num_classes = num_classes
        self.table = MatchTable("", len(iou_thrs), len(ranges), num_classes, with_truths)

    def rows(self, found: Boxes, truths: Boxes) -> dict[str, Ragged]:
        """Match the detections of a batch of images, and return the rows of its states."""
        blocks = overlaps.blocks(found.lengths, truths.lengths)
        return self.table.rows([self.match(found.block(b), truths.block(b)) for b in blocks])

    def match(self, found: Boxes, truths: Boxes) -> Matches:
        """Match the detections of some images."""
        found = found.take(np.lexsort((-found.scores, found.labels, found.images)))
        # Among ground truths that overlap equally, those that count precede the ignored ones.
        truths = truths.take(np.lexsort((truths.flags, truths.labels, truths.images)))
        counted = self.within(truths.boxes) & ~truths.flags[:, None]
        pairs = overlaps.pairs_of_groups(self.groups(found), self.groups(truths))
        ious = self.geometry.overlaps(found.boxes, truths.boxes, pairs)
        partners, best = best_partners(*pairs, ious, len(found.boxes))
        hits, ignored = pascal_match(
            partners, best, self.iou_thrs, counted, self.within(found.boxes)
        )
        return self.matches(found, truths, hits, ignored, counted)

    def groups(self, boxes: Boxes) -> np.ndarray:
        """Return an integer for every box that identifies its image and class."""
        groups: np.ndarray = boxes.images * self.num_classes + boxes.labels
        return groups

    def within(self, boxes: np.ndarray) -> np.ndarray:
        """Return whether each box's size is in each range, bool (n, ranges)."""
        areas = self.geometry.areas(boxes)[:, None]
        return np.asarray((areas >= self.bounds[:, 0]) & (areas < self.bounds[:, 1]))

    def matches(
        self,
        found: Boxes,
        truths: Boxes,
        hits: np.ndarray,
        ignored: np.ndarray,
        counted: np.ndarray,
    ) -> Matches:
        """Return the outcome in the form that the ranks exchange."""
        return Matches(
            lengths=found.lengths,
            scores=found.scores,
            labels=found.labels,
            hits=bits.pack_bytes(hits),
            ignored=bits.pack_bytes(ignored),
            truth_lengths=truths.lengths,
            truth_labels=truths.labels,
            truth_counted=counted,
        )


def area_bounds(ranges: Sequence[Range]) -> np.ndarray:
    """Return the least area of every range, and the exclusive upper bound, (ranges, 2).

    Example:
        >>> area_bounds([(None, 32), (32, None)]).tolist()
        [[-inf, 1024.0], [1024.0, inf]]
    """
    bounds = [
        (-np.inf if least is None else least**2, np.inf if most is None else most**2)
        for least, most in ranges
    ]
    return np.array(bounds, np.float64).reshape(-1, 2)
