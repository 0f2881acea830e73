"""The names of the classes in `--classes`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mmeval_like.cli.errors import InputError

__all__ = ["as_classes", "check_no_names"]

_TRUTHS = {"false": 0, "true": 1}


def check_no_names(name: str, cells: Any, classes: Sequence[str]) -> None:
    """Raise InputError if a cell equals the name of a class whose index is another number."""
    if not classes or getattr(cells, "ndim", 0) != 1 or cells.dtype.kind not in "biu":
        return
    reads = _TRUTHS.get if cells.dtype.kind == "b" else _as_integer
    for index, text in enumerate(classes):
        cell = reads(text.lower())
        if cell is not None and cell != index and (cells == cell).any():
            raise InputError(
                f"--classes: {text!r} is class {index}, but as a cell of {name} it is class "
                f"{cell}: use class names that are not numbers, or list them in the order of "
                f"these numbers"
            )


def _as_integer(text: str) -> int | None:
    """Return the integer that is written as this string; None if there is none."""
    try:
        return int(text) if str(int(text)) == text else None
    except ValueError:
        return None


def as_classes(text: str | list[str] | None) -> list[str]:
    """Return the names of the classes in `--classes` or in a record.

    Raises:
        InputError: The file of the names cannot be read.
    """
    if text is None or isinstance(text, list):  # a record contains the list
        return text or []
    if not text.startswith("@"):
        return text.split(",")
    try:
        lines = Path(text[1:]).read_text("utf-8").splitlines()
    except OSError as error:
        raise InputError(f"--classes {text}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--classes {text}: the file is not UTF-8") from error
    return [line.strip() for line in lines if line.strip()]
