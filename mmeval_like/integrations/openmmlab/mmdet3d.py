"""MMDetection3D's evaluators."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like.integrations.openmmlab.adapter import Adapter, array_of, log_table, refuse

__all__ = ["SegMetric"]


class SegMetric(Adapter):
    """`mmdet3d.SegMetric`: the intersection over union of the classes of points.

    Points whose label is no class are left out.

    Raises:
        Unsupported: `submission_prefix`.
    """

    def __init__(
        self,
        collect_device: str = "cpu",
        prefix: str | None = None,
        pklfile_prefix: str | None = None,
        submission_prefix: str | None = None,
        **kwargs: Any,
    ) -> None:
        refuse(submission_prefix=submission_prefix)
        self.names: Mapping[int, str] = {}
        super().__init__(mm.MeanIoU(1), prefix, collect_device)

    def use(self, metrics: Any) -> None:
        """Count the classes of the dataset."""
        meta = self._dataset_meta or {}
        self.names = meta.get("label2cat", {})
        self.ignored = meta.get("ignore_index")
        number = max(len(self.names), 1)
        super().use(mm.MeanIoU(number, number, classwise_results=True))

    def facts_of(self, meta: Mapping[str, Any]) -> None:
        """Return nothing: the classes are counted in `use`."""

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the classes of points."""
        found, labels = [], []
        number = len(self.names)
        for one in data_samples:
            known = np.asarray(array_of(one["eval_ann_info"]["pts_semantic_mask"]), np.int64)
            counted = (known >= 0) & (known < number) & (known != self.ignored)
            labels.append(np.where(counted, known, number).reshape(1, -1))
            classes = np.asarray(array_of(one["pred_pts_seg"]["pts_semantic_mask"]), np.int64)
            found.append(np.where(counted, classes, 0).reshape(1, -1))
        return {"predictions": found, "labels": labels}

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the values of the classes, and their means; log them."""
        values = np.array(result["classwise_results"]["IoU"])
        values[[label for label in self.names if label == self.ignored]] = math.nan
        known = values[~np.isnan(values)]
        by_class = {self.names[label]: float(values[label]) for label in range(len(values))}
        means = {
            "miou": float(known.mean()) if known.size else math.nan,
            "acc": result["aAcc"],
            "acc_cls": result["mAcc"],
        }
        log_table("results:", {"classes": [*by_class], "IoU": [*by_class.values()]})
        return {**by_class, **means}
