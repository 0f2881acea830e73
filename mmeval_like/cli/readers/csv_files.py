""".csv and .tsv: a header line, then one row per line. A cell cannot contain a line break."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from mmeval_like._base.room import check_room
from mmeval_like.arrays.arrow import from_arrow
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.inspection import Cells, join
from mmeval_like.cli.readers.kinds import look_at, read_as
from mmeval_like.cli.readers.text_lines import LinesTable
from mmeval_like.tables.arrow_columns import filled
from mmeval_like.tables.unscored import reasons_of_rows

__all__ = ["CsvTable"]

_LONGEST = 2**31 - 1  # bytes of a cell
_BLANK = re.compile(rb"^\r?$", re.MULTILINE)
_GZIP = b"\x1f\x8b"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# Arrow's parser ends the process if there is no memory. It takes up to 4 bytes for each byte: a
# copy, and 4 bytes for a cell, which has at least one byte and a separator; and once a thread.
_ROOM, _LEAST_ROOM = 4, 12 << 20


class CsvTable(LinesTable):
    """Numbers and text, separated by commas, or by tabs in a .tsv file."""

    decides_late = True

    def __init__(self, path: str) -> None:
        self.path = path
        self._separator = "\t" if Path(path).suffix.lower() == ".tsv" else ","
        self._cells: dict[str, Cells] = {}
        with open(path, "rb") as file:
            header = file.readline()
        self.header_bytes = len(header)
        if header.startswith(_GZIP):
            raise InputError(f"{path}: is compressed; its name must end in .gz")
        if header.startswith(_UTF_16) or b"\x00" in header:
            raise InputError(f"{path}: looks like UTF-16; save it as CSV in UTF-8")
        if b"\r" in header.rstrip():
            raise InputError(f"{path}: lines must end in LF or CRLF, and here they end in CR alone")
        try:
            names: list[str] = next(self._reader([header.decode("utf-8-sig")]), [])
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: the header is not UTF-8; save the file in UTF-8") from error
        except csv.Error as error:
            raise InputError(f"{path}: not a CSV file ({error})") from error
        if not names:
            raise InputError(f"{path}: no header line")
        self.columns = [name.strip() for name in names]
        self._header = _plain(header)

    @staticmethod
    def is_row(line: bytes) -> bool:
        """Return whether a line is a row; a tab is one: two empty cells of a .tsv file."""
        return bool(line.strip(b"\r\n"))

    def inspections(self, columns: Sequence[str]) -> list[tuple[int, int]]:
        """Return all pieces of the file: the kind of a column depends on every cell."""
        return self.units()

    def inspect(self, piece: Any, columns: Sequence[str]) -> dict[str, Cells]:
        """Return the kinds that fit the cells of some lines, by column."""
        found = []
        for place, block in self.blocks(*piece):
            self._check_blank(block, place)
            if self.is_row(block):
                texts = self._texts(block, columns, place)
                found.append({name: look_at(texts[name], self.path, place) for name in texts})
        return join(found)

    def learn(self, found: Mapping[str, Cells]) -> None:
        """Store the kinds that fit the cells of all files."""
        self._cells = dict(found)

    def no_number(self, column: str) -> tuple[str, str] | None:
        """Return the place of the first cell of all files that is not a number, and its text."""
        odd = self._cells[column].odd
        if odd is None:
            return None
        path, place, row, text = odd
        return f"{path}, line {self.line_of(path, place, row)}", text

    def parse(self, block: bytes, columns: Sequence[str], place: int) -> dict[str, Any]:
        """Return the columns, each converted to its kind."""
        found = {}
        for name, texts in self._texts(block, columns, place).items():
            column = read_as(self._cells[name].kind, texts)
            column = filled(column) if name in self.gaps else column
            if self.may_lack(name):
                found[name] = _with_none(column)
                continue
            if column.null_count:
                row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
                line = self.line_of(self.path, place, row)
                raise InputError(self.no_value(f"line {line}", name))
            found[name] = from_arrow(column)
        return found

    def _texts(self, block: bytes, columns: Sequence[str], place: int) -> dict[str, Any]:
        """Return the cells of whole lines as Arrow strings, by column."""
        self._check_quotes(block, place)
        self._check_joined(block, place)
        check_room(_ROOM * len(block) + _LEAST_ROOM)
        try:
            table = pyarrow.csv.read_csv(
                pa.BufferReader(block),
                pyarrow.csv.ReadOptions(
                    column_names=self.columns, use_threads=False, block_size=len(block) + 1
                ),
                pyarrow.csv.ParseOptions(delimiter=self._separator),
                pyarrow.csv.ConvertOptions(
                    include_columns=[*dict.fromkeys([*columns, *self.marks])],
                    column_types=dict.fromkeys([*columns, *self.marks], pa.binary()),
                    strings_can_be_null=False,
                ),
                pa.system_memory_pool(),
            )
        except pa.ArrowInvalid as error:
            text = self._first_bad(block, place) or f"{self.path}: {error}"
            raise InputError(text) from error
        found = {}
        for name in dict.fromkeys([*columns, *self.marks]):
            try:
                found[name] = table[name].combine_chunks().cast(pa.string())
            except pa.ArrowInvalid as error:
                raise InputError(
                    f"{self.path}: the text in {name!r} is not UTF-8; save the file in UTF-8"
                ) from error
        if self.marks:
            said = {name: (some, found[name].to_pylist()) for name, some in self.marks.items()}
            without = pa.array([one is not None for one in reasons_of_rows(said, [], len(table))])
            for name in self.predictions & found.keys():  # which may be anything, such as "ERROR"
                found[name] = pc.if_else(without, pa.scalar(""), found[name])
        return {name: found[name] for name in columns}

    def _check_quotes(self, block: bytes, place: int) -> None:
        if b'"' not in block:
            return
        for index, line in enumerate(filter(self.is_row, block.split(b"\n"))):
            if line.count(b'"') % 2:
                number = self.line_of(self.path, place, index)
                raise InputError(
                    f"{self.path}, line {number}: a cell with a line break, or a quote that is not "
                    f"closed; write such text as .jsonl or .parquet"
                )

    def _check_blank(self, block: bytes, place: int) -> None:
        """Refuse blank lines in a file of one column, where some writers mean an empty cell."""
        found = _BLANK.search(block.removesuffix(b"\n")) if len(self.columns) == 1 else None
        if found is not None:
            raise InputError(
                f"{self.path}, line {self.line_at(self.path, place + found.start())}: a blank line "
                f'may be a row whose only cell is empty; write "" if it is one, or remove it'
            )

    def _check_joined(self, block: bytes, place: int) -> None:
        """Refuse what `cat` leaves among the rows: a header, or the byte order mark before it.

        The parser drops a mark at the beginning of a block alone.
        """
        has_header = self._header in block and not all(map(str.isdigit, self.columns))
        if not has_header and codecs.BOM_UTF8 not in block:
            return
        for index, line in enumerate(filter(self.is_row, block.split(b"\n"))):
            if has_header and _plain(line) == self._header:
                found = "the header again"
            elif line.startswith(codecs.BOM_UTF8):
                found = "a byte order mark within the file"
            else:
                continue
            number = self.line_of(self.path, place, index)
            raise InputError(
                f"{self.path}, line {number}: {found}; remove it, or give the files one by one"
            )

    def _first_bad(self, block: bytes, place: int) -> str:
        lines = block.decode(errors="replace").splitlines()
        for index, cells in enumerate(filter(None, self._reader(lines))):
            if len(cells) != len(self.columns):
                wanted = f"{len(self.columns)} cells as in the header"
                line = self.line_of(self.path, place, index)
                return f"{self.path}, line {line}: expected {wanted}, got {len(cells)}"
        return ""

    def _reader(self, lines: Sequence[str]) -> Any:
        csv.field_size_limit(_LONGEST)
        return csv.reader(lines, delimiter=self._separator)


def _with_none(column: Any) -> Any:
    """Return a column; if cells are empty, a list with None for them."""
    if pa.types.is_string(column.type):
        return [text if text.strip() else None for text in column.to_pylist()]
    return column.to_pylist() if column.null_count else from_arrow(column)


def _plain(line: bytes) -> bytes:
    return line.strip().removeprefix(codecs.BOM_UTF8)
