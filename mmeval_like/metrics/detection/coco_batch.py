"""The detections of a batch of images, and the identities of the images."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import image_dicts, masks
from mmeval_like.metrics.detection.coco_truths import xywh_of
from mmeval_like.metrics.detection.images import NO_ID
from mmeval_like.writing import Ragged

__all__ = ["Detections", "class_names", "detections_of", "image_ids_of"]


@dataclass(frozen=True)
class Detections:
    """The detections of several images, concatenated.

    Attributes:
        boxes: x, y, width, height; float64 (n, 4).
        scores: float32 or float64 (n,).
        labels: Class indices, int64 (n,).
        masks: An RLE dict for each detection; empty if masks are not needed.
        mask_scores: Scores for the evaluation of masks.
    """

    boxes: Ragged
    scores: np.ndarray
    labels: np.ndarray
    masks: Sequence[masks.Rle]
    mask_scores: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """The number of detections of each image, int64 (images,)."""
        return self.boxes.lengths


def class_names(metric: str, meta: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the names of the classes of a metric's `dataset_meta`.

    Raises:
        RuntimeError: `dataset_meta` has no classes.
        ValueError: Two classes have the same name.
    """
    classes = tuple((meta or {}).get("classes", ()))
    if not classes:
        raise RuntimeError(
            f"{metric} needs the names of the classes: dataset_meta={{'classes': (...)}}, on the "
            f"command line --annotations FILE"
        )
    if len(set(classes)) < len(classes):
        raise ValueError(f"dataset_meta['classes'] must be distinct, got {classes}")
    return classes


def detections_of(images: image_dicts.Images, num_classes: int, with_masks: bool) -> Detections:
    """Return the detections that a batch of dicts describes.

    Args:
        images: Dicts with bboxes (x1, y1, x2, y2), scores, labels; masks, mask_scores if any.
        num_classes: The number of classes; labels must be below it.
        with_masks: Whether the masks are read.

    Raises:
        KeyError, TypeError, ValueError: The input is invalid; the message names the image and the
            key.
    """
    name = "predictions"
    boxes = xywh_of(image_dicts.boxes_of(name, images))
    scores = mask_scores = image_dicts.scores_of(name, images)
    labels = image_dicts.labels_of(name, images, num_classes)
    image_dicts.check_lengths(name, bboxes=boxes, scores=scores, labels=labels)
    rles: list[masks.Rle] = []
    if with_masks:
        for index, length in enumerate(boxes.lengths.tolist()):
            rles += masks.rles_of(name, index, images[index], length, required=True)
        if any("mask_scores" in image for image in images):
            mask_scores = image_dicts.scores_of(name, images, "mask_scores")
            image_dicts.check_lengths(name, bboxes=boxes, mask_scores=mask_scores)
    return Detections(boxes, scores.values, labels.values, rles, mask_scores.values)


def image_ids_of(predictions: image_dicts.Images, truths: image_dicts.Images | None) -> np.ndarray:
    """Return every image's img_id, from either of its dicts, int64; `NO_ID` if it has none.

    Raises:
        TypeError: An img_id is not an integer.
        ValueError: An img_id does not fit in int64, or the two dicts of an image have different
            ones.
    """
    found = np.full(len(predictions), NO_ID)
    for index, prediction in enumerate(predictions):
        given = [prediction.get("img_id")]
        if truths is not None:
            given.append(truths[index].get("img_id"))
        known = [_image_id(value) for value in given if value is not None]
        if not known:
            continue
        if known[0] != known[-1]:
            raise ValueError(
                f"predictions[{index}] and groundtruths[{index}] must have one img_id, "
                f"got img_id {known[0]} and {known[-1]}"
            )
        found[index] = known[0]
    return found


def _image_id(value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"img_id must be an integer, got {value!r}") from None
    if not NO_ID < number < 1 << 63:
        raise ValueError(f"img_id must fit into int64, got {value!r}")
    return number
