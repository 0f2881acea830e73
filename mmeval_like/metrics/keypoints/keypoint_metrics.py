"""The base classes of keypoint metrics: shares of correct joints, and mean distances."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.keypoints.keypoints import Instances, instances, norm_of
from mmeval_like.writing import (
    BaseMetric,
    MetricOptions,
    Ragged,
    RatioOfSums,
    Results,
    State,
    Unpack,
    state,
)

__all__ = ["KeypointDistance", "NormalisedHits", "hits_per_joint", "mean_of_known", "shares"]


def hits_per_joint(
    counts: np.ndarray, num_thrs: int, num_joints: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return hits (K, thresholds) and how often each joint was visible (K,), from counted codes.

    K is `num_joints`, or the least number of joints that the codes need.
    """
    width = num_thrs + 1
    joints = num_joints if num_joints is not None else -(-len(counts) // width)
    padded = np.zeros(joints * width, np.int64)
    padded[: len(counts)] = counts
    sums = padded.reshape(joints, width).cumsum(axis=1)
    return sums[:, :-1], sums[:, -1]


def shares(hits: np.ndarray, visible: np.ndarray) -> list[float]:
    """Return the fraction of hits of every joint; nan for a joint that was never visible."""
    pairs = zip(hits.tolist(), visible.tolist(), strict=True)
    return [hit / seen if seen else math.nan for hit, seen in pairs]


def mean_of_known(values: Sequence[float]) -> float:
    """Return the mean of the values that are not nan; nan if all are."""
    known = [value for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


@shared_options
class NormalisedHits(BaseMetric):
    """Shares of joints that are closer to the truth than a threshold, in units of a norm.

    Args:
        thr: The threshold; a joint is correct if its distance is strictly smaller.
        norm_item: The unit of distances, "bbox", "head" or "torso", or several: the ground truth's
            `bbox_size`, `head_size` or `torso_size`.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `norm_item` is not one of the allowed values, or is empty; or `thr` is not
            positive.
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
        """Return the thresholds that are counted for a norm item, ascending."""
        return [self.thr]

    def shift(self, item: str) -> float:
        """Return the number that is added to the predicted coordinates."""
        return 0.0

    def states(self) -> dict[str, State]:
        """Return the counted codes for every norm item."""
        return {item: state.count(None, codes=0) for item in self.norm_item}

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, Ragged]:
        """Return a code for every visible joint of every sample.

        Args:
            predictions: A sequence of dicts with `coords`: (M, K, 2), M instances of K joints,
                or (K, 2) for one.
            groundtruths: A sequence of dicts with `coords` of the same shape, `mask` (M, K), which
                is true where a joint is visible, and `bbox_size`, `head_size`, `torso_size` (M,
                2) as the norm items require; an instance of size 0 is left out.

        Raises:
            KeyError: A key is missing.
            TypeError: The inputs are not sequences of dicts, or their entries are not real numbers.
            ValueError: The numbers of samples differ, shapes do not fit, a size is negative, or a
                distance of visible joints is nan or infinite.
        """
        found = instances(predictions, groundtruths, self.num_joints)
        rows = {}
        for item in self.norm_item:
            distances = found.distances(norm_of(found, f"{item}_size"), self.shift(item))
            rows[item] = distances.hits(self.thresholds(item))
        return rows

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Ragged] | None:
        """Return the codes of samples whose visible joints are all right ("best", 1) or all wrong.

        Raises:
            ValueError: There are no ground truths, which say what joints are visible.
        """
        distance = {"worst": math.inf, 0: math.inf, "best": 0.0, 1: 0.0}.get(fill)
        if distance is None:
            return None
        if "groundtruths" not in inputs:
            raise ValueError("samples without a score need groundtruths=: visible joints count")
        truths = inputs["groundtruths"]
        found = instances(truths, truths, self.num_joints)
        rows = {}
        for item in self.norm_item:
            one = found.distances(norm_of(found, f"{item}_size"))
            one = replace(one, values=np.full(len(one.values), distance))
            rows[item] = one.hits(self.thresholds(item))
        return rows

    def table(self, results: Results, item: str, thr: float) -> tuple[np.ndarray, np.ndarray]:
        """Return each joint's hits at a threshold and how often it was visible, both (K,)."""
        thrs = self.thresholds(item)
        hits, visible = hits_per_joint(getattr(results, item), len(thrs), self.num_joints)
        return hits[:, thrs.index(thr)], visible


class KeypointDistance(RatioOfSums):
    """The base class of mean distances between predicted and true keypoints that are visible."""

    @abstractmethod
    def norms(self, found: Instances) -> np.ndarray:
        """Return the unit of each instance and coordinate, (M, 2); 0 leaves the instance out."""

    def parts(self, predictions: Any, groundtruths: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return every sample's sum of distances and number of visible joints.

        Args:
            predictions: A sequence of dicts with `coords`: (M, K, 2), M instances of K joints,
                or (K, 2) for one.
            groundtruths: A sequence of dicts with `coords` of the same shape, `mask` (M, K),
                which is true where a joint is visible, and the norm item (M, 1), if one is used.

        Raises:
            KeyError: A key is missing.
            TypeError: The inputs are not sequences of dicts, or their entries are not real numbers.
            ValueError: The numbers of samples differ, shapes do not fit, there are too few joints,
                a norm is negative, or a distance of visible joints is nan or infinite.
        """
        found = instances(predictions, groundtruths)
        distances = found.distances(self.norms(found))
        return distances.totals(), distances.lengths.astype(np.float64)
