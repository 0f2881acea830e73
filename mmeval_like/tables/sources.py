"""Sources of tables, whatever their library: each is read block by block, in the memory of a block.

| source | blocks |
|---|---|
| a table or a data frame in memory | one |
| a path, or a dataset of pyarrow | the row groups, in pieces of 65,536 rows |
| a reader or scanner of pyarrow, a relation of DuckDB, a lazy frame of polars | what it yields |
| an iterator of tables, data frames or dicts of arrays | its items |
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.dataset as pads

from mmeval_like._base.optional import needed_for
from mmeval_like.arrays import describe
from mmeval_like.tables.arrow_columns import names_of

__all__ = ["Source", "opened"]

_ROWS = 1 << 16
_FORMATS = {".feather": "feather", ".arrow": "feather", ".csv": "csv"}  # the others are Parquet
_EXTRA = "pip install 'mmeval-like[remote]'"


class Source:
    """Tables with the same columns.

    Args:
        names: The names of the columns, those inside structures as `outer.inner`.
        read: Returns the blocks with at least these columns; it is called once.

    Attributes:
        names: The names of the columns.
    """

    def __init__(
        self, names: Sequence[str], read: Callable[[Sequence[str]], Iterator[Any]]
    ) -> None:
        self.names, self._read = [*names], read

    def blocks(self, columns: Sequence[str], where: Any = None) -> Iterator[Any]:
        """Yield the blocks: Arrow tables or record batches, or dicts of arrays.

        Args:
            columns: The columns that are needed; other ones are read only if the source cannot
                leave them out.
            where: The rows that are read, as an expression of pyarrow; None: all rows.
        """
        for block in self._read(columns):
            yield block if where is None else pa.table(block).filter(where)

    def share(self, rank: int, ranks: int) -> Source:
        """Return the part of the source that a rank reads, of as many ranks.

        Raises:
            TypeError: The source cannot be divided.
        """
        raise TypeError(
            "only files and datasets can be divided among the ranks: pass a path, or a dataset of "
            "pyarrow"
        )


class _Files(Source):
    """The files of a dataset, divided by row groups where they have them."""

    def __init__(self, dataset: Any, rank: int = 0, ranks: int = 1) -> None:
        self.names = names_of(dataset.schema)
        self._dataset, self._rank, self._ranks = dataset, rank, ranks

    def blocks(self, columns: Sequence[str], where: Any = None) -> Iterator[Any]:
        schema = self._dataset.schema
        tops = _outer(schema.names, columns)
        pieces: list[Any] = []
        for file in self._dataset.get_fragments(where):
            rows = hasattr(file, "row_groups")
            pieces += file.split_by_row_group(where, schema) if rows else [file]
        first, last = (len(pieces) * place // self._ranks for place in (self._rank, self._rank + 1))
        for piece in pieces[first:last]:
            yield from piece.to_batches(schema, tops, where, batch_size=_ROWS, batch_readahead=0)

    def share(self, rank: int, ranks: int) -> Source:
        return _Files(self._dataset, rank, ranks)


def opened(source: Any) -> Source:
    """Return a source of any kind that the table above lists.

    Raises:
        TypeError: It is of no such kind.
        ValueError: It is an iterator without tables.
        FileNotFoundError: There is no such file.
        ModuleNotFoundError: A package for the path's protocol is not installed.

    Example:
        >>> table = pa.table({"p": [0, 1], "y": [1, 1]})
        >>> found = opened(iter([table, table]))
        >>> found.names, [block.num_rows for block in found.blocks(["p"])]
        (['p', 'y'], [2, 2])
    """
    if isinstance(source, str | os.PathLike):
        source = _dataset(os.fspath(source))
    if isinstance(source, pads.Dataset):
        return _Files(source)
    if hasattr(source, "collect_batches"):  # a lazy frame of polars
        names = source.collect_schema().names()
        return Source(names, lambda columns: _lazily(source, names, columns))
    if hasattr(source, "fetch_record_batch"):  # a relation of DuckDB
        return Source(source.columns, lambda columns: _related(source, columns))
    if isinstance(source, pads.Scanner):
        source = source.to_reader()
    if isinstance(source, pa.RecordBatchReader):
        return Source(names_of(source.schema), lambda _: iter(source))
    if hasattr(source, "__next__"):
        return _of_iterator(source)
    if isinstance(source, Mapping):
        return Source([*source], lambda _: iter([source]))
    if hasattr(source, "__arrow_c_stream__"):
        table = pa.table(source)
        return Source(names_of(table.schema), lambda _: iter([table]))
    raise TypeError(
        f"table must be a DataFrame, an Arrow table, dataset or reader, a DuckDB relation, a dict "
        f"of arrays, an iterator of these, or a path, got {describe(source)}"
    )


def _dataset(path: str) -> Any:
    """Return the files at a path; folders named `day=1` are a column."""
    form = _FORMATS.get(PurePosixPath(path).suffix.lower(), "parquet")
    files = None
    if "://" in path:
        with needed_for(f"the path {path}", _EXTRA):
            from fsspec.core import url_to_fs

            files, path = url_to_fs(path)
    return pads.dataset(path, format=form, filesystem=files, partitioning="hive")


def _lazily(frame: Any, names: Sequence[str], columns: Sequence[str]) -> Iterator[Any]:
    batches = frame.select(_outer(names, columns)).collect_batches(
        chunk_size=_ROWS, maintain_order=True
    )
    return map(pa.table, batches)


def _related(relation: Any, columns: Sequence[str]) -> Iterator[Any]:
    tops = ['"{}"'.format(name.replace('"', '""')) for name in _outer(relation.columns, columns)]
    return iter(relation.project(", ".join(tops)).fetch_record_batch(_ROWS))


def _of_iterator(tables: Iterator[Any]) -> Source:
    first = next(tables, None)
    if first is None:
        raise ValueError("the iterator yields no table, so that its columns are unknown")
    names = opened(first).names

    def read(columns: Sequence[str]) -> Iterator[Any]:
        for table in chain([first], tables):
            yield from opened(table).blocks(columns)

    return Source(names, read)


def _outer(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return which of the outermost columns contain the columns."""
    return [
        name
        for name in names
        if any(column == name or column.startswith(f"{name}.") for column in columns)
    ]
