"""COCO's result format: a JSON list of detections, with image and category ids."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.table import RowBatch, Table

__all__ = ["CocoTable", "category_names", "load_json"]

_UNIT_IMAGES = 500
_PLACES = ("bbox", "segmentation", "keypoints")
_WANTED = (
    "image_id, category_id and score, all numbers, and bbox of four numbers or a mask, or keypoints"
)


class CocoTable(Table):
    """One row per image that has detections, with the column `predictions`.

    Args:
        path: The results.
        categories: The class index of every category id.
    """

    def __init__(self, path: str, categories: dict[int, int]) -> None:
        self.path, self.columns = path, ["predictions"]
        found = load_json(path)
        if not isinstance(found, list):
            raise InputError(f"{path}: expected a list of detections")
        images: dict[int, list[dict[str, Any]]] = defaultdict(list)
        for index, detection in enumerate(found):
            try:
                image_id, checked = _checked(detection, categories)
            except InputError as error:
                raise InputError(f"{path}, detection {index}: {error}") from error
            images[image_id].append(checked)
        self._images = sorted(images.items())

    def units(self) -> list[tuple[int, int]]:
        """Return ranges of images."""
        count = len(self._images)
        starts = range(0, count, _UNIT_IMAGES)
        return [(start, min(start + _UNIT_IMAGES, count)) for start in starts]

    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RowBatch]:
        """Yield a range of images in the form that COCODetection takes."""
        images = [_as_prediction(*image) for image in self._images[start:stop]]
        yield RowBatch({"predictions": images}, start)

    def describe(self, batch: RowBatch, index: int) -> str:
        """Return the image's id."""
        return f"image {self._images[batch.place + index][0]}"


def load_json(path: str) -> Any:
    """Return a JSON file's content.

    Raises:
        InputError: There is no such file, or it is not JSON.
    """
    try:
        with open(path, "rb") as file:
            return json.load(file)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError(f"{path}: truncated or not JSON ({error})") from error


def category_names(path: str) -> dict[int, str]:
    """Return the names of an annotation file's categories by their ids, in the file's order."""
    annotations = load_json(path)
    try:
        return {int(entry["id"]): str(entry["name"]) for entry in annotations["categories"]}
    except (KeyError, TypeError, ValueError) as error:
        wanted = "`categories` must be a list of ids and names"
        raise InputError(f"{path}: no COCO annotations: {wanted}") from error


def _checked(detection: dict[str, Any], categories: dict[int, int]) -> tuple[int, dict[str, Any]]:
    """Return a detection's image, and what it has of a box, a mask and keypoints.

    The box of a mask without one is the box around the mask, as in pycocotools.
    """
    try:
        image_id, category = _whole(detection["image_id"]), _whole(detection["category_id"])
        found: dict[str, Any] = {key: detection[key] for key in _PLACES if detection.get(key)}
        found |= {key: np.array(found[key], float) for key in found.keys() - {"segmentation"}}
        found |= {"score": float(detection["score"]), "label": categories.get(category)}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"needs {_WANTED}") from error
    if found["label"] is None:
        raise InputError(f"category_id {category} is not in the annotations")
    if "segmentation" in found and "bbox" not in found:
        found["bbox"] = _box_around(found["segmentation"])
    if not found.keys() & {"bbox", "keypoints"}:
        raise InputError(f"needs {_WANTED}")
    if "bbox" in found and found["bbox"].shape != (4,):
        raise InputError(f"bbox must have four numbers, got {detection['bbox']}")
    if "keypoints" in found:
        if found["keypoints"].ndim != 1 or found["keypoints"].size % 3:
            raise InputError("keypoints must be a list of x, y and visibility of each joint")
        found["keypoints"] = found["keypoints"].reshape(-1, 3)
    return image_id, found


def _box_around(segmentation: Any) -> np.ndarray:
    from mmeval_like.metrics.detection.masks import box_of  # which few commands need

    try:
        return box_of(segmentation, "segmentation")
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error


def _whole(value: Any) -> int:
    """Return an id; ValueError for a number that is not whole."""
    number = int(value)
    if isinstance(value, float) and number != value:
        raise ValueError(value)
    return number


def _as_prediction(image_id: int, detections: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an image's detections, with those of their places that all of them have."""
    places = {
        key: [detection[key] for detection in detections]
        for key in _PLACES
        if all(key in detection for detection in detections)
    }
    prediction: dict[str, Any] = {"img_id": image_id}
    if "bbox" in places:
        boxes = np.stack(places["bbox"])
        if "keypoints" in places:
            prediction["areas"] = boxes[:, 2:].prod(axis=1)  # as in pycocotools
        boxes[:, 2:] += boxes[:, :2]  # width and height to the far corner
        prediction["bboxes"] = boxes
    prediction["scores"] = np.array([detection["score"] for detection in detections])
    prediction["labels"] = np.array([detection["label"] for detection in detections])
    if "segmentation" in places:
        prediction["masks"] = places["segmentation"]
    if "keypoints" in places:
        prediction["keypoints"] = places["keypoints"]
    return prediction
