"""Hostile images: boxes of every kind, found and true."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.hunt.trial import Generator

__all__ = ["THRESHOLDS", "Images", "found_boxes", "some_boxes", "some_images", "some_scores"]

Images = list[dict[str, Any]]

# IoUs of small whole boxes hit many of these exactly.
THRESHOLDS = [0.0, 0.1, 0.25, 1 / 3, 0.5, 0.6, 2 / 3, 0.75, 0.9, 1.0]


def some_boxes(rng: Generator, count: int) -> np.ndarray:
    """Return boxes of corners: whole, tiny, far away, without area, inside out, out of images."""
    scale = float(rng.choice([0.1, 1.0, 1.0, 16.0, 1000.0]))
    corners = rng.integers(-3, 8, (count, 2)) * scale
    least = -2 if rng.random() < 0.2 else 0
    boxes = np.concatenate([corners, corners + rng.integers(least, 7, (count, 2)) * scale], 1)
    return boxes + float(rng.choice([0.0, 0.0, 1e6, 0.5]))


def found_boxes(rng: Generator, truth: np.ndarray) -> np.ndarray:
    """Return boxes of which many are those of the truth, moved a little or not at all."""
    count = int(rng.choice([0, 1, 2, 5, 30]))
    boxes = some_boxes(rng, count)
    for box in boxes:
        if len(truth) and rng.random() < 0.7:
            box[:] = truth[rng.integers(len(truth))]
            side = max(1e-3, abs(float(box[2] - box[0])))
            box[rng.integers(4)] += float(rng.choice([0.0, 0.5, 0.25, 1.0])) * side
    return boxes


def some_scores(rng: Generator, count: int) -> np.ndarray:
    """Return scores of some width, many of them equal."""
    scores = np.round(rng.normal(size=count), int(rng.integers(0, 3)))
    return (scores + 0.0).astype(str(rng.choice(["float16", "float32", "float64", "int64"])))


def some_images(rng: Generator, classes: int) -> tuple[Images, Images]:
    """Return predictions and ground truths of some images, each with an identity."""
    count = int(rng.choice([1, 2, 5, 12]))
    ids = rng.choice([-(2**40), -3, -1, 0, 1, 7, 8, 99, 10**6, 2**31, 2**53 + 1, 2**62], count,
                     replace=False).tolist()  # fmt: skip
    used = rng.integers(0, classes, int(rng.integers(1, classes + 1)))  # some classes never occur
    predictions, truths = [], []
    for identity in ids:
        truth = some_boxes(rng, int(rng.choice([0, 0, 1, 3, 12])))
        if len(truth) > 1 and rng.random() < 0.3:
            truth[1] = truth[0]
        boxes = found_boxes(rng, truth)
        scores = some_scores(rng, len(boxes))
        predictions.append({"img_id": identity, "bboxes": boxes, "scores": scores,
                            "labels": rng.choice(used, len(boxes))})  # fmt: skip
        crowd = rng.random(len(truth)) < float(rng.choice([0.0, 0.3, 1.0]))
        truths.append({"img_id": identity, "bboxes": truth, "ignore_flags": crowd,
                       "labels": rng.choice(used, len(truth))})  # fmt: skip
    return predictions, truths
