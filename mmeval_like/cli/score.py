"""One rank's share of `score`: read its pieces of the files, compute with the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.progress import progress
from mmeval_like.cli.readers import Batch, Table
from mmeval_like.cli.request import Request
from mmeval_like.cli.resume import Saved
from mmeval_like.cli.slices import Slices

__all__ = ["score"]


def score(request: Request, backend: BaseDistBackend, folder: Path | None) -> dict[str, Any]:
    """Return the result of all ranks: by slice, then by metric; the same on every rank.

    Args:
        request: What to do.
        backend: Carries the messages.
        folder: Where an interrupted run is continued from and saved to, or None.

    Raises:
        InputError: The data is wrong; on the rank that found it, others get RemoteError.
    """
    total = Slices(request.make, backend)
    failure: Exception | None = None
    try:
        _accumulate(request, total, folder)
    except Exception as error:
        failure = error
    total.agree(failure)
    try:
        return total.compute(request.size)
    except ValueError as error:
        if request.size is None:
            raise
        # Indices that are missing, or not below the size: the file's fault, not a metric's.
        raise InputError(f"--size {request.size}: {str(error).partition('. ')[0]}") from error


def _accumulate(request: Request, total: Slices, folder: Path | None) -> None:
    backend = total.dist_comm
    saved = Saved(folder, request, backend) if folder is not None else None
    units = request.units()
    if saved is not None:
        units = [unit for unit in units if unit not in saved.finished]
    current = Slices(request.make, backend)
    with _reporting(units[backend.rank :: backend.world_size], backend) as mine:
        for unit in mine:
            _add_unit(request, current, unit)
            if saved is not None:
                saved.update(current, unit)
    if saved is not None:
        saved.flush(current)
        total.join(saved.earlier)
    total.join(current)


@contextmanager
def _reporting(
    units: list[tuple[int, int, int]], backend: BaseDistBackend
) -> Iterator[Iterable[tuple[int, int, int]]]:
    if backend.rank == 0:
        with progress(units) as reported:
            yield reported
    else:
        yield units


def _add_unit(request: Request, metrics: Slices, unit: tuple[int, int, int]) -> None:
    index, start, stop = unit
    table = request.tables[index]
    for batch in table.read(start, stop, request.needed()):
        arguments = request.arguments(batch)
        ids = batch.columns[request.ids] if request.ids else None
        by = batch.columns[request.by] if request.by else None
        try:
            metrics.add(arguments, ids, by)
        except (TypeError, ValueError, KeyError) as error:
            raise _located(request, table, batch, error) from error


def _located(request: Request, table: Table, batch: Batch, error: Exception) -> InputError:
    """Return the error of the first bad row, found by trying rows one by one."""
    arguments = request.arguments(batch)
    for name, column in arguments.items():
        if isinstance(column, list) and any(isinstance(cell, str) for cell in column):
            bad = _first_text_among_numbers(column)
            if bad is not None:
                where = table.describe(batch, bad)
                text = f"{table.path}, {where}: {name} must be a number, got {column[bad]!r}"
                return InputError(text)
    trial = request.make()
    count = len(next(iter(arguments.values())))
    for row in range(count):
        try:
            trial.add(**{name: column[row : row + 1] for name, column in arguments.items()})
        except (TypeError, ValueError, KeyError) as bad_row:
            return InputError(f"{table.path}, {table.describe(batch, row)}: {_one_line(bad_row)}")
    return InputError(f"{table.path}, from {table.describe(batch, 0)}: {_one_line(error)}")


def _first_text_among_numbers(column: list[Any]) -> int | None:
    numbers = [_is_number(cell) for cell in column]
    return numbers.index(False) if any(numbers) and not all(numbers) else None


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _one_line(error: Exception) -> str:
    text = str(error.args[0]) if error.args else repr(error)
    return " ".join(text.split()).partition(" (in member")[0]
