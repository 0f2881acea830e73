"""What an error that ended a command prints, and the exit code that it stands for."""

from __future__ import annotations

import traceback

import mmeval_like
from mmeval_like.cli.errors import BAD_INPUT, InputError, last_line
from mmeval_like.cli.terminal import tell

__all__ = ["explain"]


def explain(error: Exception, failed: int) -> int:
    """Print the error in one line, and return the exit code."""
    if isinstance(error, mmeval_like.RemoteError):  # the rank that failed prints the reason
        return BAD_INPUT if f"{InputError.__name__}:" in error.details[0] else failed
    if isinstance(error, InputError):
        tell(str(error))
        return BAD_INPUT
    if isinstance(error, MemoryError):
        traceback.clear_frames(error.__traceback__)  # they hold what was read
        tell(f"memory ran out{f' ({error})' if str(error) else ''}")
        return failed
    tell(last_line(f"{type(error).__name__}: {error}"))
    return failed
