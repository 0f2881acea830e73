"""Errors that end the command with one line instead of a traceback."""

from __future__ import annotations

__all__ = [
    "BAD_INPUT",
    "BROKEN",
    "FAILED",
    "INTERRUPTED",
    "MISSED",
    "UNDECIDED",
    "InputError",
    "clipped",
    "last_line",
]

FAILED, BAD_INPUT, MISSED, INTERRUPTED = 1, 2, 3, 130  # exit codes
UNDECIDED, BROKEN = 3, 4  # of `compare` and `gate`, where 1 means a failed gate


class InputError(Exception):
    """An error in the user's input; the message says in one line what is wrong and where."""


def clipped(text: str, length: int = 300) -> str:
    """Return a string, or its beginning if it is too long for a message.

    Example:
        >>> clipped("a" * 20, 5)
        'aaaaa...'
    """
    return text if len(text) <= length else f"{text[:length]}..."


def last_line(text: str) -> str:
    r"""Return the message of a traceback's exception, in one line, without its module.

    Example:
        >>> last_line("Traceback ...:\n  File ...\nValueError: not one\nbut two lines")
        'ValueError: not one but two lines'
    """
    lines = [line for line in text.strip().splitlines() if line]
    code = [place for place, line in enumerate(lines) if line.startswith(" ")]
    line = " ".join(lines[code[-1] + 1 if code else 0 :] or lines)
    name, separator, message = line.partition(": ")
    return message if separator and name.endswith(InputError.__name__) else line
