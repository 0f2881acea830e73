"""Inspection of all files before any row is read: damage, and the kinds of cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mmeval_like._core.together import together
from mmeval_like.backends import BaseDistBackend
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.cli.readers.table import Table, blaming
from mmeval_like.cli.readers.text_columns import begins_with_texts

__all__ = ["Cells", "inspect_all", "join"]

_KINDS = ("truth", "integer", "float")


@dataclass(frozen=True)
class Cells:
    """The kinds that fit all of some cells of a column.

    Attributes:
        kinds: Those of "truth", "integer" and "float" that fit all cells; if empty, the column is
        text.
        odd: The first cell that is not a number: the file, the start of its block, the row in the
            block, and the text; None if all cells are numbers.
    """

    kinds: frozenset[str] = frozenset(_KINDS)
    odd: tuple[str, int, int, str] | None = None

    @property
    def kind(self) -> str:
        """The kind that all cells are converted to."""
        return next((kind for kind in _KINDS if kind in self.kinds), "text")


def join(parts: Iterable[Mapping[str, Cells]]) -> dict[str, Cells]:
    """Return the kinds that fit the cells of all pieces, by column."""
    found: dict[str, Cells] = {}
    for part in parts:
        for name, cells in part.items():
            before = found.get(name, Cells())
            found[name] = Cells(before.kinds & cells.kinds, before.odd or cells.odd)
    return found


def inspect_all(
    tables: Sequence[Table],
    columns: Sequence[str],
    texts: Collection[str] = (),
    keys: Collection[str] = (),
    backend: BaseDistBackend | None = None,
) -> None:
    """Inspect all files, divided among the ranks, and pass the findings to the tables.

    Args:
        tables: The files. They form one dataset, so a column has the same kind in all of them.
        columns: The columns that will be read.
        texts: Those that are read as text, whatever their cells contain.
        keys: Those that name samples, slices or clusters. If such a column is text in a file of
            another format, it is read as text: 7 in a .csv file is then "7", as in a .jsonl file.
        backend: The backend of the exchange. Every rank must call this function.

    Raises:
        InputError: A file is damaged; the rank that found it raises this, the others raise
            RemoteError.
    """
    backend = backend or NonDist()
    pieces = [(table, piece) for table in tables for piece in table.inspections(columns)]
    numbered = list(enumerate(pieces))[backend.rank :: backend.world_size]

    def share() -> list[tuple[int, dict[str, Any]]]:
        found = []
        for index, (table, piece) in numbered:
            with blaming(table.path):
                found.append((index, table.inspect(piece, columns)))
        if backend.rank == 0 and any(table.decides_late for table in tables):
            others = [table for table in tables if not table.decides_late]
            text = Cells(frozenset())
            found += [
                (-1, {name: text for name in keys if begins_with_texts([table], name)})
                for table in others
            ]
        return found

    told = sorted(
        (pair for of_rank in together(backend, share) for pair in of_rank), key=lambda pair: pair[0]
    )
    cells = join(facts for _, facts in told)
    for name in cells.keys() & set(texts):
        cells[name] = replace(cells[name], kinds=frozenset())
    for table in tables:
        table.learn(cells)
