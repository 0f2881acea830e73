""".feather and .arrow: record batches in Arrow's file format, mapped into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.ipc

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.columns import from_record_batch
from mmeval_like.cli.readers.table import BATCH_ROWS, RowBatch, Table
from mmeval_like.tables.arrow_columns import names_of

__all__ = ["ArrowTable"]


class ArrowTable(Table):
    """Numbers, text, lists and structures."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._file = pyarrow.ipc.open_file(pa.memory_map(path))
        except pa.ArrowInvalid as error:
            raise InputError(f"{path}: truncated or not an Arrow file") from error
        self.columns = names_of(self._file.schema)

    def units(self) -> list[tuple[int, int]]:
        """Return the record batches one by one."""
        return [(index, index + 1) for index in range(self._file.num_record_batches)]

    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RowBatch]:
        """Yield the rows of some record batches."""
        place = sum(self._file.get_batch(index).num_rows for index in range(start))
        for index in range(start, stop):
            whole = self._file.get_batch(index)
            whole.validate(full=True)
            for first in range(0, whole.num_rows, BATCH_ROWS):
                batch = whole.slice(first, BATCH_ROWS)
                yield RowBatch(from_record_batch(self, batch, columns, place), place)
                place += batch.num_rows

    def describe(self, batch: RowBatch, index: int) -> str:
        """Return the row's index."""
        return f"row {batch.place + index}"
