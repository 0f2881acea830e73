""".csv: a header line, then one row per line. Line ends inside quotes are not supported."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.columns import from_arrow
from mmeval_like.cli.readers.text_lines import LinesTable

__all__ = ["CsvTable"]


class CsvTable(LinesTable):
    """Numbers and text, separated by commas."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, "rb") as file:
            header = file.readline()
        self.header_bytes = len(header)
        try:
            names = next(csv.reader([header.decode("utf-8-sig")]), [])
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path}: not a CSV file ({error})") from error
        if not names:
            raise InputError(f"{path}: no header line")
        self.columns = [name.strip() for name in names]

    def parse(self, block: bytes, columns: Sequence[str], place: int) -> dict[str, Any]:
        """Return the columns; numbers where all cells are numbers, else text."""
        try:
            table = pyarrow.csv.read_csv(
                io.BytesIO(block),
                pyarrow.csv.ReadOptions(column_names=self.columns, use_threads=False),
                convert_options=pyarrow.csv.ConvertOptions(
                    include_columns=list(columns), strings_can_be_null=False
                ),
            )
        except pa.ArrowInvalid as error:
            raise InputError(self._first_bad(block, place) or f"{self.path}: {error}") from error
        found = {}
        for name in columns:
            column = table[name]
            if pa.types.is_binary(column.type):
                raise InputError(f"{self.path}: the text in {name!r} is not UTF-8")
            if column.null_count:
                row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
                raise InputError(
                    f"{self.path}, line {self.line_of(place, row)}: no value in {name!r}"
                )
            found[name] = from_arrow(column)
        return found

    def _first_bad(self, block: bytes, place: int) -> str:
        lines = block.decode(errors="replace").splitlines()
        for index, cells in enumerate(csv.reader(lines)):
            if cells and len(cells) != len(self.columns):
                number = self.line_of(place, 0) + index
                wanted = f"{len(self.columns)} cells as in the header"
                return f"{self.path}, line {number}: expected {wanted}, got {len(cells)}"
        return ""
