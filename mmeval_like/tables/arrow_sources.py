"""Sources of tables in Arrow's formats: files, datasets, readers, relations and lazy frames."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads

from mmeval_like._base.optional import needed_for
from mmeval_like.tables.arrow_columns import condition_of, names_of, without_views
from mmeval_like.tables.remote_files import file_system, until_exit
from mmeval_like.tables.source import Source, read_once

__all__ = ["of_paths", "opened"]

_ROWS = 1 << 16
_CHECKED = pads.ParquetFragmentScanOptions(page_checksum_verification=True)
_ZEROS = re.compile(r"(?:^|/)([^/=]+)=0[0-9]+(?=/)")
# Cells of a CSV file that are names, as on the command line, and that Arrow reads as numbers.
_ZERO_FIRST = r"^\s*[-+]?0[0-9xX]"
_BEYOND_64_BITS = r"^\s*[-+]?[0-9]{19,}\s*$"  # as a float; as an integer, it is exact
_FORMATS = {".feather": "feather", ".arrow": "feather", ".csv": "csv"}  # the others are Parquet


class _Files(Source):
    """The files of a dataset, divided by row groups where they have them.

    Args:
        dataset: The files.
        alike: Whether each file must have the columns that are read.
        condition: Which rows are read.
        share: The rank that reads, and the number of ranks.
    """

    def __init__(
        self, dataset: Any, alike: bool, condition: Any = None, share: tuple[int, int] = (0, 1)
    ) -> None:
        super().__init__(names_of(dataset.schema), lambda columns: until_exit(self._read(columns)))
        self._dataset, self._alike = dataset, alike
        self._condition, self._share = condition, share

    def _read(self, columns: Sequence[str]) -> Iterator[Any]:
        schema, condition, (rank, ranks) = self._dataset.schema, self._condition, self._share
        tops = _outer(schema.names, columns)
        files = [*self._dataset.get_fragments(condition)]
        if self._alike:
            for file in files:
                names = [*names_of(file.physical_schema), *_folders(file)]
                self.check(columns, names, file.path)
                schema = _holding(schema, tops, file)
                if isinstance(file.format, pads.CsvFileFormat):
                    schema = _with_names(schema, tops, file)
        pieces: list[Any] = []
        for file in files:
            grouped = isinstance(file, pads.ParquetFileFragment)
            pieces += file.split_by_row_group(condition, schema) if grouped else [file]
        self.parts = _told(pieces)
        first, last = (len(pieces) * place // ranks for place in (rank, rank + 1))
        for piece in pieces[first:last]:  # one after the other: more would be in memory at once
            checked = _CHECKED if isinstance(piece, pads.ParquetFileFragment) else None
            batches = piece.to_batches(
                schema, tops, condition, _ROWS, batch_readahead=0, fragment_scan_options=checked
            )
            tables = _tables(batch for batch in batches if batch.num_rows)
            is_csv = isinstance(getattr(piece, "format", None), pads.CsvFileFormat)
            yield from map(self._with_gaps, tables) if is_csv else tables

    def _with_gaps(self, table: Any) -> Any:
        """Return rows of a CSV file, in which white space alone is no text where a gap may be."""
        for place, name in enumerate(table.column_names):
            if name in self.gaps and pa.types.is_string(table[name].type):
                blank = pc.equal(pc.utf8_trim_whitespace(table[name]), "")
                column = pc.if_else(blank, pa.scalar(None, pa.string()), table[name])
                table = table.set_column(place, name, column)
        return table

    def between(self, ends: Mapping[str, tuple[Any, Any]]) -> Source:
        condition = condition_of(self._dataset.schema, ends)
        return _Files(self._dataset, self._alike, condition, self._share)

    def share(self, rank: int, ranks: int) -> Source:
        return _Files(self._dataset, self._alike, self._condition, (rank, ranks))


def _folders(file: Any) -> list[str]:
    """Return the columns that the folders of a file give it."""
    return [*pads.get_partition_keys(file.partition_expression)]


def _holding(schema: Any, names: Sequence[str], file: Any) -> Any:
    """Return a schema in whose columns the values of a file are the same, too.

    Raises:
        ValueError: There is no such type, as for numbers and texts.
    """
    for name in names:
        if name not in file.physical_schema.names:  # a column of folders
            continue
        known, other = schema.field(name), file.physical_schema.field(name)
        if known.type == other.type:
            continue
        alone = [pa.schema([field.with_type(_decoded(field.type))]) for field in (known, other)]
        try:
            [joined] = pa.unify_schemas(alone, promote_options="permissive")
        except pa.ArrowTypeError as error:
            raise ValueError(
                f"{file.path}: the column {name!r} has the type {other.type}, and in files before "
                f"{known.type}: write the files with one type, or say it by "
                f"pyarrow.dataset.dataset(path, schema=...)"
            ) from error
        schema = schema.set(schema.get_field_index(name), joined)
    return schema


def _with_names(schema: Any, names: Sequence[str], file: Any) -> Any:
    """Return a schema in which columns of a CSV file are texts if a cell is a name.

    Arrow reads `007` and `7` as the same number. Only columns that it takes for numbers are looked
    at, block by block.
    """
    patterns = {
        name: "|".join([_ZERO_FIRST, *[_BEYOND_64_BITS] * pa.types.is_floating(kind)])
        for name in names
        if pa.types.is_integer(kind := schema.field(name).type) or pa.types.is_floating(kind)
    }
    fields = {name: schema.field(name).with_type(pa.string()) for name in patterns}
    texts = pa.schema([fields.get(field.name, field) for field in schema])
    found = set[str]()
    blocks = file.to_batches(texts, [*patterns], batch_size=_ROWS, batch_readahead=0)
    for block in blocks if patterns else ():
        for name in patterns.keys() - found:
            if pc.any(pc.match_substring_regex(block[name], patterns[name])).as_py():
                found.add(name)
    return pa.schema([fields[one.name] if one.name in found else one for one in schema])


def _decoded(kind: Any) -> Any:
    return without_views(kind.value_type if pa.types.is_dictionary(kind) else kind)


def _told(pieces: Sequence[Any]) -> str:
    """Return what a rank found, in words that are equal if the rows are."""
    known = [
        (
            PurePosixPath(getattr(piece, "path", "")).name,
            [
                (one.id, one.num_rows, one.total_byte_size)
                for one in getattr(piece, "row_groups", ())
            ],
        )
        for piece in pieces
    ]
    digest = hashlib.blake2b(repr(known).encode(), digest_size=4).hexdigest()
    return f"{len(pieces)} row groups or files with the digest {digest}"


def opened(source: Any) -> Source:
    """Return a source of anything but dicts and iterators of tables; errors are those of `opened`.

    Example:
        >>> found = opened(pa.table({"p": [0, 1], "y": [1, 1]}).to_reader())
        >>> found.names, [block.num_rows for block in found.blocks(["p"])]
        (['p', 'y'], [2])
    """
    if isinstance(source, str | os.PathLike):
        return _Files(_dataset(os.fspath(source)), alike=True)
    if isinstance(source, pads.Dataset):  # whose schema may be meant to have other columns
        return _Files(source, alike=False)
    if hasattr(source, "collect_batches"):  # a lazy frame of polars
        names = source.collect_schema().names()
        every = names_of(pa.table(source.clear().collect()).schema)
        return Source(every, lambda columns: _lazily(source.select(_outer(names, columns))))
    if hasattr(source, "fetch_record_batch"):  # a relation of DuckDB
        every = names_of(pa.table(source.limit(0)).schema)
        return Source(every, lambda columns: _related(source, columns))
    if isinstance(source, pads.Scanner):
        source = source.to_reader()
    if isinstance(source, pa.RecordBatchReader):
        return Source(names_of(source.schema), lambda _: _tables(read_once(source)))
    if hasattr(source, "__next__"):  # batches of polars
        stream = pa.RecordBatchReader.from_stream(read_once(source))
        return Source(names_of(stream.schema), lambda _: _tables(stream))
    table = pa.table(source)
    return Source(names_of(table.schema), lambda _: iter([table]))


def of_paths(paths: Sequence[str]) -> Source:
    """Return a source of Parquet files, or of one folder of them; errors are those of `score`."""
    path = paths[0] if len(paths) == 1 else [*paths]
    return _Files(_of_folders(path, format="parquet"), alike=True)


def _dataset(path: str) -> Any:
    """Return the files at a path; folders named `day=1` are a column."""
    form = _FORMATS.get(PurePosixPath(path).suffix.lower(), "parquet")
    files = None
    if "://" in path:
        with needed_for(f"the path {path}", "pip install 'mmeval-like[remote]'"):
            from fsspec.core import url_to_fs

            files, path = url_to_fs(path)
            files.invalidate_cache()  # it has sizes and lists of files of earlier calls
    handled = files and file_system(files)
    try:
        found = _of_folders(path, format=form, filesystem=handled)
    except FileNotFoundError:
        if files is not None:
            files.info(path)  # whose error says more, such as that there is no such revision
        raise
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"{path}: paths are those of Parquet files, of folders of these, and of files that end "
            f"with {', '.join(_FORMATS)}; open others with pyarrow.dataset.dataset(path, "
            f"format=...): {error}"
        ) from error
    if not found.files:
        raise FileNotFoundError(f"{path}: the folder has no files")
    return found


def _of_folders(path: Any, **options: Any) -> Any:
    """Return the files at a path, or at several; folders named `day=1` are a column.

    As in a cell of a CSV file, a number with leading zeros is a name, so that the folders `zone=01`
    and `zone=1` are two values.
    """
    try:
        found = pads.dataset(path, partitioning="hive", **options)
    except pa.ArrowInvalid as error:
        empty = re.search("No non-null segments .* for field '(.*)';", str(error))
        if empty is None:
            raise
        raise ValueError(
            f"{path}: no folder has a value of {empty[1]!r}, so that its type is unknown: "
            f"give the column a value, or name all columns of folders, and open the path by "
            f"pyarrow.dataset.dataset(path, partitioning=pyarrow.dataset.partitioning("
            f"pyarrow.schema([({empty[1]!r}, pyarrow.string())]), flavor='hive'))"
        ) from error
    names = {name for file in found.files for name in _ZEROS.findall(file)}
    if not names:
        return found
    fields = [
        one.with_type(pa.string()) if one.name in names else one
        for one in found.partitioning.schema
    ]
    flavor = pads.partitioning(pa.schema(fields), flavor="hive")
    return pads.dataset(path, partitioning=flavor, **options)


def _lazily(frame: Any) -> Iterator[Any]:
    return map(pa.table, frame.collect_batches(chunk_size=_ROWS, maintain_order=True))


def _related(relation: Any, columns: Sequence[str]) -> Iterator[Any]:
    tops = ['"{}"'.format(name.replace('"', '""')) for name in _outer(relation.columns, columns)]
    chosen = relation.project(", ".join(tops))
    read = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch  # before 1.4
    return _tables(read(_ROWS))


def _tables(batches: Any) -> Iterator[Any]:
    return (pa.Table.from_batches([batch]) for batch in batches)


def _outer(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return which of the outermost columns contain the columns."""
    return [
        name
        for name in names
        if any(column == name or column.startswith(f"{name}.") for column in columns)
    ]
