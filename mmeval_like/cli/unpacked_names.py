"""The names of unpacked files in what the command prints: those of the files that were given."""

from __future__ import annotations

import re

__all__ = ["FOLDER", "STDIN", "as_given"]

FOLDER = "mmeval_like-"
"""How the name of the temporary folder begins; each file has a folder in it, with its name."""
STDIN = "stdin"
"""The name of a file with what came from standard input, without its suffix."""

_UNPACKED = re.compile(
    rf"[^\s:]*/{FOLDER}\w+/\d+/(?:(-)/{STDIN}\.\w+|((.+?)\.gz)/\3)", re.IGNORECASE
)


def as_given(text: str) -> str:
    """Return a text in which unpacked files have the names of the files that were given.

    Example:
        >>> as_given("folder/mmeval_like-ab12/0/my preds.csv.gz/my preds.csv, line 3: no value")
        'my preds.csv.gz, line 3: no value'
        >>> as_given("folder/mmeval_like-ab12/0/-/stdin.csv, line 3: no value")
        '-, line 3: no value'
    """
    return _UNPACKED.sub(lambda found: found[1] or found[2], text)
