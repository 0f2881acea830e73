"""Results as a table, as JSON and as CSV."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmeval_like._base.atomic_files import put_through
from mmeval_like._base.keys import WHOLE
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.grids import without_grids
from mmeval_like._core.result import axes_of, entries, plain
from mmeval_like._verdicts.sentences import interval_text
from mmeval_like.cli.accounts import said, without_account
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.parser import BETWEEN
from mmeval_like.cli.readers import expand
from mmeval_like.cli.terminal import escaped, shown, to_stream, write_out
from mmeval_like.reporting.study import Study
from mmeval_like.reporting.words import stem_names

if TYPE_CHECKING:
    from mmeval_like.cli.request import Request
    from mmeval_like.reporting.each import Each
    from mmeval_like.reporting.unscored import Lost

__all__ = [
    "drawn",
    "numbers_by_name",
    "print_table",
    "write_csv",
    "write_json",
    "write_lines",
    "write_page",
    "write_text",
]

_LONGEST = 200  # characters of a cell of the table
_WIDEST = 10_000  # characters in a line of the table if the output is not a terminal
_ENDS = ("low", "high")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # formulas of spreadsheets begin with these

Results = Mapping[str, Mapping[str, Any]]


def print_table(
    results: Results,
    classes: Sequence[str],
    intervals: Mapping[str, Any],
    sliced: bool,
    to_stderr: bool = False,
) -> None:
    """Print one line per value, with its interval if it has one; in plain columns without rich.

    Confusion matrices and tables of classes are tables of their own, below.

    Args:
        results: By slice, then by metric.
        classes: The names of the classes, for lists with an entry for each.
        intervals: The intervals of values that have one, nested like `results`.
        sliced: Whether slices were asked for; the table then names them.
        to_stderr: Print to the error stream, since standard output is used for something else.
    """
    accounts = said(results)
    results, grids = without_grids(without_account(results), classes, lists=False)
    known = {(name, metric, *path): one for name, metric, path, one in _numbers(intervals, classes)}
    ends = {(*place[:2], f"{place[2]}_{end}", *place[3:]) for place in known for end in _ENDS}
    lines: list[list[str]] = [["slice", "metric", "number", "value", *["interval"] * bool(known)]]
    thin: dict[str, None] = {}
    for name, metric, path, value in _numbers(results, classes):
        if (name, metric, *path) in ends:
            continue
        cells = [name, metric, " ".join(path), value]
        if known:
            one = known.get((name, metric, *path))
            cells.append("" if one is None else interval_text(one.low, one.high, one.thin))
            if one is not None and one.thin is not None:
                at = [name] * sliced
                thin[f"~ {' '.join([*at, metric, *path])}: {one.thin}"] = None
        lines.append([_shortened(shown(_text(cell))) for cell in cells])
    if not sliced:
        lines = [line[1:] for line in lines]
    axes = axes_of(path for _, _, path, _ in _numbers(results, classes))
    below = "".join(f"{shown(line)}\n" for line in [*accounts, *thin, *axes])
    text = drawn(lines, {"value", "interval"}, to_stderr) + below
    for grid in grids:
        title = " ".join(dict.fromkeys(grid.path if sliced else grid.path[1:]))
        cells = [[_shortened(shown(_text(cell))) for cell in line] for line in grid.rows]
        heads = [_shortened(shown(name)) for name in grid.head]
        text += f"{shown(title)}:\n{drawn([heads, *cells], set(heads[1:]), to_stderr)}"
    write_out(text, to_stderr)


def drawn(lines: Sequence[Sequence[str]], numbers: Collection[str], to_stderr: bool) -> str:
    """Return lines as a table; the first line has the names of the columns.

    Args:
        lines: The cells, as they are shown.
        numbers: The columns that are aligned at the right.
        to_stderr: Whether it will be printed to stderr; the stream determines width and colours.
            For a pipe or a file, the table has its full width unless the variable COLUMNS is set.
    """
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return "".join("  ".join(line) + "\n" for line in lines)
    table = Table()
    for name in lines[0]:  # as Text, since rich parses markup in plain strings
        justify: Any = "right" if name in numbers else "left"
        table.add_column(Text(name), justify=justify, overflow="fold")
    above: Sequence[str] = ()
    for line in lines[1:]:
        same = next(
            (i for i, pair in enumerate(zip(line, above, strict=False)) if pair[0] != pair[1]), 0
        )
        cells = ["" if i < min(same, len(line) - 2) else cell for i, cell in enumerate(line)]
        table.add_row(*map(Text, cells))
        above = line
    console = Console(stderr=to_stderr)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDEST
    with to_stream(), console.capture() as printed:  # querying the stream may fail
        console.print(table)
    return str(printed.get())


def write_json(path: str, results: Mapping[str, Any]) -> None:
    """Write results; "-" means standard output.

    JSON has neither nan nor infinities: the value is then null, and `why_null` has the reason by
    name.

    Raises:
        InputError: The file cannot be written.
    """
    found: dict[str, Any] = plain(results)
    reasons: dict[str, str] = {}
    found = _without_nan(found, "", reasons)
    if reasons:
        found["why_null"] = reasons
    write_text(path, escaped(json.dumps(found, indent=2, allow_nan=False)) + "\n")


def write_csv(path: str, results: Results, classes: Sequence[str]) -> None:
    """Write one line per value: slice, metric, key, value; "-" means standard output.

    Raises:
        InputError: The file cannot be written.
    """
    lines = (
        [name, metric, " ".join(keys), value if isinstance(value, str) else repr(value)]
        for name, metric, keys, value in _numbers(results, classes)
    )
    write_lines(path, ["slice", "metric", "key", "value"], lines)


def write_lines(path: str, head: Sequence[str], lines: Iterable[Sequence[Any]]) -> None:
    """Write a header and lines of cells as CSV; "-" means standard output.

    A string that spreadsheets would read as a formula is prefixed with an apostrophe.

    Raises:
        InputError: The file cannot be written.
    """
    text, printed = io.StringIO(newline=""), path == "-"
    cells = ([_cell(one, printed) for one in line] for line in lines)
    csv.writer(text).writerows([head, *cells])
    write_text(path, text.getvalue())


def _cell(value: Any, printed: bool) -> Any:
    r"""Return a cell that a spreadsheet does not read as a formula, nor a terminal as a command.

    Example:
        >>> _cell("=1+1", False), _cell("-0.5", False), _cell("a\x1b[31m", True)
        ("'=1+1", '-0.5', 'a\\x1b[31m')
    """
    if not isinstance(value, str):
        return value
    if value.startswith(_FORMULA) and not _is_number(value):
        value = f"'{value}"
    return shown(value) if printed else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def write_text(path: str, text: str) -> None:
    """Write a string to a file; "-" means standard output.

    Raises:
        InputError: The file cannot be written.
    """
    if path == "-":
        write_out(text)
        return
    data = text.encode("utf-8", "backslashreplace")
    try:
        put_through(path, data)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def write_page(
    path: str,
    metric: Evaluation,
    result: Mapping[str, Any],
    options: argparse.Namespace,
    requests: Sequence[Request],
    each: Each | None = None,
    lost: Sequence[Lost] = (),
) -> None:
    """Write the HTML page of a result.

    Args:
        path: The file to write.
        metric: The metric that computed the result.
        result: The result.
        options: The options of the command.
        requests: The requests of one system or of two.
        each: The scores of single samples, if they are known.
        lost: Of each system the samples without a score, if they are known.
    """
    from mmeval_like.reporting.page import page

    record, known = vars(options).get("record"), None
    if record is not None and record != "-":
        digest = json.loads(Path(record).read_text("utf-8"))["id"]
        names = [Path(name).name for name in options.files]
        known = (digest, shlex.join(["mmeval_like", "verify", Path(record).name, *names]))
    study = _study(options, requests)
    margin = vars(options).get("margin")
    text = page(metric, result, study=study, each=each, margin=margin, record=known, lost=lost)
    write_text(path, text)


def _study(options: argparse.Namespace, requests: Sequence[Request]) -> Study:
    """Return the description of the data and the metrics for a report."""
    from mmeval_like.reporting.page import moment

    sides: list[list[str]] = [[]]
    for file in options.files:
        sides = [*sides, []] if file == BETWEEN else [*sides[:-1], [*sides[-1], file]]
    files = [["standard input" if one == "-" else one for one in expand(side)] for side in sides]
    several = [f" and {len(side) - 1} more" * (len(side) > 1) for side in files]
    stems = stem_names([side[0] for side in files])
    names = options.name or [one + more for one, more in zip(stems, several, strict=True)]
    asked = requests[0]
    columns = [(name, ", ".join(used)) for name, used in asked.columns.items() if used]
    by = [*dict.fromkeys(name for family in asked.by for name in family)]
    shown = [name for text in options.show for name in text.split(",")]
    return Study(
        names=names,
        files=files,
        metrics=[spec.text for spec in asked.specs],
        columns=columns,
        ids=asked.ids or "",
        by=by,
        cluster=asked.cluster or "",
        shown=[*dict.fromkeys(shown)],
        command=options.asked,
        made=moment(),
    )


def numbers_by_name(results: Results, classes: Sequence[str]) -> dict[str, float]:
    """Return all values by name: `accuracy.top1`, or `language=en/accuracy.top1` for a slice."""
    found = {}
    for name, metric, path, value in _numbers(results, classes):
        if isinstance(value, int | float):
            number = ".".join([metric, *path])
            found[number if name == WHOLE else f"{name}/{number}"] = value
    return found


def _numbers(
    results: Results, classes: Sequence[str]
) -> Iterator[tuple[str, str, tuple[str, ...], Any]]:
    for name, metrics in results.items():
        for metric, values in metrics.items():
            for path, value in entries(values, classes):
                yield name, metric, path, value


def _without_nan(value: Any, name: str, reasons: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_nan(entry, f"{name}/{key}".lstrip("/"), reasons)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [_without_nan(entry, f"{name}/{i}", reasons) for i, entry in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        text = "infinity" if value > 0 else "minus infinity"
        reasons[name] = "not a number: undefined for these samples" if value != value else text
        return None
    return value


def _shortened(text: str) -> str:
    """Return a string, shortened for the table; JSON and CSV have the whole string."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]}... ({len(text)} characters)"


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
