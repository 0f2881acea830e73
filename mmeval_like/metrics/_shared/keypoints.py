"""What the keypoint metrics share: instances, normalised distances, hits per joint."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mmeval_like import arrays, state
from mmeval_like._accumulate.results import Results
from mmeval_like._accumulate.rows import Ragged
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._shared.options import SharedOptions
from mmeval_like.metrics.means import RatioOfSums
from mmeval_like.options import MetricOptions, Unpack
from mmeval_like.state import State

__all__ = [
    "Instances",
    "KeypointDistance",
    "NormalisedHits",
    "hit_codes",
    "hits_per_joint",
    "instances",
    "mean_of_known",
    "norm_of",
    "ragged_codes",
]


@dataclass(frozen=True)
class Instances:
    """The instances of one sample.

    Attributes:
        prediction: Coordinates (M, K, 2), float64.
        truth: The same.
        visible: (M, K), bool.
        groundtruth: The dict that they come from.
    """

    prediction: np.ndarray
    truth: np.ndarray
    visible: np.ndarray
    groundtruth: Mapping[str, Any]

    def distances(self, norms: np.ndarray, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return the visible joints and how far they are off, in units of the norms.

        Args:
            norms: One per instance and coordinate, (M, 2); an instance with a 0 is left out.
            shift: Is added to the predicted coordinates.

        Raises:
            ValueError: A distance that is nan or infinite.
        """
        known = (norms != 0).all(axis=1)
        visible = self.visible & known[:, None]
        safe = np.where(known[:, None], norms, 1.0)[:, None, :]
        with np.errstate(invalid="ignore"):
            x, y = np.moveaxis((self.prediction + shift - self.truth) / safe, 2, 0)
        distances = np.sqrt(x * x + y * y)[visible]
        arrays.check_finite("the distances of visible joints", distances)
        return np.nonzero(visible)[1], distances


def instances(
    predictions: Any, groundtruths: Any, num_joints: int | None = None
) -> Iterator[Instances]:
    """Yield every sample's instances, checked.

    Args:
        predictions: Dicts with `coords`: (M, K, 2), or (K, 2) for one instance.
        groundtruths: Dicts with `coords` of the same shape and `mask` (M, K): is a joint visible.
        num_joints: K; None: any number, the same for all.

    Raises:
        KeyError: A key is missing.
        TypeError: No sequences of dicts, not real numbers.
        ValueError: Different numbers of samples, shapes that do not fit.
    """
    for name, value in (("predictions", predictions), ("groundtruths", groundtruths)):
        if not isinstance(value, Sequence) or not all(isinstance(s, Mapping) for s in value):
            raise TypeError(f"{name} must be a sequence of dicts, got {type(value).__name__}")
    arrays.check_same_length("predictions", predictions, "groundtruths", groundtruths)
    for predicted, groundtruth in zip(predictions, groundtruths, strict=True):
        prediction = _coords(predicted, "predictions")
        truth = _coords(groundtruth, "groundtruths")
        if prediction.shape != truth.shape:
            raise ValueError(
                f"predictions and groundtruths must have coords of the same shape, "
                f"got {prediction.shape} and {truth.shape}"
            )
        if num_joints is not None and truth.shape[1] != num_joints:
            raise ValueError(f"coords must have {num_joints} joints, got {truth.shape[1]}")
        num_joints = truth.shape[1]
        visible = arrays.as_numbers(_entry(groundtruth, "mask"), "mask") != 0
        visible = visible[None] if visible.ndim == 1 else visible
        if visible.shape != truth.shape[:2]:
            raise ValueError(f"mask must have shape {truth.shape[:2]}, got {visible.shape}")
        yield Instances(prediction, truth, visible, groundtruth)


def _coords(sample: Mapping[str, Any], name: str) -> np.ndarray:
    coords = arrays.as_floats(_entry(sample, "coords", name), f"{name}' coords")
    coords = coords[None] if coords.ndim == 2 else coords
    if coords.ndim != 3 or coords.shape[2] != 2:
        raise ValueError(f"{name} must have coords of shape (M, K, 2), got {coords.shape}")
    return coords


def _entry(sample: Mapping[str, Any], key: str, name: str = "groundtruths") -> Any:
    if key not in sample:
        raise KeyError(f"{name} must have the key {key!r}, got {sorted(sample)}")
    return sample[key]


def norm_of(sample: Instances, key: str) -> np.ndarray:
    """Return an entry of the ground truth as one norm per instance and coordinate, (M, 2).

    Raises:
        KeyError: There is no such entry.
        ValueError: Another shape than (M, 2) or what stands for it: (M, 1), a number, or for one
            instance (2,) or (1,); negative, nan, infinite.
    """
    norms = arrays.as_floats(_entry(sample.groundtruth, key), key)
    arrays.check_finite(key, norms)
    if norms.size and norms.min() < 0:
        raise ValueError(f"{key} must not be negative, got {norms.min()}")
    count = len(sample.truth)
    if norms.ndim == 1 and count > 1:  # of two instances: two norms, or the norms of two axes?
        raise ValueError(
            f"{key} must have shape ({count}, 1), one norm per instance, or ({count}, 2), one per "
            f"axis, got {norms.shape}"
        )
    try:
        return np.broadcast_to(norms, (count, 2))
    except ValueError:
        raise ValueError(f"{key} must have shape ({count}, 2), got {norms.shape}") from None


def hit_codes(joints: np.ndarray, distances: np.ndarray, thrs: Sequence[float]) -> np.ndarray:
    """Return one code per visible joint: which joint, and which ascending threshold it meets.

    A joint meets a threshold when its distance is strictly smaller; it is counted at the first
    that it meets, or behind the last.
    """
    first = np.searchsorted(np.asarray(thrs), distances, side="right")
    return np.asarray(joints * (len(thrs) + 1) + first)


def ragged_codes(codes: Sequence[np.ndarray]) -> Ragged:
    """Return several codes per sample as rows of a `count` state."""
    lengths = np.array([len(array) for array in codes], np.int64)
    return Ragged(np.concatenate([np.zeros(0, np.int64), *codes]), lengths)


def hits_per_joint(
    counts: np.ndarray, num_thrs: int, num_joints: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return hits (K, thresholds) and how often each joint was visible (K,), from counted codes.

    K is `num_joints`, or what the codes need.
    """
    width = num_thrs + 1
    joints = num_joints if num_joints is not None else -(-len(counts) // width)
    padded = np.zeros(joints * width, np.int64)
    padded[: len(counts)] = counts
    sums = padded.reshape(joints, width).cumsum(axis=1)
    return sums[:, :-1], sums[:, -1]


def shares(hits: np.ndarray, visible: np.ndarray) -> list[float]:
    """Return hits over visibility for every joint, nan where it was never visible."""
    pairs = zip(hits.tolist(), visible.tolist(), strict=True)
    return [hit / seen if seen else math.nan for hit, seen in pairs]


def mean_of_known(values: Sequence[float]) -> float:
    """Return the mean of the values that are not nan; nan when there are none."""
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


class NormalisedHits(SharedOptions, BaseMetric):
    """Shares of joints that are closer to the truth than a threshold, in units of a norm.

    Args:
        thr: A joint is correct when its distance is strictly smaller.
        norm_item: "bbox", "head" or "torso", or several: the units are the ground truth's
            `bbox_size`, `head_size`, `torso_size`.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: Another or no norm item, a threshold that is not positive.
    """

    every_rank_computes = True

    num_joints: int | None = None
    names: ClassVar = {"bbox": "PCK", "head": "PCKh", "torso": "tPCK"}

    def __init__(
        self, thr: float, norm_item: str | Sequence[str], **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        items = (norm_item,) if isinstance(norm_item, str) else tuple(norm_item)
        if not items or any(item not in self.names for item in items):
            raise ValueError(f"norm_item must be out of {[*self.names]}, got {norm_item!r}")
        if not thr > 0:
            raise ValueError(f"thr must be positive, got {thr}")
        self.thr = thr
        self.norm_item = items

    def thresholds(self, item: str) -> list[float]:
        """Return what is counted for a norm item, ascending."""
        return [self.thr]

    def shift(self, item: str) -> float:
        """Return what is added to the predicted coordinates."""
        return 0.0

    def states(self) -> dict[str, State]:
        """Return the counted codes for every norm item."""
        return {item: state.count(None) for item in self.norm_item}

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, Ragged]:
        """Return a code for every visible joint of every sample.

        Args:
            predictions: A sequence of dicts with `coords`: (M, K, 2), M instances of K joints,
                or (K, 2) for one.
            groundtruths: A sequence of dicts with `coords` of the same shape, `mask` (M, K), which
                is true where a joint is visible, and `bbox_size`, `head_size`, `torso_size` (M,
                2) as the norm items ask; an instance of size 0 is left out.

        Raises:
            KeyError: A key is missing.
            TypeError: No sequences of dicts, not real numbers.
            ValueError: Different numbers of samples, shapes that do not fit, negative sizes, nan
                or infinite distances of visible joints.
        """
        codes: dict[str, list[np.ndarray]] = {item: [] for item in self.norm_item}
        for sample in instances(predictions, groundtruths, self.num_joints):
            for item, found in codes.items():
                norms = norm_of(sample, f"{item}_size")
                joints, distances = sample.distances(norms, self.shift(item))
                found.append(hit_codes(joints, distances, self.thresholds(item)))
        return {item: ragged_codes(found) for item, found in codes.items()}

    def table(self, results: Results, item: str, thr: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the hits at a threshold, and how often each joint was visible, both (K,)."""
        thrs = self.thresholds(item)
        hits, visible = hits_per_joint(getattr(results, item), len(thrs), self.num_joints)
        return hits[:, thrs.index(thr)], visible


class KeypointDistance(RatioOfSums):
    """The base of mean distances of predicted and true keypoints, over all visible joints."""

    @abstractmethod
    def norms(self, sample: Instances) -> np.ndarray:
        """Return the unit of each instance and coordinate, (M, 2); 0 leaves the instance out."""

    def parts(self, predictions: Any, groundtruths: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return every sample's summed distance and its number of visible joints.

        Args:
            predictions: A sequence of dicts with `coords`: (M, K, 2), M instances of K joints,
                or (K, 2) for one.
            groundtruths: A sequence of dicts with `coords` of the same shape, `mask` (M, K),
                which is true where a joint is visible, and the norm item (M, 1), if one is used.

        Raises:
            KeyError: A key is missing.
            TypeError: No sequences of dicts, not real numbers.
            ValueError: Different numbers of samples, shapes that do not fit, too few joints,
                negative norms, nan or infinite distances of visible joints.
        """
        totals, counts = [], []
        for sample in instances(predictions, groundtruths):
            _, distances = sample.distances(self.norms(sample))
            totals.append(arrays.sum_rows(distances[None]).item())
            counts.append(len(distances))
        return np.array(totals, np.float64), np.array(counts, np.float64)
