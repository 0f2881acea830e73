"""Keypoints of detected and true persons in a batch of images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmeval_like.metrics.detection import image_dicts
from mmeval_like.metrics.detection.coco_batch import Detections
from mmeval_like.metrics.detection.coco_file import FileTruths
from mmeval_like.metrics.detection.coco_truths import Truths, xywh_of
from mmeval_like.writing import Ragged, arrays

__all__ = ["Poses", "TruePoses", "poses_of", "poses_of_file", "true_poses_of"]


@dataclass(frozen=True)
class Poses(Detections):
    """Detected keypoints; the boxes are the smallest boxes around them.

    Attributes:
        keypoints: x and y; float64 (n, K, 2).
        areas: The areas that decide the area range, float64 (n,).
    """

    keypoints: np.ndarray
    areas: np.ndarray


@dataclass(frozen=True, kw_only=True)
class TruePoses(Truths):
    """Ground truths with keypoints.

    Attributes:
        keypoints: x, y and visibility, which is 0 for joints without a label; float64 (m, K, 3).
    """

    keypoints: np.ndarray

    @property
    def ignored(self) -> np.ndarray:
        """Which persons do not count, bool (m,): crowds, and persons without a labelled joint."""
        return self.crowd | ~(self.keypoints[:, :, 2] > 0).any(axis=1)

    def take(self, places: Ragged) -> TruePoses:
        """Return the poses at some places, image by image."""
        chosen = places.values
        return TruePoses(
            boxes=Ragged(self.boxes.values[chosen], places.lengths),
            labels=self.labels[chosen],
            crowd=self.crowd[chosen],
            areas=self.areas[chosen],
            keypoints=self.keypoints[chosen],
        )


def poses_of(images: image_dicts.Images, joints: int) -> Poses:
    """Return the detections of dicts with `keypoints` (n, K, 3) or (n, K, 2), `scores`, `areas`.

    The area of a detection in an image without `areas` is that of the box around its keypoints.

    Raises:
        KeyError, TypeError, ValueError: The input is invalid; the message names the image and the
            key.
    """
    name = "predictions"
    keypoints, scores = _keypoints_of(name, images, joints), image_dicts.scores_of(name, images)
    image_dicts.check_lengths(name, keypoints=keypoints, scores=scores)
    places = keypoints.values.reshape(-1, joints, 3)[:, :, :2]
    low = places.min(axis=1)
    boxes = Ragged(np.hstack([low, places.max(axis=1) - low]), keypoints.lengths)
    boxed = boxes.with_values(boxes.values[:, 2:].prod(axis=1))
    labels = np.zeros(len(places), np.int64)
    areas = image_dicts.areas_of(name, images, boxed, optional="scores")
    return Poses(boxes, scores.values, labels, (), scores.values, places, areas)


def true_poses_of(images: image_dicts.Images, joints: int) -> TruePoses:
    """Return the ground truths of dicts with `keypoints` (m, K, 3), `areas` and `bboxes`.

    Raises:
        KeyError, TypeError, ValueError: The input is invalid; the message names the image and the
            key.
    """
    name = "groundtruths"
    keypoints = _keypoints_of(name, images, joints)
    boxes, areas = (
        image_dicts.boxes_of(name, images),
        image_dicts.boxes_of(name, images, "areas", 0),
    )
    crowd = image_dicts.flags_of(name, images, "ignore_flags", optional="bboxes")
    image_dicts.check_lengths(
        name, keypoints=keypoints, bboxes=boxes, areas=areas, ignore_flags=crowd
    )
    arrays.check_not_negative(f"the areas of {name}", areas.values)
    return TruePoses(
        boxes=xywh_of(boxes),
        labels=np.zeros(len(areas.values), np.int64),
        crowd=crowd.values,
        areas=areas.values,
        keypoints=keypoints.values.reshape(-1, joints, 3),
    )


def poses_of_file(file: FileTruths, joints: int) -> TruePoses:
    """Return the ground truths of an annotation file, all as one class.

    Raises:
        ValueError: Annotations have no keypoints, or the wrong number of joints.
    """
    truths = file.truths
    return TruePoses(
        boxes=truths.boxes,
        labels=np.zeros_like(truths.labels),
        crowd=truths.crowd,
        areas=truths.areas,
        keypoints=file.numbers("keypoints", 3 * joints).reshape(-1, joints, 3),
    )


def _keypoints_of(name: str, images: image_dicts.Images, joints: int) -> Ragged:
    """Return keypoints as rows of 3 K numbers; a third number that is missing is 0."""
    flat = []
    for index, image in enumerate(images):
        if "keypoints" not in image:
            raise KeyError(f"{name}[{index}] needs the key 'keypoints', it has {[*image]}")
        values = arrays.to_host(image["keypoints"], f"{name}[{index}]['keypoints']")
        if values.size == 0:
            values = np.empty((0, joints, 3), np.float32)
        wide = name == "predictions" and values.shape[2:] == (2,)
        if values.ndim != 3 or values.shape[1:] != (joints, 2 if wide else 3):
            raise ValueError(
                f"{name}[{index}]['keypoints'] must have shape (n, {joints}, 3), got {values.shape}"
            )
        if wide:
            values = np.pad(values, ((0, 0), (0, 0), (0, 1)))
        flat.append({"keypoints": values.reshape(len(values), 3 * joints)})
    return image_dicts.boxes_of(name, flat, "keypoints", 3 * joints)
