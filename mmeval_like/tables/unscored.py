"""Which rows of a table have no score, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mmeval_like import arrays

__all__ = ["ABSENT", "MISSING_WORDS", "marks_of", "reasons_of_rows", "stacked"]

ABSENT = "absent"
"""The reason of a row whose prediction is missing, if no column says another one."""

MISSING_WORDS = frozenset({"nan", "none", "null", "na", "n/a", "<na>"})
"""What programs write as text for a missing value."""


def marks_of(given: str | Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns that say why a row has no score, and for each the entries that do.

    Args:
        given: A column, whose entries are all reasons unless they are empty, or a column and the
            entries that are reasons, such as "status=error,timeout"; or several of these.

    Raises:
        ValueError: A name is empty, or a column is given twice.

    Example:
        >>> marks_of(["error", "status=failed,timeout"])
        {'error': (), 'status': ('failed', 'timeout')}
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in [given] if isinstance(given, str) else given:
        name, equals, entries = text.partition("=")
        reasons = tuple(entries.split(",")) if equals else ()
        if not name or not all(reasons) or name in found:
            raise ValueError(
                f"must be columns, each given once, such as error or status=failed,timeout; got "
                f"{text!r}"
            )
        found[name] = reasons
    return found


def reasons_of_rows(
    marks: Mapping[str, tuple[Sequence[str], Any]], predictions: Iterable[Any], count: int
) -> list[str | None]:
    """Return for each row None, or the reason why it has no score.

    The first column that says a reason counts. Case and spaces do not matter to an entry, and 500.0
    is 500. Without entries, every cell is a reason that is not empty, false, 0 or missing. A row
    whose prediction is missing has the reason "absent" if no column says one.

    Args:
        marks: For each column that says reasons the entries that are reasons, as `marks_of` returns
            them, and its cells.
        predictions: The columns of the predictions. A cell that is None or nan, or that has such
            an entry, is missing.
        count: The number of rows.

    Example:
        >>> marks = {"status": (("timeout",), ["ok", "timeout", "ok"])}
        >>> reasons_of_rows(marks, [[0.5, None, float("nan")]], 3)
        [None, 'timeout', 'absent']
    """
    found: list[str | None] = [None] * count
    for name, (reasons, cells) in marks.items():
        for row, cell in enumerate(_listed(cells)):
            if found[row] is None:
                found[row] = _reason(name, reasons, cell)
    for column in predictions:
        for row in _missing(column):
            if found[row] is None:
                found[row] = ABSENT
    return found


def stacked(columns: Sequence[Any]) -> Any:
    """Return a column, or several as one array (N, C), in which None is nan.

    Example:
        >>> stacked([[0.5, None], [0.5, 1.0]]).tolist(), stacked(["cat"])
        ([[0.5, 0.5], [nan, 1.0]], 'cat')
    """
    if len(columns) == 1:
        return columns[0]
    kinds = [float if isinstance(one, list) and None in one else None for one in columns]
    arrays = [np.asarray(one, kind) for one, kind in zip(columns, kinds, strict=True)]
    return np.stack(arrays, axis=1)


def _reason(name: str, reasons: Sequence[str], cell: Any) -> str | None:
    """Return the reason in a cell; the column's name, if the cell is no string.

    A file of text does not say whether `False` or `0` is a string: they mean the same as one.
    """
    if arrays.is_missing(cell):
        return None
    if reasons:
        return next((reason for reason in reasons if _same(reason, cell)), None)
    if not isinstance(cell, str):
        return name if cell else None
    text = cell.strip()
    number = _number(text)
    if text.casefold() in MISSING_WORDS | {"", "false"} or number == 0 or number != number:
        return None
    return text


def _same(reason: str, cell: Any) -> bool:
    """Return whether a cell is this entry: case and spaces do not matter, and 500.0 is 500."""
    text = str(cell).strip()
    if text.casefold() == reason.strip().casefold():
        return True
    number = _number(reason)
    return number is not None and number == _number(text)


@lru_cache
def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _missing(column: Any) -> Iterable[int]:
    """Return the rows of a column that have no value, or only a part of one."""
    if not isinstance(column, list | tuple):
        column = arrays.to_host(column, "predictions")
        if column.dtype.kind == "f":
            rows: list[int] = np.flatnonzero(
                np.isnan(column).reshape(len(column), -1).any(axis=1)
            ).tolist()
            return rows
        if column.dtype.kind != "O":
            return ()
    return [row for row, cell in enumerate(column) if _lacks(cell)]


def _lacks(cell: Any) -> bool:
    if isinstance(cell, list | tuple):
        return any(map(_lacks, cell))
    return bool(arrays.is_missing(cell))


def _listed(cells: Any) -> list[Any]:
    return cells.tolist() if isinstance(cells, np.ndarray) else [*cells]
