"""MMPose's evaluators of joints in pixels; those of persons in `mmpose_coco.py`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like.integrations.openmmlab.adapter import Adapter, Unsupported, array_of
from mmeval_like.integrations.openmmlab.mmpose_coco import CocoMetric, CocoWholeBodyMetric

__all__ = [
    "AUC",
    "EPE",
    "NME",
    "CocoMetric",
    "CocoWholeBodyMetric",
    "JhmdbPCKAccuracy",
    "MpiiPCKAccuracy",
    "PCKAccuracy",
]


class _Joints(Adapter):
    """The joints of one person in each data sample, and the sizes that they are measured by."""

    sizes: Sequence[str] = ()

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the predicted and the true joints."""
        found = [array_of(one["pred_instances"]["keypoints"]) for one in data_samples]
        return {
            "predictions": [{"coords": coords} for coords in found],
            "groundtruths": [
                self._truth(one["gt_instances"], coords)
                for one, coords in zip(data_samples, found, strict=True)
            ],
        }

    def _truth(self, person: Mapping[str, Any], found: np.ndarray) -> dict[str, Any]:
        coords, visible = array_of(person["keypoints"]), array_of(person["keypoints_visible"])
        visible = (visible[:, :, 0] if visible.ndim == 3 else visible).astype(bool)
        truth = {"coords": coords, "mask": visible.reshape(1, -1)}
        for size in self.sizes:
            if size == "bbox_size":
                box = array_of(person["bboxes"])[0]
                value = np.max(box[2:] - box[:2])
            elif size == "torso_size":
                value = np.linalg.norm(coords[0][4] - coords[0][5])
                if value < 1:  # of no use as a unit
                    value = np.linalg.norm(found[0][4] - found[0][5])
            else:
                value = array_of(person[size])
            truth[size] = np.resize(np.asarray(value, np.float64), (1, 2))
        return truth


_SIZES = ("bbox", "head", "torso")


class PCKAccuracy(_Joints):
    """`mmpose.PCKAccuracy`: the share of joints near the true ones."""

    def __init__(
        self,
        thr: float = 0.05,
        norm_item: str | Sequence[str] = "bbox",
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        items = [norm_item] if isinstance(norm_item, str) else [*norm_item]
        self.sizes = [f"{item}_size" for item in _SIZES if item in items]
        super().__init__(mm.PCKAccuracy(thr, items), prefix, collect_device)

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the shares, 0 without visible joints."""
        shares = {name.partition("@")[0]: value for name, value in result.items()}
        order = [name for name in ("PCK", "PCKh", "tPCK") if name in shares]
        return {name: 0.0 if math.isnan(shares[name]) else shares[name] for name in order}


class MpiiPCKAccuracy(_Joints):
    """`mmpose.MpiiPCKAccuracy`: the share of joints near the true ones, by parts, in percent."""

    def __init__(
        self,
        thr: float = 0.5,
        norm_item: str | Sequence[str] = "head",
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        # Only those of the head have values there.
        given = [norm_item] if isinstance(norm_item, str) else norm_item
        self.valued = "head" in given
        self.sizes = ("head_size",) if self.valued else ("bbox_size",)
        item = "head" if self.valued else "bbox"
        super().__init__(mm.MpiiPCKAccuracy(thr, item), prefix, collect_device)

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the shares of the parts, and of all joints."""
        names = {"PCKh": "PCK", "PCKh@0.1": "PCK@0.1"}
        values = {names.get(name, f"{name} PCK"): value for name, value in result.items()}
        return values if self.valued else {}


class JhmdbPCKAccuracy(_Joints):
    """`mmpose.JhmdbPCKAccuracy`: the share of joints near the true ones, by parts."""

    def __init__(
        self,
        thr: float = 0.05,
        norm_item: str | Sequence[str] = "bbox",
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        given = [norm_item] if isinstance(norm_item, str) else [*norm_item]
        # The head has no values there.
        items = [item for item in ("bbox", "torso") if item in given]
        if not items:
            raise Unsupported(f"{norm_item=}")
        self.sizes = [f"{item}_size" for item in items]
        super().__init__(mm.JhmdbPCKAccuracy(thr, items), prefix, collect_device)

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the shares of the parts, then of all joints, for every size."""
        shares = {name: value for name, value in result.items() if "@" not in name}
        return {name.removeprefix("Mean "): value for name, value in shares.items()}


class AUC(_Joints):
    """`mmpose.AUC`: the area under the curve of the share of joints near the true ones."""

    def __init__(
        self,
        norm_factor: float = 30,
        num_thrs: int = 20,
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        super().__init__(mm.KeypointAUC(norm_factor, num_thrs), prefix, collect_device)

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the area."""
        [area] = result.values()
        return {"AUC": area}


class EPE(_Joints):
    """`mmpose.EPE`: the mean distance from the true joints."""

    def __init__(
        self,
        collect_device: str = "cpu",
        prefix: str | None = None,
        collect_dir: str | None = None,
    ) -> None:
        super().__init__(mm.KeypointEndPointError(), prefix, collect_device, collect_dir)

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the distance."""
        return {"EPE": result["EPE"]}


class NME(_Joints):
    """`mmpose.NME`: the mean distance from the true joints, in units of a size."""

    def __init__(
        self,
        norm_mode: Any,
        norm_item: str | None = None,
        keypoint_indices: Sequence[int] | None = None,
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        self.mode = norm_mode
        self.item = norm_item
        self.indices: Any = keypoint_indices
        if norm_mode == "use_norm_item" and norm_item:
            self.sizes = (norm_item,)
        # Until the dataset is known, whose name decides between which joints the unit is.
        first = mm.KeypointNME(norm_mode, norm_item, keypoint_indices or (0, 1))
        super().__init__(first, prefix, collect_device)

    def use(self, metrics: Any) -> None:
        """Measure by the joints of the dataset with this name."""
        meta = self._dataset_meta or {}
        name = meta.get("dataset_name")
        if self.indices is None and not self.sizes and name is not None:
            indices: Any = {"lapa": (66, 79)}.get(name)
            facts = {"dataset_name": name}
            metrics = mm.KeypointNME(self.mode, self.item, indices, dataset_meta=facts)
        super().use(metrics)

    def facts_of(self, meta: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the dataset's name."""
        return {"dataset_name": meta["dataset_name"]} if "dataset_name" in meta else None

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the mean."""
        return {"NME": result["NME"]}
