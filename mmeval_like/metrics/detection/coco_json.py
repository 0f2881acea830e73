"""COCO's JSON files: results and ground truths."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import masks
from mmeval_like.metrics.detection.images import NO_ID
from mmeval_like.writing import arrays

__all__ = ["dataset_of", "portable", "results_of", "write", "xyxy2xywh"]


def xyxy2xywh(bbox: Any) -> list[float]:
    """Return a box of corners x1, y1, x2, y2 as a list of x, y, width, height.

    Example:
        >>> xyxy2xywh([10, 20, 30, 50])
        [10.0, 20.0, 20.0, 30.0]
    """
    x1, y1, x2, y2 = (float(value) for value in bbox)
    return [x1, y1, x2 - x1, y2 - y1]


def portable(images: Sequence[Mapping[str, Any]], image_ids: np.ndarray) -> list[dict[str, Any]]:
    """Return copies of predictions with only the keys that result files need."""
    copies = []
    for image, image_id in zip(images, image_ids.tolist(), strict=True):
        copied: dict[str, Any] = {} if image_id == NO_ID else {"img_id": image_id}
        for key in ("bboxes", "scores", "labels", "mask_scores"):
            if key in image:
                copied[key] = arrays.to_host(image[key], key).copy()
        if "masks" in image:
            copied["masks"] = [_json_rle(rle) for rle in image["masks"]]
        copies.append(copied)
    return copies


def results_of(
    images: Iterable[Mapping[str, Any]], category_ids: Sequence[int]
) -> dict[str, list[dict[str, Any]]]:
    """Return the entries of COCO result files.

    Args:
        images: Dicts with img_id (default: the index), bboxes, scores, labels; masks and
            mask_scores if any.
        category_ids: The category of every class.

    Returns:
        A dict of lists of entries: `bbox`, and `segm` if there are masks.
    """
    found: dict[str, list[dict[str, Any]]] = {"bbox": []}
    for place, image in enumerate(images):
        image_id = image.get("img_id")
        labels = [int(label) for label in image["labels"]]
        common: list[dict[str, Any]] = [
            {
                "image_id": place if image_id is None else int(image_id),
                "category_id": category_ids[label],
            }
            for label in labels
        ]
        for entry, box, score in zip(common, image["bboxes"], image["scores"], strict=True):
            found["bbox"].append(entry | {"bbox": xyxy2xywh(box), "score": float(score)})
        if "masks" not in image:
            continue
        rles, scores = image["masks"], image.get("mask_scores", image["scores"])
        for entry, rle, score in zip(common, rles, scores, strict=True):
            entry |= {"score": float(score), "segmentation": _json_rle(rle)}
            found.setdefault("segm", []).append(entry)
    return found


def dataset_of(
    images: Iterable[Mapping[str, Any]], classes: Sequence[str], mask_areas: bool
) -> dict[str, Any]:
    """Return ground truths as the content of a COCO annotation file.

    Args:
        images: Dicts with bboxes and labels; img_id (default: the index), height, width,
            areas, ignore_flags and masks if any.
        classes: The names of the classes; class i becomes category i.
        mask_areas: Whether areas are those of the masks, in images with masks and without areas.
    """
    entries: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for place, image in enumerate(images):
        image_id = image.get("img_id")
        entry = {"id": place if image_id is None else int(image_id)}
        entries.append(
            entry | {side: int(image[side]) for side in ("width", "height") if side in image}
        )
        labels = [int(label) for label in image["labels"]]
        crowd = image.get("ignore_flags", [False] * len(labels))
        rles = image.get("masks", [None] * len(labels))
        areas = image.get("areas", [None] * len(labels))
        boxes = image["bboxes"]
        for box, label, flag, rle, area in zip(boxes, labels, crowd, rles, areas, strict=True):
            box = xyxy2xywh(box)
            annotation = {
                "id": len(annotations) + 1,  # pycocotools takes 0 for "not matched"
                "image_id": entry["id"],
                "category_id": label,
                "bbox": box,
                "area": box[2] * box[3],
                "iscrowd": int(flag),
            }
            if rle is not None:
                own = masks.to_rle(rle, "a mask of groundtruths")
                annotation["segmentation"] = _json_rle(own)
                if mask_areas:
                    annotation["area"] = float(masks.areas([own])[0])
            if area is not None:
                annotation["area"] = float(area)
            annotations.append(annotation)
    categories = [{"id": label, "name": name} for label, name in enumerate(classes)]
    return {"images": entries, "annotations": annotations, "categories": categories}


def write(content: Any, path: str) -> str:
    """Write JSON to a file, whose folder is created if necessary, and return its path."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(content), encoding="utf-8")
    return path


def _json_rle(rle: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of an RLE with its counts as text, which JSON requires."""
    counts = rle["counts"]
    if isinstance(counts, np.ndarray):
        counts = counts.tolist()
    text = counts.decode() if isinstance(counts, bytes) else counts
    return {"size": [int(side) for side in rle["size"]], "counts": text}
