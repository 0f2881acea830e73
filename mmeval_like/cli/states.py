"""`rollup` adds up saved states; `retract` removes samples from them."""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.evaluation import samples_of
from mmeval_like._samples.ids import distinct, read_ids, shown
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.cli import report
from mmeval_like.cli.errors import InputError, clipped
from mmeval_like.cli.inputs import unpacked
from mmeval_like.cli.matching import check_there
from mmeval_like.cli.quantiles import FEW
from mmeval_like.cli.readers import RowBatch, blaming, expand, open_tables
from mmeval_like.cli.readers.inspection import inspect_all
from mmeval_like.cli.records import (
    described,
    read_state,
    record_of_state,
    shard_names,
    write_record,
    write_state,
)
from mmeval_like.cli.request import Request
from mmeval_like.cli.score import add_batch, by_slice
from mmeval_like.cli.state_tables import are_tables, rollup_tables
from mmeval_like.cli.targets import check_targets
from mmeval_like.cli.terminal import tell
from mmeval_like.records.recorded import Recorded
from mmeval_like.records.retract import without

__all__ = ["retract", "rollup"]

_NAMED = 10
_ASKED = {
    "columns": "columns",
    "by": "columns of slices",
    "ids": "ids",
    "cluster": "clusters",
    "classes": "classes",
}
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")


def rollup(options: argparse.Namespace) -> int:
    """Add up saved states; return the exit code.

    Raises:
        InputError: A file is not a saved state, or has other metrics or columns.
    """
    paths = expand(options.states)
    if are_tables(paths):
        return rollup_tables(options, paths)
    for name in ("metric", "by", "between", "interval"):
        if getattr(options, name):
            raise InputError(
                f"--{name} is for states in a column of Parquet files; those of `score --state` "
                f"are added up as they were made"
            )
    _check_outputs(options, dict.fromkeys(paths, "one of the saved states"))
    request, total = read_state(paths[0], options.annotations)
    known = _digests(total, paths[0])
    for path in paths[1:]:
        other, part = read_state(path, options.annotations)
        found = _digests(part, path)
        same = next((digest for digest in found if digest in known), None)
        if same is not None and request.ids is None and not options.quiet:
            tell(
                f"{found[same]} has the samples of {known[same]}, which count twice: leave one of "
                f"them out, or make the states with --ids"
            )
        known |= found
        _add_ranges(request.ranges, other.ranges, path)
        names = shard_names([*total.shards, *part.shards])[len(total.shards) :]
        part.shards = dict(zip(names, part.shards.values(), strict=True))
        with blaming(f"{path}, added to {paths[0]}"):
            try:
                total.merge(part)
            except ValueError as error:
                raise InputError(f"{path}, added to {paths[0]}: {error}") from error
        _check_alike(request, other, path, paths[0])
    return _finish(options, request, total, ", ".join(paths))


def _digests(state: Recorded, path: str) -> dict[tuple[int, bytes], str]:
    """Return the path of a state with each of its files, by number and digest of their samples."""
    return {
        (count, lanes.tobytes()): f"{path} ({name})"
        for name, (count, lanes) in state.shards.items()
        if count
    }


def _check_alike(request: Request, other: Request, path: str, first: str) -> None:
    """Raise InputError if a state is of other columns, which a record of both would hide."""
    was, now = described(request), described(other)
    for name, what in _ASKED.items():
        if was[name] != now[name]:
            raise InputError(
                f"{path}: its {what} are {now[name]!r:.200}, but in the first state, {first}, "
                f"{was[name]!r:.200}: they cannot be added up"
            )


def _add_ranges(ranges: dict[str, Any], other: Mapping[str, Any], path: str) -> None:
    """Add values of floats that are slices; ranges of them must be the same.

    Raises:
        InputError: The slices have different limits, so they cannot be added up.
    """
    for name in dict.fromkeys([*ranges, *other]):
        (each, ends), (others_each, others_ends) = (
            some.get(name, (True, [])) for some in (ranges, other)
        )
        values = sorted({*ends, *others_ends})
        if each and others_each and len(values) <= FEW:
            ranges[name] = True, values
        elif (each, ends) != (others_each, others_ends):
            raise InputError(
                f"{path}: --by {name}: each state divides the floats into different "
                "ranges, which cannot be added up: score all files, or write the ranges as strings"
            )


def retract(options: argparse.Namespace) -> int:
    """Remove the samples of some ids from a saved state; return the exit code.

    Raises:
        InputError: The state or the files do not have an id, or a metric cannot subtract samples.
    """
    read = dict.fromkeys(options.rows, "one of the files of rows")
    read |= {options.states[0]: "the saved state", options.ids_file: "the file of --ids-file"}
    _check_outputs(options, read)
    request, total = read_state(options.states[0], options.annotations)
    lines = _lines(options.ids_file)
    if request.ids is not None:
        if options.rows:
            raise InputError("the state stores its rows by id: leave out the files")
        with blaming(options.states[0]):
            known = distinct(np.concatenate([part.ids for part in samples_of(total).parts()]))[0]
        total = without(total, _as_ids(lines, known, options))
    else:
        if not options.rows or options.ids is None:
            raise InputError("the state has no ids: give files of the rows, and --ids COLUMN")
        try:
            with unpacked(options.rows, None) as files:
                total.subtract(_rows_of(files, options, request, lines))
        except (TypeError, ValueError) as error:
            raise InputError(f"{options.states[0]}: {error}") from error
    return _finish(options, replace(request, size=None), total, options.states[0])


def _check_outputs(options: argparse.Namespace, read: Mapping[str, str]) -> None:
    """Raise InputError if an output would overwrite an input or another output."""
    more = {options.annotations: "the file of --annotations"} if options.annotations else {}
    outputs = {"--record": options.record, "--state": options.state, "--json": options.json}
    check_targets(outputs, {**read, **more})


def _lines(path: str) -> list[str]:
    try:
        lines = Path(path).read_text("utf-8-sig").split("\n")  # an id may begin with a space
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--ids-file {path}: {error}") from error
    found = [line for line in lines if line.strip()]
    if not found:
        raise InputError(f"--ids-file {path}: the file contains no ids")
    return found


def _as_ids(lines: Sequence[str], known: np.ndarray, options: argparse.Namespace) -> np.ndarray:
    """Return the ids in lines, converted to the type of the known ids, which must include them."""
    try:
        texts = known.ndim > 1
        ids = read_ids([*lines] if texts else [*map(_as_integer, lines)], len(lines))
    except (TypeError, ValueError) as error:
        raise InputError(f"--ids-file {options.ids_file}: {error}") from error
    there = set(shown(known))
    missing = [one for one in shown(ids) if one not in there]
    if missing:
        named = ", ".join(map(str, missing[:_NAMED]))
        raise InputError(f"--ids-file {options.ids_file}: no samples have these ids: {named}")
    return ids


def _as_integer(line: str) -> int:
    if not _INTEGER.fullmatch(line.strip()):  # int() takes 1_0 as well
        raise ValueError(f"ids are integers, got {line:.50}")
    return int(line)


def _rows_of(
    files: Sequence[str], options: argparse.Namespace, request: Request, lines: Sequence[str]
) -> Recorded:
    """Return the samples with these ids from the files."""
    request = replace(request, tables=open_tables(files))
    request.account()
    columns = [*request.needed(), options.ids]
    for column in columns:
        check_there(column, "what is taken out", request.tables)
    inspect_all(request.tables, columns, request.texts, request.keys())
    found = cast(Recorded, request.start(NonDist()))
    seen: list[str] = []
    names = shard_names([table.path for table in request.tables])
    texts = {line: line for line in lines}
    numbers = {str(int(line)): line for line in lines if _INTEGER.fullmatch(line.strip())}
    for table, found.shard in zip(request.tables, names, strict=True):
        with blaming(table.path):
            for start, stop in table.units():
                for batch in table.read(start, stop, columns):
                    cells = np.asarray(batch.columns[options.ids])
                    wanted = numbers if cells.dtype.kind in "iu" else texts
                    lines_of = [wanted.get(str(one)) for one in cells.tolist()]
                    which = np.flatnonzero([line is not None for line in lines_of])
                    seen += [line for line in lines_of if line is not None]
                    if len(which):
                        some = RowBatch(_chosen(batch, which), batch.place)
                        arguments, places = request.arguments(some), request.places(table, some)
                        add_batch(request, found, table, some, arguments, places)
    missing = sorted(set(lines) - set(seen))
    if missing:
        named = ", ".join(missing[:_NAMED])
        raise InputError(f"--ids-file {options.ids_file}: no samples have these ids: {named}")
    return found


def _chosen(batch: RowBatch, which: np.ndarray) -> dict[str, Any]:
    return {
        name: cells[which] if isinstance(cells, np.ndarray) else [cells[i] for i in which]
        for name, cells in batch.columns.items()
    }


def _finish(options: argparse.Namespace, request: Request, total: Recorded, given: str) -> int:
    """Compute, and write what was asked for."""
    with warnings.catch_warnings():  # the table marks thin intervals
        warnings.filterwarnings("ignore", "intervals that promise less", RuntimeWarning)
        with blaming(clipped(given)):
            try:
                found = total.compute(request.size)
            except ValueError as error:
                raise InputError(f"{clipped(given)}: {error}") from error
    results = by_slice(request, found)
    if options.record:
        write_record(options.record, record_of_state(request, total))
    if options.state:
        write_state(options.state, request, total, NonDist())
    if options.json:
        report.write_json(options.json, results if request.by else results[WHOLE])
    if not options.quiet:
        intervals = total.intervals if request.by else {WHOLE: total.intervals}
        printed = options.json == "-"
        report.print_table(results, request.classes, intervals, bool(request.by), printed)
    return 0
