"""Random images with detections: small grids, so that scores and overlaps tie often."""

from typing import Any

import numpy as np


def boxes(rng: np.random.Generator, count: int, large: bool = True) -> np.ndarray:
    """Corner boxes on a coarse grid, of every COCO size; some without area."""
    corner = rng.integers(0, 4, (count, 2)) * 20.0
    unit = rng.choice([10.0, 40.0, 50.0] if large else [10.0], (count, 1))
    side = unit * rng.integers(0, 4, (count, 2))
    return np.concatenate([corner, corner + side], axis=1)


def scores(rng: np.random.Generator, count: int) -> np.ndarray:
    """Scores of few different values; narrow or wide."""
    return (rng.integers(0, 6, count) / 5).astype(rng.choice([np.float32, np.float64]))


def near(rng: np.random.Generator, truths: np.ndarray, count: int) -> np.ndarray:
    """Boxes of which many are close to one of some others."""
    found = boxes(rng, count)
    for box in found:
        if len(truths) and rng.random() < 0.7:
            box[:] = truths[rng.integers(len(truths))] + rng.integers(-4, 5, 4) * (
                rng.random() < 0.6
            )
    return found


def image(rng: np.random.Generator, classes: int, most: int = 9) -> tuple[dict[str, Any], ...]:
    """One image's prediction and ground truth, with crowds."""
    m, n = rng.integers(0, most, 2) * rng.integers(0, 2, 2)
    truth = boxes(rng, m)
    return (
        {
            "bboxes": near(rng, truth, n),
            "scores": scores(rng, n),
            "labels": rng.integers(0, classes, n),
        },
        {
            "bboxes": truth,
            "labels": rng.integers(0, classes, m),
            "ignore_flags": rng.random(m) < rng.choice([0, 0.2, 1], p=[0.4, 0.5, 0.1]),
        },
    )
