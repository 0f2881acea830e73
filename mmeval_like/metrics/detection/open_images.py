"""Open Images' labels: their hierarchy, and the labels that were verified in an image."""

from __future__ import annotations

import csv
import json
import reprlib
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import image_dicts
from mmeval_like.metrics.detection.pascal_task import Boxes
from mmeval_like.writing import arrays

__all__ = ["as_relation_matrix", "get_relation_matrix", "instances_of", "relabelled", "verified"]


def get_relation_matrix(
    hierarchy_file: str | PathLike[str], label_file: str | PathLike[str]
) -> np.ndarray:
    """Return the matrix of classes and their ancestors, from Open Images' files.

    Args:
        hierarchy_file: The class hierarchy, JSON: nodes with `LabelName` and `Subcategory`, a
            list of nodes (bbox_labels_600_hierarchy.json).
        label_file: CSV whose first column names the classes' labels, in the order of the
            classes (class-descriptions-boxable.csv); a header line is skipped.

    Returns:
        int64 (C, C): 1 where the column's class is the row's class or its ancestor.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file has no labels, or a label twice; the two files have no label in common;
            or the hierarchy is not JSON, or not a tree of nodes.
    """
    with open(label_file, encoding="utf-8-sig", newline="") as file:
        labels = [row[0].strip() for row in csv.reader(file) if row]
    labels = [label for label in labels if label != "LabelName"]
    index = {label: i for i, label in enumerate(labels)}
    if not labels or len(index) < len(labels):
        raise ValueError(f"label_file {str(label_file)!r} must name at least one label, each once")
    with open(hierarchy_file, encoding="utf-8-sig") as file:
        try:
            root = json.load(file)
        except ValueError as error:
            raise ValueError(f"hierarchy_file {str(hierarchy_file)!r}: {error}") from error
    matrix = np.eye(len(labels), dtype=np.int64)
    waiting: list[tuple[Any, tuple[int, ...]]] = [(root, ())]
    met = set()
    while waiting:
        node, above = waiting.pop()
        if not isinstance(node, Mapping) or not isinstance(node.get("Subcategory", []), list):
            raise ValueError(
                f"hierarchy_file {str(hierarchy_file)!r} must be nodes with LabelName and a list "
                f"Subcategory, got {reprlib.repr(node)}"
            )
        own = index.get(node.get("LabelName", ""))  # the root is not a class
        met.add(own)
        if own is not None:
            matrix[own, list(above)] = 1
            above = (*above, own)
        waiting += [(child, above) for child in node.get("Subcategory", ())]
    if met == {None}:
        raise ValueError(
            f"hierarchy_file {str(hierarchy_file)!r} has none of the labels of {str(label_file)!r}"
        )
    return matrix


def as_relation_matrix(matrix: Any, num_classes: int) -> np.ndarray:
    """Return a relation matrix as bool (C, C).

    Raises:
        ValueError: The shape does not fit, a value is neither 0 nor 1, or an entry of the diagonal
            is not 1.
    """
    relation = arrays.to_host(matrix, "class_relation_matrix")
    if relation.shape != (num_classes, num_classes):
        raise ValueError(
            f"class_relation_matrix must have shape {(num_classes, num_classes)}, "
            f"got {relation.shape}"
        )
    if not np.isin(relation, (0, 1)).all() or not relation.diagonal().all():
        raise ValueError("class_relation_matrix must contain only 0 and 1, with 1 on its diagonal")
    return relation.astype(np.bool_)


def instances_of(images: image_dicts.Images, num_classes: int) -> Boxes:
    """Return the ground truths of dicts with `instances`; boxes around groups are flagged.

    Raises:
        KeyError, TypeError, ValueError: The input is invalid; the message names the image and the
            key.
    """
    name = "groundtruths"
    columns = []
    for index, image in enumerate(images):
        if "instances" not in image:
            raise KeyError(f"{name}[{index}] needs the key 'instances', it has {[*image]}")
        where = f"{name}[{index}]['instances']"
        instances = image_dicts.check_images(where, image["instances"])
        keys: dict[str, list[Any]] = {"bbox": [], "bbox_label": [], "is_group_of": []}
        for i, instance in enumerate(instances):
            for key, column in keys.items():
                if key not in instance and key != "is_group_of":
                    raise KeyError(f"{where}[{i}] needs the key {key!r}, it has {[*instance]}")
                column.append(instance.get(key, False))
        columns.append(keys)
    boxes = image_dicts.boxes_of(name, columns, "bbox")
    labels = image_dicts.labels_of(name, columns, num_classes, "bbox_label")
    flags = image_dicts.flags_of(name, columns, "is_group_of", optional="bbox_label")
    return Boxes(boxes.lengths, boxes.values, labels.values, flags=flags.values)


def verified(images: image_dicts.Images, truths: Boxes, num_classes: int) -> np.ndarray:
    """Return the labels that were verified in each image, bool (images, C).

    These are the labels of its ground truths and those under `image_level_labels`.
    """
    found = np.zeros((len(images), num_classes), np.bool_)
    found[truths.images, truths.labels] = True
    extra = image_dicts.labels_of("groundtruths", images, num_classes, "image_level_labels", "")
    found[np.repeat(np.arange(len(images)), extra.lengths), extra.values] = True
    return found


def relabelled(boxes: Boxes, wanted: np.ndarray) -> Boxes:
    """Return a copy of every box for each of its wanted classes.

    Args:
        boxes: n boxes.
        wanted: The classes wanted for each box, bool (n, C).
    """
    rows, labels = np.nonzero(wanted)
    copies = boxes.take(rows)
    return Boxes(copies.lengths, copies.boxes, labels, copies.scores, copies.flags)
