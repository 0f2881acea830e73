"""The COCO ground truths of a batch of images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mmeval_like.metrics.detection import image_dicts, masks
from mmeval_like.writing import Ragged

__all__ = ["Truths", "truths_of", "xywh_of"]


@dataclass(frozen=True)
class Truths:
    """The ground truths of several images, concatenated.

    Attributes:
        boxes: x, y, width, height; float64 (m, 4).
        labels: Class indices, int64 (m,).
        crowd: bool (m,).
        areas: The areas that decide the area range, float64 (m,).
        masks: An RLE dict for each ground truth; empty if masks are not needed.
    """

    boxes: Ragged
    labels: np.ndarray
    crowd: np.ndarray
    areas: np.ndarray
    masks: Sequence[masks.Rle] = ()

    @property
    def ignored(self) -> np.ndarray:
        """The ground truths that do not count, bool (m,): the crowds."""
        return self.crowd

    @property
    def lengths(self) -> np.ndarray:
        """The number of ground truths of each image, int64 (images,)."""
        return self.boxes.lengths


def truths_of(
    images: image_dicts.Images, num_classes: int, with_masks: bool, mask_areas: bool
) -> Truths:
    """Return the ground truths that a batch of dicts describes.

    Args:
        images: Dicts with bboxes (x1, y1, x2, y2), labels; areas, ignore_flags, masks if any.
        num_classes: The number of classes; labels must be below it.
        with_masks: Whether the masks are read.
        mask_areas: Whether the area of a ground truth is the area of its mask, in images with
            masks and without areas.

    Raises:
        KeyError, TypeError, ValueError: The input is invalid; the message names the image and the
            key.
    """
    name = "groundtruths"
    boxes = xywh_of(image_dicts.boxes_of(name, images))
    labels = image_dicts.labels_of(name, images, num_classes)
    crowd = image_dicts.flags_of(name, images, "ignore_flags", optional="labels")
    image_dicts.check_lengths(name, bboxes=boxes, labels=labels, ignore_flags=crowd)
    areas = boxes.values[:, 2] * boxes.values[:, 3]
    rles: list[masks.Rle] = []
    if with_masks or (mask_areas and any("masks" in image for image in images)):
        start = 0
        for index, length in enumerate(boxes.lengths.tolist()):
            found = masks.rles_of(name, index, images[index], length, required=with_masks)
            if found and mask_areas:
                areas[start : start + length] = masks.areas(found)
            rles += found
            start += length
    areas = image_dicts.areas_of(name, images, boxes.with_values(areas), optional="labels")
    return Truths(boxes, labels.values, crowd.values, areas, rles if with_masks else ())


def xywh_of(boxes: Ragged) -> Ragged:
    """Return boxes of x1, y1, x2, y2 as boxes of x, y, width, height."""
    values = boxes.values.copy()
    values[:, 2:] -= values[:, :2]
    return boxes.with_values(values)
