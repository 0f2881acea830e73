"""`log`: records over time as a table, and which differences are real."""

from __future__ import annotations

import argparse
import csv
import io
import math
import os
from typing import Any

from mmeval_like.cli import report
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import expand
from mmeval_like.cli.records import read_json
from mmeval_like.cli.terminal import shown, write_out
from mmeval_like.records.history import COLUMNS, history

__all__ = ["log"]


def log(options: argparse.Namespace) -> int:
    """Print records over time; return the exit code.

    Raises:
        InputError: A file that is no record.
    """
    paths = expand(options.records)
    if options.csv and os.path.realpath(options.csv) in map(os.path.realpath, paths):
        raise InputError(f"--csv {options.csv}: is one of the records, and would be overwritten")
    try:
        lines = history([read_json(path) for path in paths])
    except ValueError as error:
        raise InputError(str(error)) from error
    if options.csv:
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        writer.writerows([line[name] for name in COLUMNS] for line in lines)
        report.write_text(options.csv, text.getvalue())
    if not options.quiet:
        head = ["time", "slice", "metric", "number", "value", "interval", "difference", "verdict"]
        table = report.drawn([head, *map(_cells, lines)], {"value", "difference"}, False)
        write_out(table, options.csv == "-")
    return 0


def _cells(line: dict[str, Any]) -> list[str]:
    interval = ends = ""
    if not math.isnan(line["low"]):
        interval = report.interval_text(line["low"], line["high"], None)
    if not math.isnan(line["difference"]):
        ends = f"{line['difference']:+.3g}"
    if not math.isnan(line["difference_low"]):
        low, high = line["difference_low"], line["difference_high"]
        ends += f" {report.interval_text(low, high, None, '+')}"
    names = [line[name] for name in ("time", "slice", "metric", "number")]
    cells = [*names, f"{line['value']:.6g}", interval, ends, line["verdict"]]
    return [shown(cell) for cell in cells]
