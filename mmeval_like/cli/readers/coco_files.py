"""COCO's result format: a JSON list of detections, with image and category ids."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.table import RowBatch, Table

__all__ = ["IMAGE", "Annotated", "CocoTable", "annotated", "load_json"]

IMAGE = "image_id"
"""The column of the ids of images."""
_UNIT_IMAGES = 500
_PLACES = ("bbox", "segmentation", "keypoints")
_WANTED = (
    "image_id, category_id and score, all numbers, and bbox of four numbers or a mask, or keypoints"
)


@dataclass(frozen=True)
class Annotated:
    """What results need of their annotation file.

    Attributes:
        names: The names of the categories by their ids, in the file's order.
        images: The ids of the images.
    """

    names: dict[int, str]
    images: list[int]

    @property
    def classes(self) -> dict[int, int]:
        """The class index of every category id."""
        return {key: index for index, key in enumerate(self.names)}


class CocoTable(Table):
    """One row per image that has detections, with the columns `predictions` and `image_id`.

    Args:
        path: The results.
        categories: The class index of every category id.
    """

    def __init__(self, path: str, categories: dict[int, int]) -> None:
        self.path, self.columns = path, ["predictions", IMAGE]
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

    @property
    def images(self) -> list[int]:
        """The ids of the images that are rows."""
        return [image_id for image_id, _ in self._images]

    def add_images(self, image_ids: Iterable[int]) -> None:
        """Make images without detections rows, too: a file of results does not name them."""
        self._images = sorted([*self._images, *((image_id, []) for image_id in image_ids)])

    def units(self) -> list[tuple[int, int]]:
        """Return ranges of images."""
        count = len(self._images)
        starts = range(0, count, _UNIT_IMAGES)
        return [(start, min(start + _UNIT_IMAGES, count)) for start in starts]

    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RowBatch]:
        """Yield a range of images in the form that COCODetection takes."""
        images = self._images[start:stop]
        found = [_as_prediction(*image) if image[1] else self._empty(image[0]) for image in images]
        ids = np.array([image_id for image_id, _ in images], np.int64)
        yield RowBatch({"predictions": found, IMAGE: ids}, start)

    def describe(self, batch: RowBatch, index: int) -> str:
        """Return the image's id."""
        return f"image {self._images[batch.place + index][0]}"

    def _empty(self, image_id: int) -> dict[str, Any]:
        """Return an image without detections, with the places that those of others have."""
        first = next((one for _, detections in self._images for one in detections), {})
        found: dict[str, Any] = {"img_id": image_id, "bboxes": np.empty((0, 4))}
        found |= {"scores": np.empty(0), "labels": np.empty(0, np.int64), "masks": []}
        joints = len(first.get("keypoints", ()))
        return {**found, "keypoints": np.empty((0, joints, 3)), "areas": np.empty(0)}


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


def annotated(path: str) -> Annotated:
    """Return what results need of an annotation file.

    Raises:
        InputError: It is no file of annotations.
    """
    annotations = load_json(path)
    try:
        names = {int(entry["id"]): str(entry["name"]) for entry in annotations["categories"]}
        return Annotated(names, [_whole(entry["id"]) for entry in annotations["images"]])
    except (KeyError, TypeError, ValueError) as error:
        wanted = "`categories` must be a list of ids and names, and `images` one of ids"
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
