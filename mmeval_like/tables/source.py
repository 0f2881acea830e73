"""Source: tables that are read block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import GeneratorType
from typing import Any
from weakref import WeakValueDictionary

from mmeval_like.tables.column_matching import known

__all__ = ["Source", "read_once", "read_to_the_end"]

_READ: WeakValueDictionary[int, Any] = WeakValueDictionary()
_BUILT_IN: dict[int, Any] = {}  # such as a map, to which there are no weak references
_MOST = 16  # so many of these are remembered


def read_once(source: Any) -> Any:
    """Return a reader or an iterator that is about to be read.

    Raises:
        ValueError: It was read before: it has no rows any more, or, after an error, only some.
    """
    name = id(source)
    if any(some.get(name) is source for some in (_READ, _BUILT_IN)):
        raise ValueError(
            f"the {type(source).__name__} was read before, and has its rows once: make it again "
            f"for each call"
        )
    try:
        _READ[name] = source
    except TypeError:
        _BUILT_IN[name] = source
        for oldest in [*_BUILT_IN][:-_MOST]:
            _BUILT_IN.pop(oldest, None)
    return source


def read_to_the_end(source: Any) -> None:
    """Forget an iterator of which nothing is left: some, unlike generators, can begin again."""
    if not isinstance(source, GeneratorType):
        _READ.pop(id(source), None)
        _BUILT_IN.pop(id(source), None)


class Source:
    """Tables with the same columns.

    Args:
        names: The names of the columns, those inside structures as `outer.inner`.
        read: Returns the blocks, Arrow tables or dicts of arrays, with at least the columns that it
            is given. It is called once.

    Attributes:
        names: The names of the columns, of the first table if there are several.
        chosen: Returns which columns are read of a further table with these columns; those of all
            tables must be the same. None: those that are asked for.
        gaps: The columns in which an empty text of a CSV file is a missing value.
        parts: What the ranks divide, in words that are equal if it is, once reading has begun.
    """

    def __init__(
        self, names: Sequence[str], read: Callable[[Sequence[str]], Iterator[Any]]
    ) -> None:
        self.names, self.blocks = [*names], read
        self.chosen: Callable[[Sequence[str]], Sequence[str]] | None = None
        self.gaps: Sequence[str] = ()
        self.parts = ""

    def check(self, columns: Sequence[str], names: Sequence[str], table: str) -> None:
        """Check a further table.

        Args:
            columns: The columns that are read.
            names: The columns of the table.
            table: What to call it.

        Raises:
            ValueError: It lacks some of the columns, or has others that would be read.
        """
        alike = [name for name in self.names if name in names]  # in the order of the first table
        names = [*alike, *(name for name in names if name not in alike)]
        try:
            chosen = columns if self.chosen is None else self.chosen(names)
            for name in columns:
                known(name, names)
        except ValueError as error:
            raise ValueError(f"{table}: {error}") from error
        others = [name for name in chosen if name not in columns]
        if others:
            raise ValueError(
                f"{table}: the columns {', '.join(others)} would be read too, but the first table "
                f"does not have them"
            )

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
