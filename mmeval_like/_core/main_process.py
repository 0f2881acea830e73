"""Frameworks that call a method on rank 0 only, where `compute` would wait for other ranks."""

from __future__ import annotations

import sys
from types import FrameType

__all__ = ["ON_RANK_0", "called_on_rank_0_alone"]

_MMENGINE = "mmengine.evaluator.metric"
ON_RANK_0 = (
    "compute within compute_metrics of an MMEngine metric would wait for the other ranks, which do "
    "not call it: MMEngine runs compute_metrics on rank 0 alone, with the results of all ranks. "
    'Construct the metric with dist_backend="non_dist", or use mmeval_like.integrations.MMEvalLike'
)


def called_on_rank_0_alone() -> bool:
    """Return whether MMEngine has called `compute_metrics`, which it does on rank 0 only."""
    # Without its own process group, MMEngine calls it on every rank.
    if _MMENGINE not in sys.modules or sys.modules["mmengine.dist"].get_world_size() == 1:
        return False
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        caller = frame.f_back
        by_mmengine = caller is not None and caller.f_globals.get("__name__") == _MMENGINE
        if by_mmengine and frame.f_code.co_name == "compute_metrics":
            return True
        frame = caller
    return False
