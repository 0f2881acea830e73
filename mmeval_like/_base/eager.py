"""Calls that `torch.compile` leaves out of its graphs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["COMPILER", "eagerly"]

COMPILER = "torch._dynamo"
"""The module that compiles; a program that has not loaded it compiles nothing."""

_DISABLED: list[Callable[..., None]] = []


def eagerly(work: Callable[..., None], *args: Any) -> None:
    """Call `work(*args)` outside of any graph; `torch._dynamo` must be loaded.

    A graph that is being compiled ends before the call, and another one begins after it.
    """
    if not _DISABLED:  # `cache` would be traced, with a warning
        _DISABLED.append(sys.modules[COMPILER].disable(_call))
    _DISABLED[0](work, args)


def _call(work: Callable[..., None], args: tuple[Any, ...]) -> None:
    work(*args)
