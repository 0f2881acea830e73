"""KeypointNME: the error of keypoints, in units of a norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.keypoints.keypoint_metrics import KeypointDistance
from mmeval_like.metrics.keypoints.keypoints import Instances, norm_of
from mmeval_like.writing import NOT_NEGATIVE, MetricOptions, Unpack

__all__ = ["KeypointNME"]

_MODES = ("use_norm_item", "keypoint_distance")

# The joints whose distance is the norm: the outer corners of the eyes, or similar joints.
_DEFAULT_INDICES = {
    "horse10": (0, 1),
    "300w": (36, 45),
    "coco_wholebody_face": (36, 45),
    "cofw": (8, 9),
    "wflw": (60, 72),
}


class KeypointNME(KeypointDistance):
    """Normalised mean error (NME): the error of keypoints, in units of a norm.

    v_(i j) is 1 if joint j of instance i is visible, else 0; the mean is taken over all visible
    joints. An instance whose norm is 0 is left out.

    Formula:
        NME = (sum_(i, j) v_(i j) |p_(i j) - y_(i j)| / norm_i) / (sum_(i, j) v_(i j))

    Args:
        norm_mode: How the norm of an instance is found. "use_norm_item": an entry of the ground
            truth. "keypoint_distance": the distance between two true joints, visible or not.
        norm_item: The key of this entry, for "use_norm_item".
        keypoint_indices: The two joints, for "keypoint_distance". None: the joints for
            `dataset_meta["dataset_name"]`, one of horse10, 300w, coco_wholebody_face, cofw, wflw.
        **options: As for `BaseMetric`.

    Returns of `compute`: `NME`. Without visible joints, the value is nan. Lower is better.

    Raises:
        ValueError: The mode is unknown, `norm_item` is missing, or `keypoint_indices` are not two
            different joints, or not in `dataset_meta["keypoint_id2name"]`, where this is given.

    Example:
        >>> metric = KeypointNME("keypoint_distance", keypoint_indices=(0, 1))
        >>> prediction = {"coords": [[[1.0, 0.0], [10.0, 0.0]]]}
        >>> metric.add([prediction], [{"coords": [[[0, 0], [10, 0]]], "mask": [[1, 1]]}])
        >>> metric.compute()
        {'NME': 0.05}
    """

    key = "NME"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def __init__(
        self,
        norm_mode: str,
        norm_item: str | None = None,
        keypoint_indices: Sequence[int] | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if norm_mode not in _MODES:
            raise ValueError(f"norm_mode must be one of {_MODES}, got {norm_mode!r}")
        if norm_mode == "use_norm_item" and not norm_item:
            raise ValueError("norm_mode 'use_norm_item' needs norm_item=, a key of groundtruths")
        self.norm_mode = norm_mode
        self.norm_item = norm_item
        self.keypoint_indices = None
        if norm_mode == "keypoint_distance":
            self.keypoint_indices = _choose_indices(keypoint_indices, self.dataset_meta or {})

    def norms(self, found: Instances) -> np.ndarray:
        """Return the norm of each instance."""
        if self.keypoint_indices is None:
            return norm_of(found, str(self.norm_item))
        first, second = self.keypoint_indices
        if max(first, second) >= found.truth.shape[1]:
            raise ValueError(
                f"keypoint_indices {self.keypoint_indices} need more than the "
                f"{found.truth.shape[1]} joints given"
            )
        x, y = (found.truth[:, first] - found.truth[:, second]).T
        return np.repeat(np.sqrt(x * x + y * y)[:, None], 2, axis=1)


def _choose_indices(given: Sequence[int] | None, meta: dict[str, Any]) -> tuple[int, int]:
    if given is None:
        dataset = meta.get("dataset_name")
        if dataset not in _DEFAULT_INDICES:
            raise ValueError(
                f"keypoint_indices must be given, or dataset_meta['dataset_name'] be one of "
                f"{[*_DEFAULT_INDICES]}, got {dataset!r}"
            )
        return _DEFAULT_INDICES[dataset]
    indices = tuple(int(index) for index in given)
    known = meta.get("keypoint_id2name")
    if len(indices) != 2 or indices[0] == indices[1] or min(indices) < 0:
        raise ValueError(f"keypoint_indices must be two different joints, got {given!r}")
    if known is not None and not set(indices) <= {int(key) for key in known}:
        raise ValueError(f"keypoint_indices must be among {sorted(known)}, got {given!r}")
    return indices[0], indices[1]
