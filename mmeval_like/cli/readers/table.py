"""The interface of all file formats."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from mmeval_like._base import blame
from mmeval_like.cli.errors import InputError

__all__ = ["BATCH_ROWS", "RowBatch", "Table", "blaming", "stamp"]

BATCH_ROWS = 65_536


@dataclass(frozen=True)
class RowBatch:
    """Some rows of a file.

    Attributes:
        columns: By name, an array or a list with one entry per row.
        place: The index of the first row in the file; for text files the offset of its first byte.
    """

    columns: dict[str, Any]
    place: int


class Table(ABC):
    """A file of rows.

    Attributes:
        path: The file.
        columns: The names of its columns.
        gaps: The columns whose cells may have no value: they are nan among numbers, otherwise "".
        slices: The columns that define slices.
        predictions: The columns of predictions.
        accounts: Whether rows may have no score.
        marks: The columns that say why a row has no score, and for each the entries that do; see
            `marks_of`.
    """

    path: str
    columns: list[str]
    gaps: tuple[str, ...] = ()
    slices: frozenset[str] = frozenset()
    predictions: frozenset[str] = frozenset()
    accounts: bool = False
    marks: Mapping[str, Sequence[str]] = MappingProxyType({})
    decides_late: ClassVar[bool] = False
    """Whether the kind of a column is decided when the cells of all files are known."""

    def inspections(self, columns: Sequence[str]) -> list[Any]:
        """Return the pieces of the file to inspect before any row is read."""
        return []

    def inspect(self, piece: Any, columns: Sequence[str]) -> dict[str, Any]:
        """Inspect a piece, and return the findings, by column.

        Raises:
            InputError: The piece is damaged.
        """
        return {}

    def learn(self, found: Mapping[str, Any]) -> None:  # noqa: B027  # most formats have none
        """Take the findings from all pieces of all files of this format, by column."""

    def may_lack(self, column: str) -> bool:
        """Return whether cells of a column may have no value: they are None."""
        return self.accounts and (column in self.predictions or column in self.marks)

    def no_value(self, place: str, column: str) -> str:
        """Return the error for a cell without a value, and what to do with a missing prediction."""
        cure = "; --unscored drop, 0 or bounds says what such rows count as"
        text = f"{self.path}, {place}: no value in {column!r}"
        return text + (cure if column in self.predictions else "")

    def check_filled(self, batch: RowBatch, column: str) -> None:
        """Raise InputError if a cell of a column of names is None, or has at most spaces."""
        cells = batch.columns[column]
        if getattr(cells, "dtype", np.dtype(object)).kind in "biuf":
            return
        for row, cell in enumerate(cells):
            if cell is None or (isinstance(cell, str) and not cell.strip()):
                raise InputError(self.no_value(self.describe(batch, row), column))

    def no_number(self, column: str) -> tuple[str, str] | None:
        """Return the place of the first cell that is not a number, and its text, if known."""
        return None

    @abstractmethod
    def units(self) -> list[tuple[int, int]]:
        """Return ranges that make up the file, each small enough to be one piece of work."""

    @abstractmethod
    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RowBatch]:
        """Yield the rows of one range in batches.

        Raises:
            InputError: The file is damaged.
        """

    @abstractmethod
    def describe(self, batch: RowBatch, index: int) -> str:
        """Return the place of a batch's row, for an error: "row 17"."""


def stamp(path: str) -> tuple[int, int, int]:
    """Return a stamp that changes when a file is written or replaced."""
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def blaming(path: str) -> Iterator[None]:
    """Replace any exception that reading the file raises by one that names the file.

    Raises:
        InputError: Replaces any other exception.
    """
    try:
        with blame.blaming(path, InputError):
            yield
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except ImportError as error:
        raise InputError(f"{path}: {error}") from error
