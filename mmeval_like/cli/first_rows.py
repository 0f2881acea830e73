"""The first rows of columns that a command does not need, for its remarks and checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeVar

from mmeval_like.cli.readers import open_tables
from mmeval_like.cli.readers.inspection import Cells

__all__ = ["first_rows", "if_possible"]

T = TypeVar("T")


def first_rows(path: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return the first rows of some columns of a file, at least 500 if it has so many.

    Cells of .csv and .tsv files are strings, whatever they contain.
    """
    [table] = open_tables([path])
    pieces = table.inspections(columns)[:1]
    found = {name for piece in pieces for name in table.inspect(piece, columns)}
    table.learn(dict.fromkeys(found, Cells(frozenset())))
    [batch] = islice(table.read(*table.units()[0], columns), 1)
    return {name: batch.columns[name] for name in columns}


def if_possible(find: Callable[[], T]) -> T | None:
    """Return what the function returns; None if it fails, since a remark must not end a command."""
    try:
        return find()
    except MemoryError:
        raise
    except Exception:  # a metric without values of single samples; a column with empty cells
        return None
