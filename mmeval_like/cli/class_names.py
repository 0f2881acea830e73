"""The names of the classes in `--classes`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like.cli.errors import InputError, clipped

__all__ = ["as_classes", "check_no_names"]

_TRUTHS = {"false": 0, "true": 1}


def check_no_names(name: str, cells: Any, classes: Sequence[str]) -> None:
    """Raise InputError if a cell equals the name of a class whose index is another number."""
    numbers = _numbers(cells) if classes else None
    if numbers is None:
        return
    reads = _TRUTHS.get if numbers.dtype.kind == "b" else _as_number
    for index, text in enumerate(classes):
        cell = reads(text.lower())
        if cell is not None and cell != index and (numbers == cell).any():
            raise InputError(
                f"--classes: {text!r} is class {index}, but as a cell of {name} it is class "
                f"{cell:g}: use class names that are not numbers, or list them in the order of "
                f"these numbers"
            )


def _numbers(cells: Any) -> np.ndarray | None:
    """Return the cells of a column that may be classes; None if they are scores, or no numbers."""
    if isinstance(cells, list):  # of a .jsonl file, or with predictions that are missing
        cells = [cell for cell in cells if cell is not None]
        if not all(isinstance(cell, int | float) for cell in cells):
            return None
    found = np.asarray(cells)
    if found.ndim != 1 or found.dtype.kind not in "biuf":
        return None
    return found if found.dtype.kind != "f" or (found == np.floor(found)).all() else None


def _as_number(text: str) -> int | float | None:
    """Return the number that is written as this string; None if there is none."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text:
            return number
    return None


def as_classes(text: str | list[str] | None) -> list[str]:
    """Return the names of the classes in `--classes` or in a record.

    Raises:
        InputError: The file of the names cannot be read, or a name is there twice.
    """
    if text is None or isinstance(text, list):  # a record contains the list
        return text or []
    names = _of_file(text) if text.startswith("@") else text.split(",")
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(f"--classes {clipped(text)}: {name!r} is there {count} times")
    return names


def _of_file(text: str) -> list[str]:
    try:
        lines = Path(text[1:]).read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"--classes {text}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--classes {text}: the file is not UTF-8") from error
    return [line.strip() for line in lines if line.strip()]
