"""torchvision on a machine without a GPU.

Its wheels there lack their compiled operators, and importing it, as torchmetrics and torcheval do,
fails. What is needed of it here (the conversion of boxes) is plain torch.
"""

from __future__ import annotations

import contextlib
import importlib.util

import torch

_OPERATORS: list[torch.library.Library] = []  # their definitions last as long as these


def complete() -> None:
    """Define the operators that torchvision asks for when it is imported."""
    if importlib.util.find_spec("torchvision") is None or _OPERATORS:
        return
    library = torch.library.Library("torchvision", "FRAGMENT")
    _OPERATORS.append(library)
    for name in ("nms", "qnms"):
        with contextlib.suppress(RuntimeError):
            library.define(f"{name}(Tensor x) -> Tensor")
