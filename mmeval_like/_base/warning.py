"""Warnings that point to the line of the program that called this package."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

__all__ = ["keep_warnings", "quiet", "warn"]

# Frames that are not the user's code: this package, and the machinery of `with` blocks.
_NOT_THE_USERS = (str(Path(__file__).parents[1]), contextlib.__file__)

_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
_KEPT: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar("kept", default=None)


def warn(text: str, category: type[Warning] = RuntimeWarning) -> None:
    """Warn, with the line of the program that called this package.

    Args:
        text: The message.
        category: The category of the warning, for filters.

    Example:
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     warn("3 samples are left out")
        >>> str(caught[0].message)
        '3 samples are left out'
    """
    if _QUIET.get():
        return
    if (kept := _KEPT.get()) is not None:
        kept.append((text, category))
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_NOT_THE_USERS):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


@contextmanager
def quiet() -> Iterator[None]:
    """Within this block `warn` says nothing, in this thread alone."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


@contextmanager
def keep_warnings() -> Iterator[list[tuple[str, type[Warning]]]]:
    """Within this block `warn` adds to a list, in this thread alone.

    Yields:
        The list: what `warn` is to be called with where the program waits for the outcome.
    """
    kept: list[tuple[str, type[Warning]]] = []
    token = _KEPT.set(kept)
    try:
        yield kept
    finally:
        _KEPT.reset(token)
