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
    try:
        image_id, category = _whole(detection["image_id"]), _whole(detection["category_id"])
        masked = detection.get("segmentation")
        given = detection.get("bbox", (0, 0, 0, 0)) if masked else detection["bbox"]
        score, box = float(detection["score"]), np.array(given, float)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        wanted = "image_id, category_id and score, all numbers, and bbox of four numbers or a mask"
        raise InputError(f"needs {wanted}") from error
    if box.shape != (4,):
        raise InputError(f"bbox must have four numbers, got {detection['bbox']}")
    if category not in categories:
        raise InputError(f"category_id {category} is not in the annotations")
    return image_id, {**detection, "bbox": box, "label": categories[category], "score": score}


def _whole(value: Any) -> int:
    """Return an id; ValueError for a number that is not whole."""
    number = int(value)
    if isinstance(value, float) and number != value:
        raise ValueError(value)
    return number


def _as_prediction(image_id: int, detections: list[dict[str, Any]]) -> dict[str, Any]:
    boxes = np.stack([detection["bbox"] for detection in detections])
    boxes[:, 2:] += boxes[:, :2]  # width and height to the far corner
    prediction = {
        "img_id": image_id,
        "bboxes": boxes,
        "scores": np.array([detection["score"] for detection in detections]),
        "labels": np.array([detection["label"] for detection in detections]),
    }
    masks = [detection.get("segmentation") for detection in detections]
    return prediction | ({"masks": masks} if all(masks) else {})
