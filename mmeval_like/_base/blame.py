"""Errors that name their cause: a file, or a member of a collection."""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["blaming", "name_member", "of_memory"]


@contextmanager
def blaming(path: str | Path, kind: type[Exception]) -> Iterator[None]:
    """Within this block, name a file in all errors that its content causes in a parser.

    Args:
        path: The file.
        kind: The type of the exception that names it.

    Raises:
        Exception: An exception of this type replaces any other, except those of the system, such
            as a missing file, and those of libraries that are not installed.
    """
    try:
        yield
    except kind as error:
        if str(path) in str(error):
            raise
        raise kind(f"{path}: {error}") from error
    except Exception as error:
        if of_memory(error):
            raise kind(f"{path}: needs more memory than there is, or is damaged") from error
        if isinstance(error, ImportError) or (isinstance(error, OSError) and error.errno):
            raise
        text = " ".join(f"{type(error).__name__}: {error}".split())
        raise kind(f"{path}: damaged, or not what its suffix says ({text[:300]})") from error


def of_memory(error: BaseException | None) -> bool:
    """Return whether an exception means that memory ran out; libraries may replace MemoryError."""
    while error is not None:
        no_map = isinstance(error, OSError) and os.strerror(errno.ENOMEM) in str(error)
        no_window = isinstance(error, zlib.error) and "Error -4 " in str(error)  # Z_MEM_ERROR
        if no_map or no_window or isinstance(error, MemoryError):
            return True
        error = error.__context__
    return False


def name_member(error: Exception, name: str) -> None:
    """Add the name of the member of a collection that raised an error to the error's text."""
    if error.args and isinstance(error.args[0], str):
        text = f"{error.args[0]} (in member {name!r} of the collection)"
        error.args = (text, *error.args[1:])
