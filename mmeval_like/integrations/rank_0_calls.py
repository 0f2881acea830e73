"""MMEngine calls a method on rank 0 only, in which `compute` would wait for the other ranks."""

from __future__ import annotations

import sys
from types import FrameType

__all__ = ["refuse_on_rank_0"]

_MMENGINE = "mmengine.evaluator.metric"
_ON_RANK_0 = (
    "compute within compute_metrics of an MMEngine metric would wait for the other ranks, which do "
    "not call it: MMEngine runs compute_metrics on rank 0 alone, with the results of all ranks. "
    'Construct the metric with dist_backend="non_dist", or use mmeval_like.integrations.MMEvalLike'
)


def refuse_on_rank_0() -> None:
    """Refuse a compute within `compute_metrics`, which MMEngine calls on rank 0 only.

    Raises:
        RuntimeError: MMEngine has several ranks, and called `compute_metrics`.
    """
    # Without its own process group, MMEngine calls it on every rank.
    if _MMENGINE not in sys.modules or sys.modules["mmengine.dist"].get_world_size() == 1:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        caller = frame.f_back
        by_mmengine = caller is not None and caller.f_globals.get("__name__") == _MMENGINE
        if by_mmengine and frame.f_code.co_name == "compute_metrics":
            raise RuntimeError(_ON_RANK_0)
        frame = caller
