"""Slices by a column of floats: by quartile, or by value if there are few distinct values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._core.together import together
from mmeval_like._samples.ids import distinct, read_ids
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import RowBatch, Table, blaming

__all__ = ["FEW", "Ranges", "as_floats", "find_ranges", "is_float", "ranges_of", "sorted_into"]

FEW = 10  # up to this number of distinct values, each value is a slice
_EXACT = 2**53  # from here on, a float may be another integer that was rounded
_PARTS = 4
_BOOL = np.dtype(bool)

Ranges: TypeAlias = "list[float]"  # the upper ends, or, at most `FEW` of them, the values


def find_ranges(
    tables: Sequence[Table], names: Sequence[str], ids: str | None, backend: BaseDistBackend
) -> dict[str, tuple[bool, Ranges]]:
    """Return, for columns of floats, whether each value is a slice, and the values or ranges.

    A column counts as floats if it has floats in the first rows of any file.

    Args:
        tables: All files.
        names: The columns that define slices.
        ids: The column of ids, each of which counts once; None: every row counts.
        backend: The backend of the exchange. Every rank must call this function.

    Raises:
        InputError: Such a column has texts or booleans, too; the other ranks raise RemoteError.
    """
    if not names:
        return {}
    own = tables[backend.rank :: backend.world_size]
    firsts = together(backend, lambda: [x for x in names if any(_has_floats(t, x) for t in own)])
    floats = [name for name in names if any(name in of_rank for of_rank in firsts)]
    if not floats:
        return {}
    units = [(table, unit) for table in tables for unit in table.units()]

    def share() -> list[tuple[dict[str, np.ndarray], np.ndarray | None]]:
        found = []
        for table, (start, stop) in units[backend.rank :: backend.world_size]:
            with blaming(table.path):
                for batch in table.read(start, stop, [*floats, *([ids] if ids else [])]):
                    for name in floats:
                        _check_numbers(table, batch, name)
                    columns = {name: as_floats(batch.columns[name]) for name in floats}
                    found.append((columns, _ids(table, batch, ids)))
        return found if ids else [({name: _known(found, name) for name in floats}, None)]

    told = [part for of_rank in together(backend, share) for part in of_rank]
    return {name: _ranges(_known(told, name)) for name in floats}


def _ids(table: Table, batch: RowBatch, name: str | None) -> np.ndarray | None:
    if name is None:
        return None
    table.check_filled(batch, name)
    cells = batch.columns[name]
    return read_ids(cells, len(cells))


def _known(parts: Sequence[tuple[Mapping[str, np.ndarray], Any]], name: str) -> np.ndarray:
    """Return the numbers of a column, ascending, without nan; of one id the largest counts."""
    numbers = np.concatenate([np.empty(0), *(columns[name] for columns, _ in parts)])
    if len(numbers) and parts[0][1] is not None:
        order = np.argsort(-numbers)
        numbers = numbers[order][distinct(np.concatenate([ids for _, ids in parts])[order])[1]]
    return np.sort(numbers[~np.isnan(numbers)])


def sorted_into(column: Any, each: bool, ranges: Ranges) -> list[int | str | None]:
    """Return the slice of every number: "q2 to 0.5" for the second quarter, which ends at 0.5."""
    numbers = as_floats(column)
    if each:
        return [None if math.isnan(v) else _name(v) for v in numbers.tolist()]
    places = np.searchsorted(ranges, numbers, "left")
    ends = [f"{end:.6g}" for end in ranges]
    ends = ends if len({*ends}) == len(ends) else [*map(repr, ranges)]
    return [
        None if math.isnan(v) else f"q{i + 1} to {ends[i]}"
        for v, i in zip(numbers.tolist(), places.tolist(), strict=True)
    ]


def ranges_of(column: Sequence[Any]) -> tuple[bool, Ranges]:
    """Return whether each value of a column of floats is a slice, and the values or ranges.

    Example:
        >>> ranges_of([0.5, None, 1.5])
        (True, [0.5, 1.5])
    """
    return _ranges(_known([({"": as_floats(column)}, None)], ""))


def _name(number: float) -> int | str:
    return int(number) if number == int(number) else repr(number)


def _ranges(ascending: np.ndarray) -> tuple[bool, Ranges]:
    """Return the ranges, from the numbers in their order."""
    values = np.unique(ascending)
    if len(values) <= FEW and (abs(values) < _EXACT).all():
        return True, values.tolist()
    ends = [-(-len(ascending) * part // _PARTS) for part in range(1, _PARTS + 1)]
    return False, np.unique(ascending[np.array(ends) - 1]).tolist()


def _has_floats(table: Table, name: str) -> bool:
    """Return whether the first rows of a file have floats in a column."""
    for start, stop in table.units()[:1]:
        with blaming(table.path):
            for batch in table.read(start, stop, [name]):
                return any(map(is_float, batch.columns[name][:1000]))
    return False


def _check_numbers(table: Table, batch: RowBatch, name: str) -> None:
    """Raise InputError if a column of floats has cells that have no place among ranges."""
    cells = batch.columns[name]
    for row, cell in enumerate(() if getattr(cells, "dtype", _BOOL) != _BOOL else cells):
        if isinstance(cell, str | bool | np.bool_):
            what = f"text {cell!r:.50}" if isinstance(cell, str) else f"boolean {cell}"
            raise InputError(
                f"{table.path}, {table.describe(batch, row)}: {name!r} has floats, and the {what}: "
                "slices need texts alone, or numbers alone"
            )


def as_floats(column: Sequence[Any]) -> np.ndarray:
    """Return the numbers of a column, with nan for missing ones, and without -0.0.

    Example:
        >>> as_floats([1, None, -0.0])
        array([ 1., nan,  0.])
    """
    return np.array([math.nan if _missing(v) else float(v) for v in column], np.float64) + 0.0


def is_float(value: Any) -> bool:
    """Return whether a value is a float, of Python or numpy."""
    return isinstance(value, float | np.floating)


def _missing(value: Any) -> bool:
    return value is None or value != value
