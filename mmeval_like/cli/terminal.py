"""Text for terminals, without control characters from the data."""

from __future__ import annotations

import os
import struct
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.unpacked_names import as_given

__all__ = ["escaped", "open_streams", "shown", "tell", "to_stream", "write_out"]

# Control characters, format characters (such as those that change the writing direction), unpaired
# surrogates, and separators of lines and paragraphs.
_COMMANDS = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"  # scripts and emoji need them


def open_streams() -> None:
    """Replace standard streams that were closed at the start of the program.

    Otherwise the next opened files would get their descriptors, and libraries would print into
    them. Writing to a closed standard output still fails; messages to a closed error stream are
    lost.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.fstat(number)
                continue  # another file already uses the descriptor
            os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115  # open to the end


def shown(text: str) -> str:
    r"""Return a string with terminal control characters escaped.

    Example:
        >>> print(shown("red \x1b[31m and a line end\n"))
        red \x1b[31m and a line end\n
    """
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in _COMMANDS and character not in _JOINERS
        else character
        for character in text
    )


def escaped(text: str) -> str:
    r"""Return JSON with terminal control characters written as JSON escapes.

    Example:
        >>> print(escaped('{"a": "\x9b2J"}'))
        {"a": "\u009b2J"}
    """
    return "".join(
        "".join(f"\\u{unit:04x}" for unit in _utf16(character))
        if character != "\n" and unicodedata.category(character) in _COMMANDS
        else character
        for character in text
    )


def _utf16(character: str) -> tuple[int, ...]:
    data = character.encode("utf-16-be", "surrogatepass")
    return struct.unpack(f">{len(data) // 2}H", data)


def tell(text: str) -> None:
    """Print one line to the error stream."""
    with suppress(OSError):  # the stream is closed; the exit code still shows the failure
        _write(sys.stderr, f"mmeval_like: {shown(as_given(text))}\n")


def write_out(text: str, to_stderr: bool = False) -> None:
    """Write to standard output; a reader that closes the pipe (`| head`) is not an error.

    Raises:
        InputError: It cannot be written, for instance to a disk that is full.
    """
    stream = sys.stderr if to_stderr else sys.stdout
    try:
        with to_stream():
            _write(stream, text)
            stream.flush()
    except (BrokenPipeError, InputError) as error:
        # Discard the rest of the buffer, so that Python exits without another error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if isinstance(error, InputError):
            raise


@contextmanager
def to_stream() -> Iterator[None]:
    """Raise InputError for errors of the standard output, except that of a closed pipe."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"standard output: {error.strerror or error}") from error


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
