"""`rollup` and `retract`: saved states are added up, and samples are taken out of them."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from mmeval_like._accumulate.ids import distinct, read_ids, shown
from mmeval_like._accumulate.keys import WHOLE
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.cli import report
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import Batch, blaming, expand, open_tables
from mmeval_like.cli.readers.inspection import inspect_all
from mmeval_like.cli.records import (
    described,
    read_state,
    shard_names,
    write_record,
    write_state,
)
from mmeval_like.cli.request import Request
from mmeval_like.cli.score import add_batch, by_slice
from mmeval_like.records.digest import shown as digits
from mmeval_like.records.recorded import Recorded
from mmeval_like.records.retract import without

__all__ = ["retract", "rollup"]

_NAMED = 10


def rollup(options: argparse.Namespace) -> int:
    """Add up saved states; return the exit code.

    Raises:
        InputError: A file that is no saved state, or one of other metrics or columns.
    """
    paths = expand(options.states)
    request, total = read_state(paths[0], options.annotations)
    for path in paths[1:]:
        _, part = read_state(path, options.annotations)
        names = shard_names([*total.shards, *part.shards])[len(total.shards) :]
        part.shards = dict(zip(names, part.shards.values(), strict=True))
        try:
            total.merge(part)
        except ValueError as error:
            raise InputError(f"{path}: {error}") from error
    return _finish(options, request, total)


def retract(options: argparse.Namespace) -> int:
    """Take the samples of some ids out of a saved state; return the exit code.

    Raises:
        InputError: Ids that the state or the files do not have, or a metric that cannot forget.
    """
    request, total = read_state(options.states[0], options.annotations)
    lines = _lines(options.ids_file)
    if request.ids is not None:
        if options.rows:
            raise InputError("the state has its rows by their ids: leave out the files")
        known = distinct(np.concatenate([store.part().ids for store in total._stores()]))[0]
        total = without(total, _as_ids(lines, known, options))
    else:
        if not options.rows or options.ids is None:
            raise InputError("the state has no ids: give files of the rows, and --ids COLUMN")
        try:
            total.subtract(_rows_of(options, request, lines))
        except (TypeError, ValueError) as error:
            raise InputError(f"{options.states[0]}: {error}") from error
    return _finish(options, replace(request, size=None), total)


def _lines(path: str) -> list[str]:
    try:
        lines = [line.strip() for line in Path(path).read_text("utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--ids-file {path}: {error}") from error
    found = [line for line in lines if line]
    if not found:
        raise InputError(f"--ids-file {path}: there are no ids in it")
    return found


def _as_ids(lines: Sequence[str], known: np.ndarray, options: argparse.Namespace) -> np.ndarray:
    """Return the ids of lines, of the kind of those that are known, among which they must be."""
    try:
        texts = known.ndim > 1
        ids = read_ids([*lines] if texts else [int(line) for line in lines], len(lines))
    except (TypeError, ValueError) as error:
        raise InputError(f"--ids-file {options.ids_file}: {error}") from error
    there = set(shown(known))
    missing = [one for one in shown(ids) if one not in there]
    if missing:
        named = ", ".join(map(str, missing[:_NAMED]))
        raise InputError(f"--ids-file {options.ids_file}: there are no samples {named}")
    return ids


def _rows_of(options: argparse.Namespace, request: Request, lines: Sequence[str]) -> Recorded:
    """Return the samples of files that have these ids."""
    request = replace(request, tables=open_tables(options.rows))
    columns = [*request.needed(), options.ids]
    inspect_all(request.tables, columns, request.texts)
    found = cast(Recorded, request.start(NonDist()))
    seen: list[str] = []
    names = shard_names([table.path for table in request.tables])
    wanted = set(lines)
    for table, found.shard in zip(request.tables, names, strict=True):
        with blaming(table.path):
            for start, stop in table.units():
                for batch in table.read(start, stop, columns):
                    ids = [str(one) for one in np.asarray(batch.columns[options.ids]).tolist()]
                    which = np.flatnonzero([one in wanted for one in ids])
                    seen += [ids[place] for place in which]
                    if len(which):
                        some = Batch(_chosen(batch, which), batch.place)
                        arguments, places = request.arguments(some), request.places(some)
                        add_batch(request, found, table, some, arguments, places)
    missing = sorted(wanted - set(seen))
    if missing:
        named = ", ".join(missing[:_NAMED])
        raise InputError(f"--ids-file {options.ids_file}: there are no samples {named}")
    return found


def _chosen(batch: Batch, which: np.ndarray) -> dict[str, Any]:
    return {
        name: cells[which] if isinstance(cells, np.ndarray) else [cells[i] for i in which]
        for name, cells in batch.columns.items()
    }


def _finish(options: argparse.Namespace, request: Request, total: Recorded) -> int:
    """Compute, and write what was asked for."""
    with warnings.catch_warnings():  # the table marks them
        warnings.filterwarnings("ignore", "intervals that promise less", RuntimeWarning)
        try:
            found = total.compute(request.size)
        except ValueError as error:
            raise InputError(str(error)) from error
    results = by_slice(request, found)
    if options.record:
        files = [
            {"name": name, "rows": count, "digest": digits(lanes)}
            for name, (count, lanes) in total.shards.items()
        ]
        record = total.record(described(request), made={"files": files})
        write_record(options.record, record)
    if options.state:
        write_state(options.state, request, total, NonDist())
    if options.json:
        report.write_json(options.json, results)
    if not options.quiet:
        intervals = total.intervals if request.by else {WHOLE: total.intervals}
        report.print_table(results, request.classes, intervals, options.json == "-")
    return 0
