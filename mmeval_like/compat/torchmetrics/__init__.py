"""torchmetrics: its names, for programs that stay as they are; ours where there is one."""

from __future__ import annotations

from typing import Any

import torchmetrics as _original
from torchmetrics import Metric

from mmeval_like.compat.torchmetrics import aggregation, classification, detection, regression

__all__ = ["aggregation", "classes", "classification", "detection", "regression"]

_MODULES = (classification, regression, aggregation, detection)


def classes() -> list[type[Metric]]:
    """Return the classes that compute here; all other names are torchmetrics' own."""
    return [getattr(module, name) for module in _MODULES for name in module.__all__]


_TOP = {one.__name__: one for one in classes() if hasattr(_original, one.__name__)}
globals().update(_TOP)
__all__ += [*_TOP]


def __getattr__(name: str) -> Any:
    """Return torchmetrics' own, where there is none of ours."""
    return getattr(_original, name)
