"""`score` without metrics: the scores in the logs of a harness."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mmeval_like._base.account import Account
from mmeval_like._base.keys import Key, in_order, key_text
from mmeval_like._base.names import did_you_mean
from mmeval_like._verdicts.sentences import interval_text
from mmeval_like.cli import report
from mmeval_like.cli.errors import MISSED, InputError
from mmeval_like.cli.quantiles import is_float, ranges_of, sorted_into
from mmeval_like.cli.readers import blaming, expand
from mmeval_like.cli.readers.log_files import as_keys
from mmeval_like.cli.require import missed, parse_condition
from mmeval_like.cli.targets import check_targets
from mmeval_like.cli.terminal import shown, tell, write_out
from mmeval_like.logs import FORMATS, Log, LogError, Scores, guess, read_log
from mmeval_like.logs.compare import Number, compared

__all__ = ["is_log", "no_log", "score_logs"]

_LEVEL = 0.95
# Options that are for tables of predictions.
_OTHERS = (
    *("column", "annotations", "classes", "ids", "size", "resume", "csv", "report", "name", "show"),
    *("unscored_column", "record", "state", "lock", "locked"),
)


def is_log(options: argparse.Namespace) -> bool:
    """Return whether the files are logs, by `--format` or by the content of the first file.

    Raises:
        InputError: A file does not exist, or is given twice.
    """
    if options.format is not None:
        return True
    paths = expand(options.sides[0])
    try:
        return guess(paths[0]) is not None
    except (LogError, OSError):
        return False  # reading the file raises the error


def no_log(options: argparse.Namespace) -> str:
    """Return the error message for a first file that is not a log."""
    return shown(f"{options.files[0]} does not contain a log of {', '.join(FORMATS)}")


def score_logs(options: argparse.Namespace) -> int:
    """Print the metrics of logs, recomputed from their samples, next to the harness's.

    Raises:
        InputError: An option is not for logs, or a file is not a log.
    """
    for name in _OTHERS:
        if getattr(options, name):
            option = name.replace("_", "-")
            raise InputError(
                f"--{option} is for tables of predictions; {options.files[0]} is a log"
            )
    if options.unscored not in (None, "drop", "bounds", "refuse") and isinstance(
        options.unscored, str
    ):
        raise InputError(f"--unscored {options.unscored}: the scores of logs are numbers")
    conditions = [parse_condition(text) for text in options.require]
    by = [tuple(text.split(",")) for text in options.by]
    numbers: list[Number] = []
    paths = expand(options.files)
    check_targets({"--json": options.json}, dict.fromkeys(paths, "one of the logs"))
    for path in paths:
        with blaming(path):
            try:
                log = read_log(path, options.format)
                wanted = _of_score(log, options.score)
                remarks = [*log.remarks, *_without_slices(wanted, by)]
                level, slices = options.interval or _LEVEL, partial(_slices, by=by)
                numbers += compared(wanted, options.cluster, level, slices, options.unscored)
            except LogError as error:
                raise InputError(str(error)) from error
        if not options.quiet:
            detected = "" if options.format else "detected "
            tell(f"{path}: {detected}{log.format} log")
            for remark in remarks:
                tell(remark)
    if options.json:
        _write_json(options.json, numbers)
    if not options.quiet:
        _print(numbers, options.json == "-")
    named: dict[str, list[float]] = {}
    for one in numbers:
        for end, value in (("", one.value), (".worst", one.worst), (".best", one.best)):
            if value is not None:
                named.setdefault(f"{one.task}/{one.score}.{one.name}{end}", []).append(value)
    lines = missed(conditions, named)
    for line in lines:
        tell(line)
    return MISSED if lines else 0


def _of_score(log: Log, label: str | None) -> Log:
    """Return a log with only one of its scores.

    Raises:
        InputError: The log does not have this score.
    """
    if label is None:
        return log
    found = [one for one in log.scores if one.label == label]
    if not found:
        labels = dict.fromkeys(one.label for one in log.scores)
        hint = did_you_mean(label, labels) or f"; it has {', '.join(map(repr, labels)) or 'none'}"
        raise InputError(f"{log.files[0]}: no score {label!r}{hint}")
    return replace(log, scores=found)


def _slices(scores: Scores, by: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, list[int]]]:
    """Yield the name and the samples of every slice of a score, as for tables."""
    for family in by:
        if not set(family) <= scores.fields.keys():
            continue
        found: dict[Key, list[int]] = {}
        columns = [_keys(scores.fields[name]) for name in family]
        for i, key in enumerate(zip(*columns, strict=True)):
            found.setdefault(key, []).append(i)
        for key in in_order(found):
            yield key_text(family, key), found[key]


def _keys(field: Sequence[Any]) -> Sequence[Any]:
    column = as_keys(field)
    if any(map(is_float, column)):
        return sorted_into(column, *ranges_of(column))
    return [str(value).lower() if isinstance(value, bool) else value for value in column]


def _without_slices(log: Log, by: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield a remark for each task that lacks the fields of slices.

    Raises:
        InputError: All tasks lack them.
    """
    fields: dict[str, set[str]] = {}
    for one in log.scores:
        fields.setdefault(one.task, set()).update(one.fields)
    for family in by:
        lack = [task for task, names in fields.items() if not set(family) <= names]
        name = ",".join(family)
        if len(lack) == len(fields):
            known = ", ".join(sorted(set[str]().union(*fields.values()))) or "none"
            raise InputError(
                f"{log.files[0]}: no field {name!r} in its samples (for --by); they have {known}"
            )
        if lack:
            yield f"--by {name}: the samples of {', '.join(lack)} have no such field"


def _print(numbers: list[Number], to_stderr: bool) -> None:
    lines = [["task", "score", "number", "value", "interval", "harness", "samples"]]
    notes: dict[str, int] = {}
    for one in numbers:
        marks = [f"[{notes.setdefault(text, len(notes) + 1)}]" for text in one.remarks]
        mark = " ".join([*(["="] if one.same else []), *marks])
        value = "" if one.value is None else repr(one.value)
        ends = ""
        if one.low is not None and one.high is not None:
            ends = interval_text(one.low, one.high, one.thin)
        theirs = "" if one.harness is None else repr(one.harness)
        count = f"{one.samples} of {one.planned}" if one.samples < one.planned else str(one.samples)
        row = [one.task, one.score, one.name, value, ends, f"{theirs} {mark}", count]
        lines.append([shown(cell.strip()) for cell in row])
    table = report.drawn(lines, {"value", "harness"}, to_stderr)
    below = [f"[{number}] {shown(text)}\n" for text, number in notes.items()]
    below += [f"{shown(line)}\n" for line in dict.fromkeys(filter(None, map(_account, numbers)))]
    thin = dict.fromkeys(one.thin for one in numbers if one.thin)
    below += [f"~ coverage may be below the level: {shown(text)}\n" for text in thin]
    same = sum(one.same for one in numbers)
    known = sum(one.value is not None and one.harness is not None for one in numbers)
    below.append(f"= marks {same} of {known} numbers that equal the harness's to the last digit\n")
    write_out(table + "".join(below), to_stderr)


def _account(one: Number) -> str:
    """Return which samples of a number have no score, and what they count as; "" if all have one.

    The numbers of one score have the same samples; the bounds are those of its mean.
    """
    if not one.unscored or (one.worst is None and one.name in ("stderr", "std", "var")):
        return ""
    text = f"{one.task} {one.score} {one.name}: {Account(one.planned, one.unscored).said()}"
    text += f": {one.counted}"
    if one.worst is None or one.best is None:
        return text
    return f"{text}; from {one.worst:.4g} (worst) to {one.best:.4g} (best)"


def _write_json(path: str, numbers: list[Number]) -> None:
    found: list[dict[str, Any]] = [
        {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in vars(one).items()
        }
        for one in numbers
    ]
    text = json.dumps(found, indent=2, allow_nan=False) + "\n"
    report.write_text(path, text)
