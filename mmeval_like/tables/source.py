"""Source: tables that are read block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

__all__ = ["Source"]


class Source:
    """Tables with the same columns.

    Args:
        names: The names of the columns, those inside structures as `outer.inner`.
        read: Returns the blocks, Arrow tables or dicts of arrays, with at least the columns that it
            is given. It is called once.

    Attributes:
        names: The names of the columns.
    """

    def __init__(
        self, names: Sequence[str], read: Callable[[Sequence[str]], Iterator[Any]]
    ) -> None:
        self.names, self.blocks = [*names], read

    def between(self, ends: Mapping[str, tuple[Any, Any]]) -> Source:
        """Return the rows with values between two, both included; it needs pyarrow.

        Args:
            ends: The first and the last value of columns.

        Raises:
            ValueError: An entry is no pair, or a value is not of the column's type; at once, or
                when the rows are read.
        """
        from mmeval_like.tables.arrow_columns import inside

        def read(columns: Sequence[str]) -> Iterator[Any]:
            return (inside(block, ends) for block in self.blocks(columns))

        return Source(self.names, read)

    def share(self, rank: int, ranks: int) -> Source:
        """Return the part of the source that a rank reads, of as many ranks.

        Raises:
            TypeError: The source cannot be divided.
        """
        raise TypeError(
            "divided=True is for a path or a dataset of pyarrow, which all ranks can read: other "
            "tables have no parts to divide"
        )
