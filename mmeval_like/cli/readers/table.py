"""What every format provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["BATCH_ROWS", "Batch", "Table"]

BATCH_ROWS = 65_536


@dataclass(frozen=True)
class Batch:
    """Some rows of a file.

    Attributes:
        columns: By name, an array or a list with one entry per row.
        place: The index of the first row in the file; for text files the byte where it begins.
    """

    columns: dict[str, Any]
    place: int


class Table(ABC):
    """A file of rows.

    Attributes:
        path: The file.
        columns: The names of its columns.
    """

    path: str
    columns: list[str]

    @abstractmethod
    def units(self) -> list[tuple[int, int]]:
        """Return ranges that make up the file, each small enough to be one piece of work."""

    @abstractmethod
    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows of one range in batches.

        Raises:
            InputError: The file is damaged.
        """

    @abstractmethod
    def describe(self, batch: Batch, index: int) -> str:
        """Return where a batch's row stands, for an error: "row 17"."""
