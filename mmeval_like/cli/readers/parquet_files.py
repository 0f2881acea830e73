""".parquet: each rank reads its own row groups, and only the columns that are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

import pyarrow as pa
import pyarrow.parquet

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.columns import from_record_batch
from mmeval_like.cli.readers.table import BATCH_ROWS, RowBatch, Table
from mmeval_like.tables.arrow_columns import names_of

__all__ = ["ParquetTable"]

_UNIT_ROWS = 1_000_000


class ParquetTable(Table):
    """Numbers, text, lists and structures."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._file = pyarrow.parquet.ParquetFile(path, page_checksum_verification=True)
        except pa.ArrowInvalid as error:
            raise InputError(f"{path}: truncated or not a parquet file") from error
        self.columns = names_of(self._file.schema_arrow)
        metadata = self._file.metadata
        counts = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        self._starts = [0, *accumulate(counts)]

    def units(self) -> list[tuple[int, int]]:
        """Return ranges of row groups: about a million rows each, or one larger group."""
        units, first = [], 0
        for end in range(1, len(self._starts)):
            last = end == len(self._starts) - 1
            if last or self._starts[end] - self._starts[first] >= _UNIT_ROWS:
                units.append((first, end))
                first = end
        return units

    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RowBatch]:
        """Yield the rows of some row groups."""
        place = self._starts[start]
        try:
            batches = self._file.iter_batches(
                BATCH_ROWS, list(range(start, stop)), list(columns), use_threads=False
            )
            for batch in batches:
                found = from_record_batch(self, batch, columns, place)
                yield RowBatch(found, place)
                place += batch.num_rows
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            text = str(error).splitlines()[0]
            raise InputError(f"{self.path}: damaged near row {place} ({text})") from error

    def describe(self, batch: RowBatch, index: int) -> str:
        """Return the row's index."""
        return f"row {batch.place + index}"
