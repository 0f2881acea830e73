"""Calls that `torch.compile` leaves out of its graphs."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["COMPILER", "eagerly", "untraced"]

COMPILER = "torch._dynamo"
"""The module that compiles; a program that has not loaded it compiles nothing."""

_DISABLED: list[Callable[..., Any]] = []


def eagerly(work: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Return `work(*args, **named)`, outside of any graph; `torch._dynamo` must be loaded.

    A graph that is being compiled ends before the call, and another one begins after it.
    """
    if not _DISABLED:  # `cache` would be traced, with a warning
        _DISABLED.append(sys.modules[COMPILER].disable(_call))
    return _DISABLED[0](work, args, named)


def _call(work: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return work(*args, **named)


def untraced(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that is left out of graphs: in one, numpy's functions would be torch's."""

    @functools.wraps(method)
    def outside(*args: Any, **named: Any) -> Any:
        if COMPILER in sys.modules:
            return eagerly(method, *args, **named)
        return method(*args, **named)

    return outside
