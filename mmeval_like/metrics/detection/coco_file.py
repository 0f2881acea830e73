"""COCO annotation files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import masks
from mmeval_like.metrics.detection.coco_truths import Truths
from mmeval_like.writing import Ragged, arrays, take, warn

__all__ = ["AnnotationFile", "FileTruths"]


class AnnotationFile:
    """A COCO annotation file (JSON), read once.

    Warns of annotations whose images or categories the file does not list: as for pycocotools, they
    do not count.

    Args:
        path: The file.
        evaluated: Whether the annotations are needed; files of test sets have none.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is not a COCO annotation file.
    """

    def __init__(self, path: str, evaluated: bool = True) -> None:
        with open(os.fspath(path), encoding="utf-8") as file:  # `open` also takes a descriptor
            content = json.load(file)
        needed = ("images", "annotations", "categories")
        if isinstance(content, dict) and not evaluated:
            content.setdefault("annotations", [])
        if not isinstance(content, dict) or not content.keys() >= set(needed):
            raise ValueError(f"ann_file {path!r} must be a JSON object with {', '.join(needed)}")
        self.path = path
        self.content: dict[str, list[dict[str, Any]]] = content
        self.names = tuple(str(entry["name"]) for entry in content["categories"])
        self._known: dict[tuple[str, ...], FileTruths] = {}
        for key, listed in (("image_id", "images"), ("category_id", "categories")):
            self._warn_of_unlisted(key, listed)

    def _warn_of_unlisted(self, key: str, listed: str) -> None:
        """Warn of annotations with an id that no entry of a list has."""
        known = {entry["id"] for entry in self.content[listed]}
        found = [one[key] for one in self.content["annotations"] if one[key] not in known]
        if found:
            few = [*dict.fromkeys(found)][:4]
            ids = ", ".join([*map(repr, few[:3]), *["..."] * (len(few) > 3)])
            warn(
                f"ann_file {self.path!r}: {len(found)} of {len(self.content['annotations'])} "
                f"annotations do not count, as in pycocotools: their {key} is not in {listed!r}, "
                f"for instance {ids}",
                UserWarning,
            )

    def of_classes(self, classes: Sequence[str]) -> FileTruths:
        """Return the ground truths of these classes.

        Raises:
            TypeError: The ids of the images are not integers.
        ValueError: The file has no category with the name of one of the classes, or two; or an id
            of an image does not fit in int64.
        """
        key = tuple(classes)
        if key not in self._known:
            self._known[key] = FileTruths(self, key)
        return self._known[key]


class FileTruths:
    """The ground truths of certain classes in a file.

    Attributes:
        image_ids: All images of the file, int64, ascending.
        category_ids: The file's category of every class.
        frequencies: The frequency group of each class, for instance "r", or None.
        truths: The ground truths of all images in the order of `image_ids`, without masks.
    """

    def __init__(self, file: AnnotationFile, classes: Sequence[str]) -> None:
        entries: dict[str, dict[str, Any]] = {}
        for entry in file.content["categories"]:
            same = entries.setdefault(entry["name"], entry)
            if same["id"] != entry["id"] and entry["name"] in classes:
                raise ValueError(
                    f"ann_file {file.path!r} has two categories with the name {entry['name']!r}, "
                    f"ids {same['id']} and {entry['id']}: rename one of them in the file"
                )
        categories = {name: entry["id"] for name, entry in entries.items()}
        missing = [name for name in classes if name not in categories]
        if missing:
            raise ValueError(
                f"ann_file {file.path!r} has no category {missing[0]!r}, which is in "
                f"dataset_meta['classes']; it has {[*categories][:20]}"
            )
        self.category_ids = [categories[name] for name in classes]
        self.frequencies = [entries[name].get("frequency") for name in classes]
        self._images = {image["id"]: image for image in file.content["images"]}
        ids = arrays.as_integers([*self._images], f"the image ids of ann_file {file.path!r}")
        self.image_ids = np.sort(ids)
        label_of = {category: label for label, category in enumerate(self.category_ids)}
        chosen = [
            entry
            for entry in file.content["annotations"]
            if entry["category_id"] in label_of and entry["image_id"] in self._images
        ]
        for entry in chosen:
            if not entry.keys() >= {"bbox", "area"}:
                raise ValueError(f"ann_file {file.path!r}: no bbox and area in {entry}")
        chosen.sort(key=lambda entry: entry["image_id"])  # stable: keeps the file's order
        self._annotations, self._path = chosen, file.path
        owners = np.array([entry["image_id"] for entry in chosen], np.int64)
        places = np.searchsorted(self.image_ids, owners)
        lengths = np.bincount(places, minlength=len(self.image_ids)).astype(np.int64)
        boxes = _floats(file.path, "bbox", chosen, (4,))
        self.truths = Truths(
            Ragged(boxes, lengths),
            np.array([label_of[entry["category_id"]] for entry in chosen], np.int64),
            np.array([entry.get("iscrowd", 0) for entry in chosen], np.bool_),
            _floats(file.path, "area", chosen, ()),
        )
        self._order = Ragged(np.arange(len(chosen)), lengths)

    def of(self, image_ids: np.ndarray, with_masks: bool) -> Truths:
        """Return the ground truths of these images, in this order; raises as `places`."""
        order = self.places(image_ids)
        chosen = order.values
        return Truths(
            Ragged(self.truths.boxes.values[chosen], order.lengths),
            self.truths.labels[chosen],
            self.truths.crowd[chosen],
            self.truths.areas[chosen],
            [self._rle(index) for index in chosen.tolist()] if with_masks else (),
        )

    def places(self, image_ids: np.ndarray) -> Ragged:
        """Return the indices in `truths` of the ground truths of these images, in this order.

        Raises:
            ValueError: The file does not have one of the images.
        """
        places = np.searchsorted(self.image_ids, image_ids)
        inside = places < len(self.image_ids)
        inside[inside] = self.image_ids[places[inside]] == image_ids[inside]
        if not inside.all():
            raise ValueError(
                f"predictions have img_id {image_ids[~inside][0]}, which is not in ann_file"
            )
        order = take(self._order, places)
        assert isinstance(order, Ragged)
        return order

    def classes_of(self, image_ids: np.ndarray, key: str) -> Ragged:
        """Return the classes whose categories images list under a key; none if it is missing.

        Raises:
            ValueError: The file does not have one of the images.
        """
        self.places(image_ids)
        label_of = {category: label for label, category in enumerate(self.category_ids)}
        named = [
            [label_of[one] for one in self._images[image].get(key, ()) if one in label_of]
            for image in image_ids.tolist()
        ]
        lengths = np.array([len(labels) for labels in named], np.int64)
        return Ragged(np.array([*chain.from_iterable(named)], np.int64), lengths)

    def numbers(self, key: str, width: int) -> np.ndarray:
        """Return the values of all annotations under a key, float64 (m, width).

        Raises:
            ValueError: An annotation lacks the key, or has values of another shape or not finite.
        """
        for entry in self._annotations:
            if key not in entry:
                raise ValueError(f"ann_file {self._path!r}: no {key} in {entry}")
        return _floats(self._path, key, self._annotations, (width,))

    def _rle(self, index: int) -> masks.Rle:
        annotation = self._annotations[index]
        image = self._images[annotation["image_id"]]
        where = f"the segmentation of annotation {annotation.get('id')} in ann_file"
        size = (image.get("height"), image.get("width"))
        return masks.to_rle(annotation.get("segmentation"), where, size)


def _floats(
    path: str, key: str, entries: Sequence[Mapping[str, Any]], shape: tuple[int, ...]
) -> np.ndarray:
    """Return the values of annotations under a key, float64 (n, *shape).

    Raises:
        ValueError: An annotation lacks the key, or has values of another shape or not finite.
    """
    wanted = f"{shape[0]} finite numbers" if shape else "a finite number"
    try:
        values = np.array([entry[key] for entry in entries], np.float64)
        values = values.reshape(len(entries), *shape)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"ann_file {path!r}: {key!r} of every annotation must be {wanted}: {error}"
        ) from error
    strange = np.argwhere(~np.isfinite(values))
    if len(strange):
        entry = entries[strange[0, 0]]
        raise ValueError(
            f"ann_file {path!r}: {key!r} of annotation {entry.get('id')} must be {wanted}, "
            f"got {entry[key]}"
        )
    return values
