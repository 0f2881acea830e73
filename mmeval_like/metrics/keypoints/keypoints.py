"""Keypoints of a batch: instances, and the errors of their visible joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.writing import Ragged, arrays

__all__ = ["Distances", "Instances", "instances", "norm_of"]


@dataclass(frozen=True)
class Instances:
    """The instances of all samples of a batch, concatenated.

    Attributes:
        prediction: Coordinates (M, K, 2), float64.
        truth: The true coordinates, of the same shape.
        visible: Whether joints are visible, bool (M, K).
        lengths: The number of instances of each sample, int64 (n,).
        groundtruths: The dicts of the ground truths.
    """

    prediction: np.ndarray
    truth: np.ndarray
    visible: np.ndarray
    lengths: np.ndarray
    groundtruths: Sequence[Mapping[str, Any]]

    def distances(self, norms: np.ndarray, shift: float = 0.0) -> Distances:
        """Return the visible joints and their errors, in units of the norms.

        Args:
            norms: One norm per instance and coordinate, (M, 2); an instance with a 0 is left out.
            shift: The number that is added to the predicted coordinates.

        Raises:
            ValueError: A distance is nan or infinite.
        """
        known = (norms != 0).all(axis=1)
        visible = self.visible & known[:, None]
        safe = np.where(known[:, None], norms, 1.0)[:, None, :]
        with np.errstate(invalid="ignore"):
            offsets = (self.prediction + shift - self.truth) / safe
            x, y = offsets[:, :, 0], offsets[:, :, 1]
        distances = np.sqrt(x * x + y * y)[visible]
        arrays.check_finite("the distances of visible joints", distances)
        instance, joints = np.nonzero(visible)
        sample = np.repeat(np.arange(len(self.lengths)), self.lengths)[instance]
        return Distances(joints, distances, np.bincount(sample, minlength=len(self.lengths)))


@dataclass(frozen=True)
class Distances:
    """The errors of visible joints, sample by sample.

    Attributes:
        joints: The index of each joint, (J,).
        values: The distances, float64 (J,).
        lengths: The number of visible joints of each sample, (n,).
    """

    joints: np.ndarray
    values: np.ndarray
    lengths: np.ndarray

    def totals(self) -> np.ndarray:
        """Return every sample's sum; its bits do not depend on the rest of the batch."""
        count = len(self.lengths)
        sample = np.repeat(np.arange(count), self.lengths)
        return np.bincount(sample, self.values, count)  # bincount adds in the order of the joints

    def hits(self, thrs: Sequence[float]) -> Ragged:
        """Return a code per joint, from its index and the first threshold that it meets.

        Thresholds ascend. A joint meets a threshold if its distance is strictly smaller; a joint
        that meets none gets the code after the last threshold.
        """
        first = np.searchsorted(np.asarray(thrs), self.values, side="right")
        return Ragged(self.joints * (len(thrs) + 1) + first, self.lengths)


def instances(predictions: Any, groundtruths: Any, num_joints: int | None = None) -> Instances:
    """Return all samples' instances, checked.

    Args:
        predictions: Dicts with `coords`: (M, K, 2), or (K, 2) for one instance.
        groundtruths: Dicts with `coords` of the same shape and `mask` (M, K), whether a joint is
            visible.
        num_joints: The number K of joints; None: any number, the same for all samples.

    Raises:
        KeyError: A key is missing.
        TypeError: The inputs are not sequences of dicts, or their entries are not real numbers.
        ValueError: The numbers of samples differ, or shapes do not fit.
    """
    for name, value in (("predictions", predictions), ("groundtruths", groundtruths)):
        known = isinstance(value, Sequence) and all(
            issubclass(kind, Mapping) for kind in set(map(type, value))
        )
        if not known:
            raise TypeError(f"{name} must be a sequence of dicts, got {type(value).__name__}")
    arrays.check_same_length("predictions", predictions, "groundtruths", groundtruths)
    found = _entries(predictions, "coords", 3, "predictions")
    truths = _entries(groundtruths, "coords", 3)
    masks = _entries(groundtruths, "mask", 2)
    shapes = zip(*([entry.shape for entry in some] for some in (found, truths, masks)), strict=True)
    for prediction, truth, mask in dict.fromkeys(shapes):  # check each combination of shapes once
        for name, coords in (("predictions", prediction), ("groundtruths", truth)):
            if len(coords) != 3 or coords[2] != 2:
                raise ValueError(f"{name} must have coords of shape (M, K, 2), got {coords}")
        if prediction != truth:
            raise ValueError(
                f"predictions and groundtruths must have coords of the same shape, "
                f"got {prediction} and {truth}"
            )
        if num_joints is not None and truth[1] != num_joints:
            raise ValueError(f"coords must have {num_joints} joints, got {truth[1]}")
        num_joints = truth[1]
        if mask != truth[:2]:
            raise ValueError(f"mask must have shape {truth[:2]}, got {mask}")
    none = np.zeros((0, num_joints or 0, 2))
    return Instances(
        _joined(found, "predictions' coords", none),
        _joined(truths, "groundtruths' coords", none),
        _joined(masks, "mask", none[:, :, 0]) != 0,
        np.array([len(truth) for truth in truths], np.int64),
        groundtruths,
    )


def _entries(
    samples: Sequence[Mapping[str, Any]], key: str, ndim: int, name: str = "groundtruths"
) -> list[np.ndarray]:
    """Return an entry of every dict as an array with an axis of instances."""
    try:
        values = [sample[key] for sample in samples]
    except KeyError:
        odd = next(sample for sample in samples if key not in sample)
        raise KeyError(f"{name} must have the key {key!r}, got {sorted(odd)}") from None
    if set(map(type, values)) - {np.ndarray}:
        values = [arrays.to_host(value, f"{name}' {key}") for value in values]
    return [value[None] if value.ndim == ndim - 1 else value for value in values]


def _joined(values: Sequence[np.ndarray], name: str, none: np.ndarray) -> np.ndarray:
    """Return the arrays concatenated, as float64; `none` if there are none."""
    if len({value.dtype for value in values}) > 1:  # np.concatenate would round integers
        values = [arrays.as_floats(value, name) for value in values]
    return arrays.as_floats(np.concatenate(values), name) if values else none


def norm_of(found: Instances, key: str) -> np.ndarray:
    """Return an entry of the ground truths as one norm per instance and coordinate, (M, 2).

    Raises:
        KeyError: A ground truth lacks the entry.
        ValueError: The shape is not (M, 2), and does not broadcast to it like (M, 1), a number, or
            for one instance (2,) or (1,); or a value is negative, nan or infinite.
    """
    entries = _entries(found.groundtruths, key, 0)
    counts = found.lengths.tolist()
    if [norms.shape for norms in entries] == [(count, 1) for count in counts]:  # the usual case
        joined = np.repeat(_joined(entries, key, np.zeros((0, 1))), 2, axis=1)
    else:
        wide = [
            norms if norms.shape == (count, 2) else _widened(norms, count, key)
            for norms, count in zip(entries, counts, strict=True)
        ]
        joined = _joined(wide, key, np.zeros((0, 2)))
    arrays.check_finite(key, joined)
    if joined.size and joined.min() < 0:
        raise ValueError(f"{key} must not be negative, got {joined.min()}")
    return joined


def _widened(norms: np.ndarray, count: int, key: str) -> np.ndarray:
    if norms.ndim == 1 and count > 1:  # ambiguous: one norm per instance, or one per axis?
        raise ValueError(
            f"{key} must have shape ({count}, 1), one norm per instance, or ({count}, 2), one "
            f"per axis, got {norms.shape}"
        )
    try:
        return np.broadcast_to(norms, (count, 2))
    except ValueError:
        raise ValueError(f"{key} must have shape ({count}, 2), got {norms.shape}") from None
