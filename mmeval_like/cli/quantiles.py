"""Slices by a column of floats: by quartile, or by value if there are few distinct values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._core.together import together
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import RowBatch, Table, blaming

__all__ = ["FEW", "Ranges", "find_ranges", "is_float", "ranges_of", "sorted_into"]

FEW = 10  # up to this number of distinct values, each value is a slice
_PARTS = 4

Ranges: TypeAlias = "list[float]"  # the upper ends, or, at most `FEW` of them, the values


def find_ranges(
    tables: list[Table], names: list[str], backend: BaseDistBackend
) -> dict[str, tuple[bool, Ranges]]:
    """Return, for columns of floats, whether each value is a slice, and the values or ranges.

    A column counts as floats if it has floats in the first rows of the first file.

    Args:
        tables: All files.
        names: The columns that define slices.
        backend: The backend of the exchange. Every rank must call this function.

    Raises:
        InputError: Such a column has texts, too; the other ranks raise RemoteError.
    """
    floats = [name for name in names if any(map(is_float, _first_rows(tables, name)))]
    if not floats:
        return {}
    units = [(table, unit) for table in tables for unit in table.units()]

    def share() -> dict[str, tuple[np.ndarray, np.ndarray]]:
        found: dict[str, list[Any]] = {name: [] for name in floats}
        for table, (start, stop) in units[backend.rank :: backend.world_size]:
            with blaming(table.path):
                for batch in table.read(start, stop, floats):
                    for name in floats:
                        _check_no_texts(table, batch, name)
                        found[name].append(_numbers(batch.columns[name]))
        columns = {name: np.concatenate([np.empty(0), *parts]) for name, parts in found.items()}
        return {name: np.unique(column, return_counts=True) for name, column in columns.items()}

    told = together(backend, share)
    return {name: _ranges([of_rank[name] for of_rank in told]) for name in floats}


def sorted_into(column: Any, each: bool, ranges: Ranges) -> list[int | str | None]:
    """Return the slice of every number: "q2 to 0.5" for the second quarter, which ends at 0.5."""
    if each:
        return [None if _missing(v) else _name(float(v)) for v in column]
    numbers = np.array([math.nan if _missing(v) else float(v) for v in column])
    places = np.searchsorted(ranges, numbers, "left")
    return [
        None if math.isnan(v) else f"q{i + 1} to {ranges[i]:.6g}"
        for v, i in zip(numbers.tolist(), places.tolist(), strict=True)
    ]


def ranges_of(column: Sequence[Any]) -> tuple[bool, Ranges]:
    """Return whether each value of a column of floats is a slice, and the values or ranges.

    Example:
        >>> ranges_of([0.5, None, 1.5])
        (True, [0.5, 1.5])
    """
    return _ranges([np.unique(_numbers(column), return_counts=True)])


def _name(number: float) -> int | str:
    return int(number) if number == int(number) else repr(number)


def _ranges(found: list[tuple[np.ndarray, np.ndarray]]) -> tuple[bool, Ranges]:
    values, inverse = np.unique(np.concatenate([v for v, _ in found]), return_inverse=True)
    counts = np.zeros(len(values), np.int64)
    np.add.at(counts, inverse, np.concatenate([c for _, c in found]))
    if len(values) <= FEW and np.isfinite(values).all():
        return True, values.tolist()
    below = np.cumsum(counts)
    wanted = [-(-int(below[-1]) * part // _PARTS) for part in range(1, _PARTS + 1)]
    return False, np.unique(values[np.searchsorted(below, wanted)]).tolist()


def _first_rows(tables: list[Table], name: str) -> list[Any]:
    for table in tables:
        for start, stop in table.units()[:1]:
            with blaming(table.path):
                for batch in table.read(start, stop, [name]):
                    return list(batch.columns[name][:1000])
    return []


def _check_no_texts(table: Table, batch: RowBatch, name: str) -> None:
    """Raise InputError if a column of floats has texts, which have no place among ranges."""
    cells = batch.columns[name]
    for row, cell in enumerate(cells if isinstance(cells, list) else ()):
        if isinstance(cell, str):
            raise InputError(
                f"{table.path}, {table.describe(batch, row)}: {name!r} has floats, and the text "
                f"{cell!r:.50}: slices need texts alone, or numbers alone"
            )


def _numbers(column: Any) -> np.ndarray:
    return np.array([float(value) for value in column if not _missing(value)])


def is_float(value: Any) -> bool:
    """Return whether a value is a float, of Python or numpy."""
    return isinstance(value, float | np.floating)


def _missing(value: Any) -> bool:
    return value is None or value != value
