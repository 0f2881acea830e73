"""PCKAccuracy and its variants for MPII and JHMDB: the share of correct keypoints."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import numpy as np

from mmeval_like.metrics.keypoints.keypoint_metrics import NormalisedHits, mean_of_known, shares
from mmeval_like.writing import PERCENT, SHARE, MetricOptions, Ranges, Results, Unpack, ratio

__all__ = ["JhmdbPCKAccuracy", "MpiiPCKAccuracy", "PCKAccuracy"]


class PCKAccuracy(NormalisedHits):
    """The percentage of correct keypoints (PCK): the fraction of joints close to the truth.

    Before the distance d_(i j) of joint j of instance i is taken, x is divided by the width and y
    by the height of the body's size. A joint's share is taken over the instances in which the joint
    is visible, that is v_(i j) is 1; the value is the mean over joints that were visible at least
    once.

    Formula:
        PCK = mean_j (sum_i v_(i j) [d_(i j) < thr]) / (sum_i v_(i j))
        d_(i j) = |(p_(i j) - y_(i j)) / size_i|

    Args:
        **options: As for `NormalisedHits`.

    Returns of `compute`: `PCK@{thr}` for the norm item "bbox", `PCKh@{thr}` for "head" and
    `tPCK@{thr}` for "torso", in [0, 1]. Without visible joints the values are nan. Higher is
    better.

    Raises:
        ValueError: `norm_item` is not one of the allowed values, or is empty; or `thr` is not
            positive.

    Example:
        >>> metric = PCKAccuracy(thr=0.5)
        >>> prediction = {"coords": [[[3.0, 0.0], [9.0, 9.0]]]}
        >>> truth = {"coords": [[[0, 0], [0, 0]]], "mask": [[1, 1]], "bbox_size": [[10, 10]]}
        >>> metric.add([prediction], [truth])
        >>> metric.compute()
        {'PCK@0.5': 0.5}
    """

    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        thr: float = 0.2,
        norm_item: str | Sequence[str] = "bbox",
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(thr, norm_item, **options)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the mean share for every norm item."""
        return {
            f"{self.names[item]}@{self.thr}": mean_of_known(
                shares(*self.table(results, item, self.thr))
            )
            for item in self.norm_item
        }


_MPII_PARTS = {
    "Head": (9,),
    "Shoulder": (12, 13),
    "Elbow": (11, 14),
    "Wrist": (10, 15),
    "Hip": (2, 3),
    "Knee": (1, 4),
    "Ankle": (0, 5),
}


class MpiiPCKAccuracy(NormalisedHits):
    """The percentage of correct keypoints (PCKh) for the MPII dataset, with 16 joints.

    With the norm item "head", predictions are shifted by one pixel, since MPII counts pixels
    from 1. Percentages are given for parts of the body, left and right together: the mean of the
    joints that were visible at least once. `PCKh` is the share of all visible joints except pelvis
    and thorax (6 and 7). Other norm items are as for `PCKAccuracy`.

    Formula:
        PCKh = 100 (sum_(i, j) v_(i j) [d_(i j) < thr]) / (sum_(i, j) v_(i j))

    Source: M. Andriluka et al., "2D human pose estimation: new benchmark and state of the art
    analysis" (CVPR 2014).

    Args:
        **options: As for `NormalisedHits`.

    Returns of `compute`: for "head" `Head`, `Shoulder`, `Elbow`, `Wrist`, `Hip`, `Knee`, `Ankle`,
    `PCKh` and `PCKh@0.1`, in [0, 100]; otherwise as for `PCKAccuracy`. A value is nan if its joints
    were never visible. Higher is better.

    Raises:
        ValueError: `norm_item` is not one of the allowed values, or is empty; or `thr` is not
            positive.

    Example:
        >>> import numpy as np
        >>> coords = np.zeros((1, 16, 2))
        >>> truth = {"coords": coords, "mask": np.ones((1, 16)), "head_size": [[10.0, 10.0]]}
        >>> metric = MpiiPCKAccuracy()
        >>> metric.add([{"coords": coords}], [truth])
        >>> metric.compute()["PCKh"], metric.compute()["PCKh@0.1"]
        (100.0, 0.0)
    """

    ranges: Ranges = MappingProxyType({"PCK@*": (0.0, 1.0), "tPCK@*": (0.0, 1.0), **PERCENT})
    higher_is_better = True
    num_joints = 16

    def __init__(
        self,
        thr: float = 0.5,
        norm_item: str | Sequence[str] = "head",
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(thr, norm_item, **options)

    def thresholds(self, item: str) -> list[float]:
        """Return the threshold, and for "head" also 0.1."""
        return sorted({self.thr, 0.1}) if item == "head" else [self.thr]

    def shift(self, item: str) -> float:
        """Return one pixel for "head", and 0 for other items."""
        return 1.0 if item == "head" else 0.0

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the shares for every norm item."""
        values: dict[str, float] = {}
        for item in self.norm_item:
            hits, visible = self.table(results, item, self.thr)
            if item != "head":
                values[f"{self.names[item]}@{self.thr}"] = mean_of_known(shares(hits, visible))
                continue
            each = shares(hits, visible)
            for part, joints in _MPII_PARTS.items():
                values[part] = 100 * mean_of_known([each[joint] for joint in joints])
            values["PCKh"] = _percent(hits, visible)
            values["PCKh@0.1"] = _percent(*self.table(results, item, 0.1))
        return values


def _percent(hits: np.ndarray, visible: np.ndarray) -> float:
    kept = [joint for joint in range(len(hits)) if joint not in (6, 7)]
    return 100 * ratio(int(hits[kept].sum()), int(visible[kept].sum()))


_JHMDB_PARTS = {
    "Head": (2,),
    "Sho": (3, 4),
    "Elb": (7, 8),
    "Wri": (11, 12),
    "Hip": (5, 6),
    "Knee": (9, 10),
    "Ank": (13, 14),
}


class JhmdbPCKAccuracy(NormalisedHits):
    """The percentage of correct keypoints (PCK) for the JHMDB dataset, with 15 joints.

    Shares are returned for the parts of the body as well: a part's share is the mean of the shares
    of its left and its right joint. A joint that was never visible is left out.

    Formula:
        PCK_j = (sum_i v_(i j) [d_(i j) < thr]) / (sum_i v_(i j))

    Source: H. Jhuang et al., "Towards understanding action recognition" (ICCV 2013).

    Args:
        **options: As for `NormalisedHits`.

    Returns of `compute`: for "bbox" `PCK@{thr}`, `Head PCK`, `Sho PCK`, `Elb PCK`, `Wri PCK`, `Hip
    PCK`, `Knee PCK`, `Ank PCK`, `Mean PCK`; for "torso" the eight values with `tPCK`; for "head"
    `PCKh@{thr}`; all in [0, 1]. A value is nan if its joints were never visible. Higher is better.

    Raises:
        ValueError: `norm_item` is not one of the allowed values, or is empty; or `thr` is not
            positive.

    Example:
        >>> import numpy as np
        >>> coords = np.zeros((1, 15, 2))
        >>> truth = {"coords": coords, "mask": np.ones((1, 15)), "bbox_size": [[10.0, 10.0]]}
        >>> metric = JhmdbPCKAccuracy()
        >>> metric.add([{"coords": coords + 1}], [truth])  # off by 1.4, less than 0.2 * 10
        >>> metric.compute()["Head PCK"], metric.compute()["PCK@0.5"]
        (1.0, 1.0)
    """

    ranges = SHARE
    higher_is_better = True
    num_joints = 15

    def __init__(
        self,
        thr: float = 0.5,
        norm_item: str | Sequence[str] = "bbox",
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(thr, norm_item, **options)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the shares for every norm item."""
        values: dict[str, float] = {}
        for item in self.norm_item:
            each, name = shares(*self.table(results, item, self.thr)), self.names[item]
            mean = mean_of_known(each)
            if item != "torso":
                values[f"{name}@{self.thr}"] = mean
            if item != "head":
                for part, joints in _JHMDB_PARTS.items():
                    values[f"{part} {name}"] = mean_of_known([each[joint] for joint in joints])
                values[f"Mean {name}"] = mean
        return values
