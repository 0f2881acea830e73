"""Open Images' matching: the detections inside a box around a group count as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmeval_like.metrics.detection import bits, overlaps
from mmeval_like.metrics.detection.axis_aligned import Geometry
from mmeval_like.metrics.detection.pascal_matching import (
    best_partners,
    first_claims,
    pascal_match,
)
from mmeval_like.metrics.detection.pascal_task import Boxes, PascalTask, Range
from mmeval_like.metrics.detection.table import Matches

__all__ = ["OpenImagesTask"]


class OpenImagesTask(PascalTask):
    """VOC's evaluation, after which the detections inside a group's box count as one.

    Args:
        geometry: The geometry of the boxes.
        iou_thrs: The thresholds of single objects.
        iof_thrs: For each of `iou_thrs`, the share of a detection that must be inside a group's
            box.
        ranges: The ranges of box sizes.
        num_classes: The number of classes.
        use_group_of: Whether groups are matched in this way; otherwise like single objects.
    """

    def __init__(
        self,
        geometry: Geometry,
        iou_thrs: Sequence[float],
        iof_thrs: Sequence[float],
        ranges: Sequence[Range],
        num_classes: int,
        use_group_of: bool,
    ) -> None:
        super().__init__(geometry, iou_thrs, ranges, num_classes)
        self.iof_thrs = np.asarray(iof_thrs, np.float64)
        self.use_group_of = use_group_of

    def match(self, found: Boxes, truths: Boxes) -> Matches:
        """Match the detections of some images; the flagged ground truths are groups."""
        found = found.take(np.lexsort((-found.scores, found.labels, found.images)))
        truths = truths.take(np.lexsort((truths.labels, truths.images)))
        is_group = truths.flags & self.use_group_of
        single, group = (truths.take(np.flatnonzero(side)) for side in (~is_group, is_group))
        within = self.within(found.boxes)

        pairs = overlaps.pairs_of_groups(self.groups(found), self.groups(single))
        ious = self.geometry.overlaps(found.boxes, single.boxes, pairs)
        partners, best = best_partners(*pairs, ious, len(found.boxes))
        counted = self.within(single.boxes)
        hits, ignored = pascal_match(partners, best, self.iou_thrs, counted, within)

        pairs = overlaps.pairs_of_groups(self.groups(found), self.groups(group))
        iofs = self.geometry.overlaps(found.boxes, group.boxes, pairs, group.flags)
        partners, best = best_partners(*pairs, iofs, len(found.boxes))
        inside = (best[:, None] >= self.iof_thrs) & (partners >= 0)[:, None]
        merged = np.tile(inside, len(self.bounds)) & ~hits
        counted = np.repeat(self.within(group.boxes), len(self.iou_thrs), axis=1)
        # The best detection in a group is the hit. The others are ignored, and so are all
        # detections in a group whose size is out of the range.
        gained = first_claims(partners, merged)
        covered = np.zeros(counted.shape, np.bool_)
        rows, columns = np.nonzero(gained)
        covered[partners[rows], columns] = True
        gained[rows, columns] &= counted[partners[rows], columns]
        hits |= gained
        ignored = np.where(merged, ~gained, ignored)
        return self._with_missed(found, truths, group, hits, ignored, counted & ~covered)

    def _with_missed(
        self,
        found: Boxes,
        truths: Boxes,
        group: Boxes,
        hits: np.ndarray,
        ignored: np.ndarray,
        missed: np.ndarray,
    ) -> Matches:
        """Add a false positive of score 0 for every group without a detection."""
        none = missed.any(axis=1)
        group, missed = group.take(np.flatnonzero(none)), missed[none]
        order = np.argsort(np.concatenate([found.images, group.images]), kind="stable")
        scores = np.concatenate([found.scores, np.zeros(len(group.labels), found.scores.dtype)])
        labels = np.concatenate([found.labels, group.labels])
        hits = np.concatenate([hits, np.zeros_like(missed)])
        ignored = np.concatenate([ignored, ~missed])
        return Matches(
            lengths=found.lengths + group.lengths,
            scores=scores[order],
            labels=labels[order],
            hits=bits.pack_bytes(hits[order]),
            ignored=bits.pack_bytes(ignored[order]),
            truth_lengths=truths.lengths,
            truth_labels=truths.labels,
            truth_counted=self.within(truths.boxes),
        )
