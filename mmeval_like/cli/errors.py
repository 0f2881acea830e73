"""What ends the command with one line instead of a traceback."""

from __future__ import annotations

__all__ = ["BAD_INPUT", "FAILED", "INTERRUPTED", "InputError", "last_line"]

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130  # exit codes


class InputError(Exception):
    """Something that the user gave is wrong; the text says what and where, in one line."""


def last_line(text: str) -> str:
    """Return the message of a traceback's exception, in one line, without its module."""
    lines = [line for line in text.strip().splitlines() if line and not line.startswith(" ")]
    line = lines[-1] if lines else ""
    name, separator, message = line.partition(": ")
    return message if separator and name.endswith(InputError.__name__) else line
