"""Text files with one row per line, cut at line ends so that ranks read different bytes."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from mmeval_like.cli.readers.table import RowBatch, Table

__all__ = ["LinesTable"]

_UNIT_BYTES = 32 << 20
_READ_BYTES = 4 << 20


class LinesTable(Table):
    """A file whose rows are lines; a row belongs to the range in which it begins."""

    header_bytes = 0

    @staticmethod
    def is_row(line: bytes) -> bool:
        """Return whether a line is a row: blank lines are none."""
        return bool(line.strip())

    def units(self) -> list[tuple[int, int]]:
        """Return ranges of bytes."""
        size = os.path.getsize(self.path)
        starts = range(self.header_bytes, size, _UNIT_BYTES)
        return [(start, min(start + _UNIT_BYTES, size)) for start in starts]

    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RowBatch]:
        """Yield the lines that begin in the range."""
        for place, block in self.blocks(start, stop):
            if self.is_row(block):
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
        return f"line {self.line_of(self.path, batch.place, index)}"

    @classmethod
    def line_of(cls, path: str, place: int, index: int) -> int:
        """Return the line number of a row, the index-th from this byte; blank lines are skipped."""
        number = cls.line_at(path, place)
        with open(path, "rb") as file:
            file.seek(place)
            for line in file:
                index -= cls.is_row(line)
                if index < 0:
                    break
                number += 1
        return number

    @staticmethod
    def line_at(path: str, place: int) -> int:
        """Return the number of the line that begins at this byte, counted from 1."""
        with open(path, "rb") as file:
            number = 1
            while file.tell() < place:
                number += file.read(min(_READ_BYTES, place - file.tell())).count(b"\n")
        return number
