"""Sources of tables, whatever their library: each is read block by block, in the memory of a block.

| source | blocks |
|---|---|
| a table or a data frame in memory, or a dict of arrays | one |
| an iterator of these | its items |
| a path, or a dataset of pyarrow | the row groups, in pieces of 65,536 rows |
| a reader or scanner of pyarrow, a relation of DuckDB, a lazy frame of polars | what it yields |
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mmeval_like._base.optional import needed_for
from mmeval_like.arrays import describe
from mmeval_like.tables.source import Source, read_once, read_to_the_end

__all__ = ["opened"]


def opened(source: Any) -> Source:
    """Return a source of any kind that the table above lists.

    Raises:
        TypeError: It is of no such kind.
        ValueError: It is an iterator without tables, or a reader or iterator that was read before.
        FileNotFoundError: There is no such file.
        ModuleNotFoundError: pyarrow, or a package for the path's protocol, is not installed.

    Example:
        >>> table = {"p": [0, 1], "y": [1, 1]}
        >>> found = opened(iter([table, table]))
        >>> found.names, [block["p"] for block in found.blocks(["p"])]
        (['p', 'y'], [[0, 1], [0, 1]])
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, Mapping):
        return Source([*source], lambda _: iter([source]))
    arrow = any(hasattr(source, name) for name in ("__arrow_c_stream__", *_LAZY))
    if hasattr(source, "__next__") and not arrow:
        return _of_iterator(source)
    if not arrow and not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"table must be a DataFrame, an Arrow table, dataset or reader, a DuckDB relation, a "
            f"dict of arrays, an iterator of these, or a path, got {describe(source)}"
        )
    with needed_for("a table", "pip install 'mmeval-like[cli]'"):
        from mmeval_like.tables import arrow_sources

    return arrow_sources.opened(source)


_END = object()
_LAZY = ("collect_batches", "to_batches", "to_reader")  # lazy frames, datasets and scanners


def _of_iterator(tables: Iterator[Any]) -> Source:
    first = next(read_once(tables), _END)
    if first is _END:
        read_to_the_end(tables)
        raise ValueError(
            "the iterator yields no table, so that its columns are unknown: if it was read before, "
            "make it again for each call"
        )

    begun = opened(first)

    def read(columns: Sequence[str]) -> Iterator[Any]:
        place, source = 0, begun
        while True:  # a loop of `for` would make some begin again
            found.check(columns, source.names, f"table {place} of the iterator")
            yield from source.blocks(columns)
            table = next(tables, _END)
            if table is _END:
                break
            place, source = place + 1, opened(table)
        read_to_the_end(tables)

    found = Source(begun.names, read)
    return found
