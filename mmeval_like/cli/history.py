"""`log`: records over time as tables, CSV and plots, with significant differences."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like._base.optional import needed_for
from mmeval_like._verdicts.sentences import interval_text
from mmeval_like.cli import report
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import blaming, expand
from mmeval_like.cli.records import is_state, read_json, read_state
from mmeval_like.cli.targets import check_targets
from mmeval_like.cli.terminal import shown, write_out
from mmeval_like.records.history import COLUMNS, history

__all__ = ["log"]


def log(options: argparse.Namespace) -> int:
    """Print records over time; return the exit code.

    Raises:
        InputError: A file is neither a record nor a saved state of one.
    """
    paths = expand(options.records)
    read = dict.fromkeys(paths, "one of the records")
    check_targets({"--csv": options.csv, "--plot": options.plot}, read)
    states = [path for path in paths if is_state(path)]
    samples = []
    for path in states:
        request, total = read_state(path)
        with blaming(path):
            total.compute(request.size)
        samples.append(total)
    records = []
    for path in paths:
        if path not in states:
            records.append(read_json(path))
            with blaming(path):
                history(records[-1:])  # so that an error names the file
    try:
        lines = history(records, samples)
    except ValueError as error:
        raise InputError(f"{', '.join(states or paths)}: {error}") from error
    if options.csv:
        cells = ([line[name] for name in COLUMNS] for line in lines)
        report.write_lines(options.csv, COLUMNS, cells)
    if options.plot:
        _plot(options.plot, lines)
    if not options.quiet:
        write_out(_tables(lines), options.csv == "-")
    return 0


def _plot(path: str, lines: Sequence[dict[str, Any]]) -> None:
    """Plot all values over time to a file."""
    from mmeval_like.plots import log as drawn
    from mmeval_like.plots.style import default_settings

    with needed_for("plot", "pip install 'mmeval-like[plot]'"):
        settings = default_settings({"backend": "agg"})
    try:
        with settings:
            drawn(lines).savefig(path)
    except OSError as error:
        raise InputError(f"--plot {path}: {error.strerror or error}") from error
    except ValueError as error:  # no values, no times, or a suffix of no known format
        raise InputError(f"--plot {path}: {error}") from error


def _tables(lines: Sequence[dict[str, Any]]) -> str:
    """Return a table for every value, narrow enough for a terminal."""
    tables: dict[str, list[list[str]]] = {}
    for line in lines:
        title = f"{line['metric']} {line['number']}"
        if line["slice"] != WHOLE:
            title = f"{line['slice']}: {title}"
        tables.setdefault(title, []).append(_cells(line))
    head = ["time", "value", "difference", "verdict"]
    return "\n".join(
        f"{shown(title)}\n{report.drawn([head, *cells], (), False)}"
        for title, cells in tables.items()
    )


def _cells(line: dict[str, Any]) -> list[str]:
    value, difference = f"{line['value']:.6g}", ""
    if not math.isnan(line["low"]):
        value += f" {interval_text(line['low'], line['high'], line['thin'])}"
    if not math.isnan(line["difference"]):
        difference = f"{line['difference']:+.3g}"
    if not math.isnan(line["difference_low"]):
        low, high = line["difference_low"], line["difference_high"]
        difference += f" {interval_text(low, high, None, '+')}"
    verdict = line["verdict"]
    if line["paired"]:
        verdict += f" (pairs, p = {line['p_adjusted']:.2g})"
    time = line["time"][:16].replace("T", " ")
    return [shown(cell) for cell in (time, value, difference, verdict)]
