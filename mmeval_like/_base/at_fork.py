"""Hooks that run around a fork, on the systems that can fork a process."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["at_fork"]


def at_fork(**hooks: Callable[[], object]) -> None:
    """Register hooks as `os.register_at_fork` does; do nothing on Windows, which has no forks.

    Args:
        **hooks: `before`, `after_in_parent` and `after_in_child`, each without arguments.

    Example:
        >>> from threading import Lock
        >>> lock = Lock()
        >>> at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(**hooks)
