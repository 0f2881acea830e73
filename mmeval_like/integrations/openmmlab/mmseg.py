"""MMSegmentation's evaluators."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from mmengine.dist import is_main_process
from mmengine.utils import mkdir_or_exist
from PIL import Image

import mmeval_like as mm
from mmeval_like.integrations.openmmlab.adapter import Adapter, array_of, log_table

__all__ = ["IoUMetric"]

_SCORES = {
    "mIoU": ("IoU", "Acc"),
    "mDice": ("Dice", "Acc"),
    "mFscore": ("Fscore", "Precision", "Recall"),
}


class IoUMetric(Adapter):
    """`mmseg.IoUMetric`: scores of classes of pixels, in percent.

    A label that is neither a class nor `ignore_index` is left out, but what was predicted there
    counts as wrong, as there.
    """

    digits = 2

    def __init__(
        self,
        ignore_index: int = 255,
        iou_metrics: Sequence[str] = ("mIoU",),
        nan_to_num: float | None = None,
        beta: int = 1,
        collect_device: str = "cpu",
        output_dir: str | None = None,
        format_only: bool = False,
        prefix: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.scores = [iou_metrics] if isinstance(iou_metrics, str) else [*iou_metrics]
        if not set(self.scores) <= _SCORES.keys():
            raise KeyError(f"iou_metrics must be of {', '.join(_SCORES)}, got {iou_metrics!r}")
        self.output_dir, self.format_only = output_dir, format_only
        if output_dir and is_main_process():
            mkdir_or_exist(output_dir)
        pixels = _Pixels(None, ignore_index, nan_to_num, beta, classwise_results=True)
        super().__init__(pixels, prefix, collect_device)

    def process(self, data_batch: Any, data_samples: Sequence[Mapping[str, Any]]) -> None:
        """Add a batch of data samples; write its predictions if there is an `output_dir`."""
        if not self.format_only:
            super().process(data_batch, data_samples)
        for one in data_samples if self.output_dir else ():
            classes = _map_of(one["pred_sem_seg"]) + bool(one.get("reduce_zero_label", False))
            name, _ = os.path.splitext(os.path.basename(one["img_path"]))
            picture = Image.fromarray(classes.astype(np.uint8))
            picture.save(os.path.join(str(self.output_dir), f"{name}.png"))

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the maps of classes."""
        return {
            "predictions": [_map_of(one["pred_sem_seg"]) for one in data_samples],
            "labels": [_map_of(one["gt_sem_seg"]) for one in data_samples],
        }

    def evaluate(self, size: int) -> dict[str, float]:
        """Return the numbers, none if predictions are only written."""
        return {} if self.format_only else super().evaluate(size)

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the means in percent; log those of the classes."""
        names = [name for score in self.scores for name in _SCORES[score]]
        by_class = {name: 100 * result["classwise_results"][name] for name in names}
        classes = self.dataset_meta["classes"]
        log_table("per class results:", {"Class": classes, **by_class})
        return {name: 100 * result[name] for name in ("aAcc", *(f"m{one}" for one in names))}


class _Pixels(mm.MeanIoU):
    """MeanIoU, in which labels and predictions may be of no class."""

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Count with one class more, for what is of no class, and leave it out."""
        known = self.num_classes
        ignored: Any = self.ignore_index
        none = known + (ignored == known)
        wide = mm.MeanIoU(none + 1, ignored)

        def within(maps: Any, keep: int | None) -> list[np.ndarray]:
            return [np.where((one >= 0) & (one < known) | (one == keep), one, none) for one in maps]

        rows = wide.rows(within(predictions, None), within(labels, ignored))
        return {"pixels": rows["pixels"][..., :known]}


def _map_of(pixels: Mapping[str, Any]) -> Any:
    found = array_of(pixels["data"])
    return found.reshape(found.shape[-2:]).astype(np.int64)
