"""Columns of Arrow record batches; an error names the row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like.cli.errors import InputError
from mmeval_like.tables.arrow_columns import NullError, from_table

__all__ = ["from_record_batch"]


def from_record_batch(
    batch: Any, columns: Sequence[str], path: str, place: int, gaps: Sequence[str] = ()
) -> dict[str, Any]:
    """Return columns of a record batch as arrays and lists.

    Args:
        batch: The record batch.
        columns: Their names, as `names_of` returns them.
        path: The file, for errors.
        place: The index of the first row in the file.
        gaps: The columns whose cells may have no value.

    Raises:
        InputError: A cell has no value.
    """
    try:
        return {name: from_table(batch, name, gaps=name in gaps) for name in columns}
    except NullError as error:
        row = place + error.row
        raise InputError(f"{path}, row {row}: no value in {error.name!r}") from None
