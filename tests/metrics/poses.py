"""Keypoints for the tests of the keypoint metrics, and their distances in a loop."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

Poses = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def poses(num_joints: int, instances: int = 1) -> Callable[[np.random.Generator, int], Poses]:
    """Return a maker of predictions and ground truths of n images."""

    def make(rng: np.random.Generator, n: int) -> Poses:
        predictions, truths = [], []
        for _ in range(n):
            many = int(rng.integers(1, instances + 1))
            coords = rng.integers(0, 100, (many, num_joints, 2)).astype(np.float32)
            noise = rng.normal(size=coords.shape) * rng.choice([1, 10, 30])
            predictions.append({"coords": coords + noise.astype(np.float32)})
            sizes = {f"{item}_size": rng.integers(5, 90, (many, 2)) for item in SIZES}
            mask = rng.random((many, num_joints)) < 0.8
            mask[:, 0] = True
            truths.append(
                {"coords": coords, "mask": mask, "box": sizes["head_size"][:, :1], **sizes}
            )
        if n > 1:
            truths[0]["head_size"] = np.zeros_like(truths[0]["head_size"])  # left out
        return predictions, truths

    return make


SIZES = ("bbox", "head", "torso")


def distances(
    predictions: Any, truths: Any, norm: Callable[[Any, int], Any], shift: float = 0.0
) -> Iterator[tuple[int, float]]:
    """Yield joint and distance of every visible joint, in units of norm(truth, instance)."""
    for prediction, truth in zip(predictions, truths, strict=True):
        for instance, visible in enumerate(truth["mask"]):
            width, height = norm(truth, instance)
            if width == 0 or height == 0:
                continue
            for joint in np.flatnonzero(visible):
                x, y = prediction["coords"][instance, joint].astype(float) + shift
                u, v = truth["coords"][instance, joint].astype(float)
                yield int(joint), math.hypot((x - u) / width, (y - v) / height)


def joint_shares(found: Any, thr: float, num_joints: int) -> list[float]:
    """The share of distances below the threshold for every joint, nan if it was never visible."""
    of = [[d for joint, d in found if joint == index] for index in range(num_joints)]
    return [sum(d < thr for d in ds) / len(ds) if ds else math.nan for ds in of]


def check_refusals(metric: Any, num_joints: int = 16) -> None:
    """Check that what are no keypoints is refused by name."""
    (prediction,), (truth,) = poses(num_joints)(np.random.default_rng(0), 1)
    bad = prediction | {"coords": prediction["coords"] * np.nan}
    for arguments, error, text in [
        (([prediction], []), ValueError, "same length"),
        (([{"coords": prediction["coords"][:, 1:]}], [truth]), ValueError, "same shape"),
        (([{"coords": prediction["coords"][..., :1]}], [truth]), ValueError, "\\(M, K, 2\\)"),
        (([prediction], [truth | {"mask": [[1, 1]]}]), ValueError, "mask"),
        (([bad], [truth]), ValueError, "distances of visible joints must not contain nan"),
        (([{}], [truth]), KeyError, "predictions must have the key 'coords'"),
        (([prediction], [{"coords": truth["coords"]}]), KeyError, "'mask'"),
        ((prediction, truth), TypeError, "sequence of dicts"),
        (([1], [truth]), TypeError, "sequence of dicts"),
    ]:
        with pytest.raises(error, match=text):
            metric.add(*arguments)


def check_nothing_visible(metric: Any, num_joints: int = 16) -> None:
    """Check that without visible joints the values are nan, and that nan may stand there."""
    (prediction,), (truth,) = poses(num_joints)(np.random.default_rng(0), 1)
    hidden = truth | {"mask": np.zeros((1, num_joints)), "coords": truth["coords"] * np.nan}
    values = metric([prediction], [hidden]).values()

    assert values
    assert all(math.isnan(value) for value in values)
