"""MMRotate's evaluators."""

from __future__ import annotations

from typing import Any

import mmeval_like as mm
from mmeval_like.integrations.openmmlab.adapter import Unsupported, refuse
from mmeval_like.integrations.openmmlab.mmdet import VOCMetric

__all__ = ["DOTAMetric"]


class DOTAMetric(VOCMetric):
    """`mmrotate.DOTAMetric`: the mean average precision of rotated boxes.

    Overlaps are exact in float64; MMRotate's are of float32, so that an overlap within 1e-5 of the
    threshold may be on its other side there.

    Raises:
        Unsupported: `scale_ranges`, `merge_patches`, `format_only`, `outfile_prefix`, or boxes
            given by corners.
    """

    default_prefix = "dota"

    def __init__(
        self,
        iou_thrs: float | list[float] = 0.5,
        scale_ranges: Any = None,
        metric: str | list[str] = "mAP",
        predict_box_type: str = "rbox",
        format_only: bool = False,
        outfile_prefix: str | None = None,
        merge_patches: bool = False,
        iou_thr: float = 0.1,
        eval_mode: Any = "11points",
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        refuse(merge_patches=merge_patches, format_only=format_only, outfile_prefix=outfile_prefix)
        if predict_box_type != "rbox":
            raise Unsupported(f"{predict_box_type=}")
        super().__init__(iou_thrs, scale_ranges, metric, (), eval_mode, collect_device, prefix)

    def made(self, **options: Any) -> Any:
        """Return what computes."""
        return mm.DOTAMeanAP(self.thrs, eval_mode=self.eval_mode, **options)
