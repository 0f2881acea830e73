"""Text files with one row per line, cut at line ends so that ranks read different bytes."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from mmeval_like.cli.readers.table import RowBatch, Table

__all__ = ["LinesTable", "line_of"]

_UNIT_BYTES = 32 << 20
_READ_BYTES = 4 << 20


class LinesTable(Table):
    """A file whose rows are lines; a row belongs to the range in which it begins."""

    header_bytes = 0

    def units(self) -> list[tuple[int, int]]:
        """Return ranges of bytes."""
        size = os.path.getsize(self.path)
        starts = range(self.header_bytes, size, _UNIT_BYTES)
        return [(start, min(start + _UNIT_BYTES, size)) for start in starts]

    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RowBatch]:
        """Yield the lines that begin in the range."""
        for place, block in self.blocks(start, stop):
            yield RowBatch(self.parse(block, columns, place), place)

    def blocks(self, start: int, stop: int) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that begin in the range, many at a time, and the byte they begin at."""
        with open(self.path, "rb") as file:
            if start > self.header_bytes:  # skip the line that began in the range before
                file.seek(start - 1)
                start += len(file.readline()) - 1
            file.seek(start)
            while start < stop:
                block = file.read(min(_READ_BYTES, stop - start))
                if not block.endswith(b"\n"):
                    block += file.readline()
                if not block:
                    return
                if block.strip():
                    yield start, block
                start += len(block)

    @abstractmethod
    def parse(self, block: bytes, columns: Sequence[str], place: int) -> dict[str, Any]:
        """Return the columns of whole lines.

        Raises:
            InputError: A line cannot be parsed.
        """

    def describe(self, batch: RowBatch, index: int) -> str:
        """Return the row's line, counted from 1."""
        return f"line {line_of(self.path, batch.place, index)}"


def line_of(path: str, place: int, index: int) -> int:
    """Return the line number of a row, the index-th from this byte; blank lines are skipped."""
    with open(path, "rb") as file:
        number = 1
        while file.tell() < place:
            number += file.read(min(_READ_BYTES, place - file.tell())).count(b"\n")
        for line in file:
            index -= bool(line.strip())
            if index < 0:
                break
            number += 1
    return number
