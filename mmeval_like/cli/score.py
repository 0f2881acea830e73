"""One rank's share of `score`: read its pieces of the files, and compute with the other ranks."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.result import Result
from mmeval_like._core.together import together
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.accounts import refuse, unused_marks, with_account
from mmeval_like.cli.errors import InputError, clipped
from mmeval_like.cli.found_classes import find_classes
from mmeval_like.cli.nan_cells import tell_nan_cells
from mmeval_like.cli.neighbours import tell_neighbours
from mmeval_like.cli.progress import progress
from mmeval_like.cli.quantiles import find_ranges
from mmeval_like.cli.readers import RowBatch, Table, blaming
from mmeval_like.cli.readers.inspection import inspect_all
from mmeval_like.cli.records import shard_names
from mmeval_like.cli.request import Request
from mmeval_like.cli.resume import Saved, opened
from mmeval_like.cli.samples import SAMPLES
from mmeval_like.cli.terminal import tell
from mmeval_like.cli.unchanged import unchanged
from mmeval_like.records.recorded import Recorded

__all__ = ["add_batch", "by_slice", "own_share", "score"]

T = TypeVar("T")


def score(
    request: Request, backend: BaseDistBackend, folder: Path | None, quiet: bool = False
) -> tuple[dict[str, Any], Evaluation]:
    """Return the result of all ranks, the same on every rank, and the metric that computed it.

    The result is by slice, then by metric.

    Args:
        request: The request.
        backend: The backend of the exchange.
        folder: Where an interrupted run is continued from and saved to, or None.
        quiet: Show no progress.

    Raises:
        InputError: The data is wrong; raised on the rank that found the error, the others raise
            RemoteError.
    """
    with ExitStack() as stack, unchanged([request], backend):
        inspect_all(request.tables, request.needed(), request.texts, request.keys(), backend)
        find_classes([request], backend, quiet)
        sliced_by = list(dict.fromkeys(name for family in request.by for name in family))
        request.ranges.update(find_ranges(request.tables, sliced_by, request.ids, backend))
        total: Evaluation = request.start(
            backend
        )  # the first one on every rank, by which the ranks recognise it
        saved = stack.enter_context(opened(folder, request, backend)) if folder else None
        together(backend, lambda: _accumulate(request, total, saved, quiet))
    try:
        with warnings.catch_warnings():  # the table marks thin intervals
            warnings.filterwarnings("ignore", "intervals that promise less", RuntimeWarning)
            warnings.filterwarnings("ignore", ".*; the others do not count")  # as the table says
            found = total.compute(request.size, missing=request.missing)
    except ValueError as error:
        if request.size is None:
            raise
        # Indices that are missing or not below the size are an error in the file, not in a metric.
        raise InputError(f"--size {request.size}: {str(error).partition('. ')[0]}") from error
    refuse(request, found)
    remark = unused_marks(request.marks, found.account.unscored)
    if remark and backend.rank == 0 and not quiet:
        tell(remark)
    tell_nan_cells(found, [request], backend, quiet)
    tell_neighbours(request, backend, quiet)
    return by_slice(request, found), total


def by_slice(request: Request, found: Result) -> dict[str, Any]:
    """Return the result of `compute` by slice, then by metric, with the number of samples.

    Next to the metrics is the account of samples without a score, if these count as something.
    """
    slices = found if request.by else {WHOLE: found}
    accounts = found.accounts if request.by else {WHOLE: found.accounts}
    return {
        name: with_account(
            {**values, **values[SAMPLES]}, None if accounts is None else accounts[name], request
        )
        for name, values in slices.items()
    }


def _accumulate(request: Request, total: Evaluation, saved: Saved | None, quiet: bool) -> None:
    """Add this rank's share of the files."""
    backend = total.dist_comm
    units = request.units()
    if saved is not None:
        units = [unit for unit in units if unit not in saved.finished]
    current = request.start(backend)
    shards = shard_names([table.path for table in request.tables])
    with own_share(units, backend, quiet) as mine:
        for unit in mine:
            table = request.tables[unit[0]]
            if isinstance(current, Recorded):
                current.shard = shards[unit[0]]
            with blaming(table.path):
                _add_unit(request, current, table, unit)
            if saved is not None:
                saved.update(current, unit)
    if saved is not None:
        saved.flush(current)
        total.merge(saved.earlier)
    total.merge(current)


@contextmanager
def own_share(units: Sequence[T], backend: BaseDistBackend, quiet: bool) -> Iterator[Iterable[T]]:
    """Yield this rank's pieces of work; rank 0 shows progress on a terminal.

    They follow each other, so that the rows of all ranks are in the order of the files: where the
    order matters, as for a running mean, the values are those of a single rank.
    """
    ranks = backend.world_size
    first, end = (-(-len(units) * rank // ranks) for rank in (backend.rank, backend.rank + 1))
    mine = units[first:end]
    if backend.rank == 0:
        with progress(mine, quiet) as reported:
            yield reported
    else:
        yield mine


def _add_unit(
    request: Request, metrics: Evaluation, table: Table, unit: tuple[int, int, int]
) -> None:
    _, start, stop = unit
    for batch in table.read(start, stop, request.needed()):
        add_batch(
            request, metrics, table, batch, request.arguments(batch), request.places(table, batch)
        )


def add_batch(
    request: Request,
    metrics: Any,
    table: Table,
    batch: RowBatch,
    arguments: Mapping[str, Any],
    places: Mapping[str, Any],
) -> None:
    """Add the samples of a batch.

    Args:
        request: The request.
        metrics: The evaluation to which the samples are added.
        table: The file of the samples.
        batch: The batch as it was read.
        arguments: The arguments of the metrics, from `Request.arguments`.
        places: The ids, clusters and slices, from `Request.places`.

    Raises:
        InputError: A metric rejects the data; the error names the row.
    """
    try:
        passed, named = request.naming.passed(arguments)
        metrics.add(*passed, **named, **places)
    except MemoryError:
        raise
    except Exception as error:
        raise _located(request, table, batch, error) from error


def _located(request: Request, table: Table, batch: RowBatch, error: Exception) -> InputError:
    """Return the error of the first bad row, found by trying rows one by one."""
    arguments = request.arguments(batch)
    for name, column in arguments.items() if not request.classes else ():
        if isinstance(column, list) and any(isinstance(cell, str) for cell in column):
            odd = _first_text_among_numbers(request, table, batch, name, column)
            if odd is not None:
                where, text = odd
                advice = "names of classes need --classes" if name in request.of_classes else ""
                if re.fullmatch(r"\s*-?[\d.]*,\d+\s*", text):
                    advice = "write 1,5 as 1.5, and 1,000 as 1000"
                return InputError(
                    f"{where}: {name} must be a number, got {clipped(repr(text))}"
                    f"{f' ({advice})' if advice else ''}"
                )
    arguments |= {"ids": batch.columns[request.ids]} if request.ids else {}
    reasons = request.reasons(batch)
    arguments |= {} if reasons is None else {"unscored": reasons}
    trial = request.make()
    count = min(map(len, arguments.values()))
    for row in range(count):
        one = {name: column[row : row + 1] for name, column in arguments.items()}
        passed, named = request.naming.passed(one)
        try:
            trial.add(*passed, **named)
        except MemoryError:
            raise
        except Exception as bad_row:
            text = _one_line(bad_row)
            if len(request.specs) == 1:
                text = request.specs[0].spelt(text)
            missing = reasons is None and request.lacks(batch, row)
            text += "; --unscored drop, 0 or bounds says what such rows count as" * missing
            return InputError(f"{table.path}, {table.describe(batch, row)}: {text}")
    return InputError(f"{table.path}, from {table.describe(batch, 0)}: {_one_line(error)}")


def _first_text_among_numbers(
    request: Request, table: Table, batch: RowBatch, argument: str, column: list[Any]
) -> tuple[str, str] | None:
    """Return the place and the text of a string that should be a number; None if there is none."""
    if set(request.columns[argument]) <= set(request.texts):
        return None
    for name in request.columns[argument]:
        if name not in request.texts and (odd := table.no_number(name)) is not None:
            return odd
    numbers = [_is_number(cell) for cell in column]
    if not any(numbers) or all(numbers):
        return None
    bad = numbers.index(False)
    return f"{table.path}, {table.describe(batch, bad)}", column[bad]


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _one_line(error: Exception) -> str:
    text = str(error.args[0]) if error.args else ""
    if not isinstance(error, TypeError | ValueError | KeyError) or not text:
        text = f"{type(error).__name__}: {text}"
    text = " ".join(text.split()).partition(" (in member")[0]
    return clipped(text.replace(" at index 0", ""))  # the error names the row
