"""Columns of strings, whatever the format of the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like.arrays.texts import as_texts
from mmeval_like.cli.readers.table import Table, blaming

__all__ = ["begins_with_texts", "filled_cells", "text_column"]


def begins_with_texts(tables: Sequence[Table], name: str) -> bool:
    """Return whether the first cells of a column are strings, in the first file with rows.

    Cells that are None may be strings.
    """
    for table in tables:
        with blaming(table.path):
            for start, stop in table.units()[:1]:
                for batch in table.read(start, stop, [name]):
                    return text_column(filled_cells(batch.columns[name][:100])) is not None
    return False


def filled_cells(column: Any) -> Any:
    """Return a column without the cells that are None."""
    return [cell for cell in column if cell is not None] if isinstance(column, list) else column


def text_column(column: Any) -> list[str] | None:
    """Return the strings of a column; None if it contains anything else."""
    try:
        found = as_texts(column, "")
    except (TypeError, ValueError):
        return None
    return None if found is None or not all(isinstance(one, str) for one in found) else found
