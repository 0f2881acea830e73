"""MMPretrain's evaluators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mmeval_like as mm
from mmeval_like.integrations.openmmlab.adapter import Adapter

__all__ = ["Accuracy"]


class Accuracy(Adapter):
    """`mmpretrain.Accuracy`: the share of right classes in percent, from `pred_score`."""

    default_prefix = "accuracy"

    def __init__(
        self,
        topk: int | Sequence[int] = (1,),
        thrs: float | Sequence[float | None] | None = 0.0,
        collect_device: str = "cpu",
        prefix: str | None = None,
    ) -> None:
        super().__init__(mm.Accuracy(topk, thrs), prefix, collect_device)

    def columns(self, data_samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the scores and the labels."""
        return {
            "predictions": [one["pred_score"] for one in data_samples],
            "labels": [int(one["gt_label"]) for one in data_samples],
        }

    def numbers(self, result: Any) -> dict[str, float]:
        """Return the shares in percent."""
        return {name: 100 * value for name, value in result.items()}
