"""`rollup` of Parquet files that have a column of states."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like.cli import report
from mmeval_like.cli.errors import InputError, clipped
from mmeval_like.cli.samples import SAMPLES
from mmeval_like.cli.specs import parse_spec
from mmeval_like.cli.targets import check_targets
from mmeval_like.records.rollup import rollup

__all__ = ["are_tables", "rollup_tables"]


def are_tables(paths: Sequence[str]) -> bool:
    """Return whether paths are Parquet files or folders of these, not files of `score --state`."""
    return all(Path(path).suffix.lower() == ".parquet" or Path(path).is_dir() for path in paths)


def rollup_tables(options: argparse.Namespace, paths: Sequence[str]) -> int:
    """Add up the states in a column of files; return the exit code.

    Raises:
        InputError: A file has no such column, or its states are of another metric.
    """
    if options.metric is None:
        raise InputError(
            "states in a table need --metric, and --interval if they were made with it"
        )
    if options.record or options.state or options.annotations:
        raise InputError("--record, --state and --annotations are for files of `score --state`")
    check_targets({"--json": options.json}, dict.fromkeys(paths, "one of the files of states"))
    spec = parse_spec(options.metric)
    given = clipped(", ".join(paths))
    try:
        families = [tuple(text.split(",")) for text in options.by]
        from mmeval_like.tables.arrow_sources import of_paths

        total = rollup(
            of_paths(paths),
            spec.make(None, options.interval),
            by=families or None,
            between=_ranges(options.between),
        )
        with warnings.catch_warnings():  # the table marks thin intervals
            warnings.filterwarnings("ignore", "intervals that promise less", RuntimeWarning)
            found = total.compute()
    except (ImportError, OSError, TypeError, ValueError) as error:
        raise InputError(f"{given}: {error}") from error
    name = spec.text.partition(":")[0]
    slices = found if families else {WHOLE: found}
    intervals = total.intervals if families else {WHOLE: total.intervals}
    results: dict[str, dict[str, Any]] = {key: {name: one} for key, one in slices.items()}
    results[WHOLE][SAMPLES] = found.samples
    if options.json:
        report.write_json(options.json, results if families else results[WHOLE])
    if not options.quiet:
        shown = {key: {name: one} for key, one in intervals.items()}
        report.print_table(results, [], shown, bool(families), options.json == "-")
    return 0


def _ranges(texts: Sequence[str]) -> dict[str, tuple[str, str]]:
    found = [*map(_range, texts)]
    between = dict(found)
    if len(between) < len(found):
        raise InputError("--between must name each column once")
    return between


def _range(text: str) -> tuple[str, tuple[str, str]]:
    """Return the column and the ends of `COLUMN=FIRST,LAST`, or of `COLUMN=VALUE`.

    Example:
        >>> _range("day=1,3"), _range('lang="a,b"')
        (('day', ('1', '3')), ('lang', ('a,b', 'a,b')))
    """
    name, separator, ends = text.partition("=")
    first, rest = _end(ends)
    last, more = _end(rest[1:]) if rest else (first, "")
    if not separator or not first or not last or more:
        raise InputError(
            f"--between must be COLUMN=FIRST,LAST or COLUMN=VALUE, with quotes around a value that "
            f"has a comma, got {text!r}"
        )
    return name, (first, last)


def _end(text: str) -> tuple[str, str]:
    """Return the value at the beginning of a text, which may be quoted as in names of slices."""
    if text.startswith('"'):
        try:
            value, end = json.JSONDecoder().raw_decode(text)
            return str(value), text[end:]
        except ValueError:
            return "", text
    value, comma, rest = text.partition(",")
    return value, comma + rest
