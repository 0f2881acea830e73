"""LVIS's evaluation of images in which only some classes are annotated, not all exhaustively."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mmeval_like.metrics.detection import image_dicts
from mmeval_like.metrics.detection.coco_batch import Detections
from mmeval_like.metrics.detection.coco_file import FileTruths
from mmeval_like.metrics.detection.coco_task import CocoTask, Side
from mmeval_like.metrics.detection.coco_truths import Truths, truths_of
from mmeval_like.metrics.detection.runs import place_in_run
from mmeval_like.writing import Ragged

__all__ = ["FederatedTruths", "LvisTask", "federated_truths_of", "federated_truths_of_file"]


@dataclass(frozen=True, kw_only=True)
class FederatedTruths(Truths):
    """Ground truths of images in which only some classes were annotated.

    Attributes:
        absent: The classes that each image is known not to have, int64.
        incomplete: The classes that may have more objects than ground truths in each image, int64.
    """

    absent: Ragged
    incomplete: Ragged


def federated_truths_of(
    images: image_dicts.Images, num_classes: int, with_masks: bool
) -> FederatedTruths:
    """Return the ground truths of dicts: see `truths_of`; `neg_labels`, `not_exhaustive_labels`.

    Raises:
        KeyError, TypeError, ValueError: The input is invalid; the message names the image and the
            key.
    """
    absent, incomplete = (
        image_dicts.labels_of("groundtruths", images, num_classes, key, "")
        for key in ("neg_labels", "not_exhaustive_labels")
    )
    truths = truths_of(images, num_classes, with_masks, mask_areas=True)
    return FederatedTruths(**vars(truths), absent=absent, incomplete=incomplete)


def federated_truths_of_file(
    file: FileTruths, image_ids: np.ndarray, with_masks: bool
) -> FederatedTruths:
    """Return the ground truths of these images of an annotation file; raises as `FileTruths.of`."""
    absent, incomplete = (
        file.classes_of(image_ids, key)
        for key in ("neg_category_ids", "not_exhaustive_category_ids")
    )
    truths = file.of(image_ids, with_masks)
    return FederatedTruths(**vars(truths), absent=absent, incomplete=incomplete)


@dataclass(frozen=True, kw_only=True)
class _Judged(Detections):
    """The detections of classes whose presence in the image is known.

    Attributes:
        spared: The detections that do not count unless they match, bool (n,).
    """

    spared: np.ndarray


class LvisTask(CocoTask):
    """An evaluation of only the classes that are known to be present in or absent from an image.

    Detections of other classes are left out. Detections of classes that are not annotated
    exhaustively are ignored unless they match.

    Args:
        kind: "bbox" or "segm".
        iou_thrs: The IoU thresholds.
        max_dets: How many detections of each image count, those of highest score of all classes
            together.
        num_classes: The number of classes.
        with_truths: Whether the states hold the ground truths too.
        sizes_of_boxes: Whether a detection is small, medium or large by its box, even if masks are
            matched.
    """

    def __init__(
        self,
        kind: str,
        iou_thrs: Sequence[float],
        max_dets: int,
        num_classes: int,
        with_truths: bool,
        sizes_of_boxes: bool = False,
    ) -> None:
        super().__init__(kind, iou_thrs, (max_dets,), num_classes, with_truths)
        self.sizes_of_boxes = sizes_of_boxes

    def rows(self, found: Detections, truths: Truths) -> dict[str, Ragged]:
        """Match the detections of a batch of images, and return the rows of its states."""
        assert isinstance(truths, FederatedTruths)
        return super().rows(self._judged(found, truths), truths)

    def _judged(self, found: Detections, truths: FederatedTruths) -> _Judged:
        images = np.repeat(np.arange(len(found.lengths)), found.lengths)
        scores = found.mask_scores if self.kind == "segm" else found.scores
        ranking = np.lexsort((-scores, images))
        best = np.empty(len(images), np.bool_)
        best[ranking] = place_in_run(images[ranking]) < self.max_dets[0]
        codes = images * self.num_classes + found.labels
        there = self._codes(truths.boxes.with_values(truths.labels))
        looked_for = np.isin(codes, np.concatenate([there, self._codes(truths.absent)]))
        spared = np.isin(codes, self._codes(truths.incomplete))
        kept = np.flatnonzero(best & looked_for)
        lengths = np.bincount(images[kept], minlength=len(found.lengths)).astype(np.int64)
        return _Judged(
            boxes=Ragged(found.boxes.values[kept], lengths),
            scores=found.scores[kept],
            labels=found.labels[kept],
            masks=[found.masks[place] for place in kept.tolist()] if found.masks else (),
            mask_scores=found.mask_scores[kept],
            spared=spared[kept],
        )

    def _codes(self, labels: Ragged) -> np.ndarray:
        """Return an integer for every label that identifies its image and class."""
        images = np.repeat(np.arange(len(labels.lengths)), labels.lengths)
        codes: np.ndarray = images * self.num_classes + labels.values
        return codes

    def spare(self, found: Detections, ours: Side, areas: np.ndarray) -> np.ndarray:
        """Return which detections do not count in each range unless they match, (n, ranges)."""
        assert isinstance(found, _Judged)
        if self.sizes_of_boxes:
            areas = found.boxes.values[ours.places, 2:].prod(axis=1)
        spare: np.ndarray = super().spare(found, ours, areas) | found.spared[ours.places][:, None]
        return spare
