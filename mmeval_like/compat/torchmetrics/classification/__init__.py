"""torchmetrics.classification: classes of one task, and those that take `task=`."""

from __future__ import annotations

from typing import Any

import torchmetrics.classification as _original

from mmeval_like.compat.torchmetrics.classification import (
    calibration,
    counts,
    curves,
    matrices,
    operating_points,
    rankings,
    whole_samples,
)
from mmeval_like.compat.torchmetrics.classification.tasks import by_task
from mmeval_like.compat.torchmetrics.exchanged import named

_MODULES = (counts, matrices, curves, operating_points, calibration, whole_samples, rankings)
_ours = named(__name__, [one for module in _MODULES for one in module.CLASSES])
_ours |= named(__name__, by_task(_ours))
globals().update(_ours)
__all__ = [*_ours]


def __getattr__(name: str) -> Any:
    """Return torchmetrics' own class, where there is none of ours."""
    return getattr(_original, name)
