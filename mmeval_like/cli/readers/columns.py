"""Columns of Arrow record batches; an error names the row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.table import Table
from mmeval_like.tables.arrow_columns import NullError, from_table

__all__ = ["from_record_batch"]


def from_record_batch(
    table: Table, batch: Any, columns: Sequence[str], place: int
) -> dict[str, Any]:
    """Return columns of a record batch as arrays and lists.

    Args:
        table: The file, which says in which columns cells may have no value.
        batch: The record batch.
        columns: Their names, as `names_of` returns them.
        place: The index of the first row in the file.

    Raises:
        InputError: A cell has no value.
    """
    try:
        return {
            name: from_table(
                batch,
                name,
                gaps=name in table.gaps,
                absent=table.may_lack(name) or name in table.slices,
            )
            for name in columns
        }
    except NullError as error:
        row = place + error.row
        raise InputError(table.no_value(f"row {row}", error.name)) from None
