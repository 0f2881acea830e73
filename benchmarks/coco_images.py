"""Detections and ground truths as many and as large as those of COCO val2017, from a fixed seed."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["CLASSES", "Images", "coco_dicts", "make_images"]

CLASSES = [f"class {i}" for i in range(80)]
Images = list[dict[str, Any]]


def make_images(count: int, seed: int = 0) -> tuple[Images, Images]:
    """Detections and ground truths of so many images of 640 x 480 pixels."""
    rng = np.random.default_rng(seed)
    boxes = rng.multinomial(round(count * 36781 / 5000), rng.dirichlet(np.full(count, 1.2)))
    popularity = rng.dirichlet(np.full(len(CLASSES), 0.35))
    predictions, truths = [], []
    for index, m in enumerate(boxes.tolist()):
        present = rng.choice(len(CLASSES), size=max(1, min(4, 1 + m // 5)), p=popularity)
        truth = make_boxes(rng, m)
        labels = rng.choice(present, size=m)
        # Some detections around every object, the rest anywhere.
        around = np.repeat(np.arange(m), np.minimum(rng.poisson(1.6, m), 4))
        sides = np.tile(truth[around, 2:] - truth[around, :2], 2)
        noise = rng.normal(0, 0.08, (len(around), 4))
        rest = max(0, int(min(100, rng.gamma(2.2, 46 / 2.2))) - len(around))
        found = np.concatenate([truth[around] + noise * sides, make_boxes(rng, rest)])
        own = np.where(
            rng.random(len(around)) < 0.9, labels[around], rng.integers(0, 80, len(around))
        )
        other = np.where(
            rng.random(rest) < 0.6, rng.choice(present, rest), rng.integers(0, 80, rest)
        )
        scores = np.concatenate(
            [rng.beta(3, 2, len(around)) - np.abs(noise).mean(axis=1), rng.beta(1, 6, rest)]
        )
        best = np.argsort(-scores)[:100]
        predictions.append(
            {
                "img_id": 7 * index + 3,
                "bboxes": found[best].astype(np.float32),
                "scores": scores[best].clip(0.001, 0.999).astype(np.float32),
                "labels": np.concatenate([own, other])[best],
            }
        )
        truths.append(
            {
                "img_id": 7 * index + 3,
                "bboxes": truth,
                "labels": labels,
                "ignore_flags": rng.random(m) < 0.012,
            }
        )
    return predictions, truths


def make_boxes(rng: np.random.Generator, count: int) -> np.ndarray:
    """Boxes x1, y1, x2, y2 of COCO's sizes."""
    size, shape = np.exp(rng.normal(4, 1, count)), np.exp(rng.normal(0, 0.4, count))
    sides = np.stack([size * shape, size / shape], axis=1).clip(3, (640, 480))
    corner = rng.random((count, 2)) * ((640, 480) - sides)
    return np.concatenate([corner, corner + sides], axis=1)


def coco_dicts(predictions: Images, truths: Images) -> tuple[dict[str, Any], list[Any]]:
    """The same in the form that pycocotools needs."""
    annotations: list[dict[str, Any]] = []
    for image in truths:
        columns = (image[key].tolist() for key in ("bboxes", "labels", "ignore_flags"))
        for (x1, y1, x2, y2), label, crowd in zip(*columns, strict=True):
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image["img_id"],
                    "category_id": label,
                    "bbox": [x1, y1, x2 - x1, y2 - y1],
                    "area": (x2 - x1) * (y2 - y1),
                    "iscrowd": int(crowd),
                }
            )
    found = []
    for image in predictions:
        columns = (image[key].tolist() for key in ("bboxes", "labels", "scores"))
        for (x1, y1, x2, y2), label, score in zip(*columns, strict=True):
            found.append(
                {
                    "image_id": image["img_id"],
                    "category_id": label,
                    "bbox": [x1, y1, x2 - x1, y2 - y1],
                    "score": score,
                }
            )
    images = [{"id": image["img_id"], "width": 640, "height": 480} for image in truths]
    categories = [{"id": i, "name": name} for i, name in enumerate(CLASSES)]
    return {"images": images, "annotations": annotations, "categories": categories}, found
