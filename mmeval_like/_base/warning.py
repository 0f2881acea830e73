"""Warnings that point to the line of the program that called this package."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

__all__ = ["aside", "keep_warnings", "quiet", "speaks", "warn"]

# Frames that are not the user's code: this package, the machinery of `with` blocks, and that of
# `torch.compile`.
_NOT_THE_USERS = (str(Path(__file__).parents[1]), contextlib.__file__)
_COMPILER = str(Path("torch", "_dynamo"))

_T = TypeVar("_T")

_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
_ASIDE: ContextVar[bool] = ContextVar("aside", default=False)
_KEPT: ContextVar[list[tuple[str, type[Warning]]] | None] = ContextVar("kept", default=None)


def warn(text: str, category: type[Warning] = RuntimeWarning) -> None:
    """Issue a warning that points to the line of the program that called this package.

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
    while frame.f_back is not None and _is_not_the_users(frame.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _is_not_the_users(file: str) -> bool:
    return file.startswith(_NOT_THE_USERS) or _COMPILER in file


def quiet() -> AbstractContextManager[None]:
    """Within this block, `warn` does nothing, in this thread only; `speaks` is False."""
    return _setting(_QUIET, True)


def aside() -> AbstractContextManager[None]:
    """Within this block, `speaks` is False, in this thread only: values are not a metric's own.

    They are those of a slice, or of one of two systems.
    """
    return _setting(_ASIDE, True)


def speaks() -> bool:
    """Return whether a metric that computes its values may print or write them.

    It computes many more: for its interval without some of the samples, and for slices.

    Example:
        >>> speaks()
        True
        >>> with quiet():
        ...     speaks()
        False
    """
    return not (_QUIET.get() or _ASIDE.get())


@contextmanager
def keep_warnings() -> Iterator[list[tuple[str, type[Warning]]]]:
    """Within this block, `warn` appends to a list, in this thread only.

    Yields:
        The list of arguments with which to call `warn` later, when the program gets the result.
    """
    kept: list[tuple[str, type[Warning]]] = []
    with _setting(_KEPT, kept):
        yield kept


@contextmanager
def _setting(variable: ContextVar[_T], value: _T) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
