"""`compare` and `gate` of logs: the score, its samples, and its metric."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from mmeval_like._base.account import Account
from mmeval_like._base.names import did_you_mean
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers import blaming, expand
from mmeval_like.cli.readers.log_files import ASKED, RULE, LogTable
from mmeval_like.logs import LogError, Scores, read_log
from mmeval_like.logs.compare import BETWEEN, account, check_clusters, counted, no_worst_case
from mmeval_like.logs.log import bounds_of

__all__ = ["LogSides", "read_logs"]

_RENAMED = "; lm-eval writes the task into the name of the file, samples_TASK_TIME.jsonl: keep it"
_OTHERS = ("column", "annotations", "classes", "ids", "unscored_column")  # a log has its own


@dataclass(frozen=True)
class LogSides:
    """One score of the logs of one system, or of two.

    Attributes:
        tables: For each system, the files of its samples.
        label: The score's name.
        metric: The score's metric, in the form of `--metric`.
        equal: The columns that must be equal in both systems.
        rule: What samples without a score count as, by `--unscored`; None: all have one.
        remarks: What is compared, and which repeats have no score, for the user.
    """

    tables: list[list[LogTable]]
    label: str
    metric: str
    equal: tuple[str, ...]
    rule: float | str | None
    remarks: tuple[str, ...]


def read_logs(options: argparse.Namespace) -> LogSides:
    """Read the logs of all systems.

    Raises:
        InputError: A file is not a log or is damaged, an option is not for logs, the systems do not
            have the same tasks, or it is not clear which score is meant.
    """
    for name in _OTHERS:
        if getattr(options, name):
            option = name.replace("_", "-")
            raise InputError(f"--{option} applies only to tables: a log describes its own columns")
    said: list[str] = []
    found = [_read(side, options.format, said) for side in options.sides]
    harnesses = sorted({one.harness for side in found for one in side})
    if len(harnesses) > 1:
        raise InputError(f"the logs are from {' and '.join(harnesses)}: give logs of one harness")
    label = _chosen(options.score, found)
    sides = [_of_score(label, side) for side in found]
    _check_tasks(sides)
    several = len({_name(one) for _, one in sides[0]}) > 1
    sides = _completed(sides)
    tables = [_tables(side, several, options.unscored) for side in sides]
    rule = options.unscored
    if rule is None and any(any(table.reasons) for side in tables for table in side):
        rule = RULE
    for table in [table for side in tables for table in side if rule is not None]:
        table.tell_reasons()
    said += [line for side in sides for file, one in side for line in _of_repeats(file, one, rule)]
    every = [one for side in sides for _, one in side]
    for one in every if options.cluster is not None else ():
        try:
            check_clusters(one, options.cluster)
        except LogError as error:
            raise InputError(str(error)) from error
    known = all(ASKED in table.columns for side in tables for table in side)
    tasks = [*dict.fromkeys(one.task for one in every)]
    remark = f"{label} of {', '.join(tasks)}, from logs of {harnesses[0]}"
    if len(sides) > 1 and not known:
        remark += "; samples are matched by id alone, since not all logs contain the questions"
    metric = options.metric[0] if options.metric else _metric(every, tables, options.anytime)
    if rule == "bounds" and not options.metric:
        if "bounds=" not in metric:
            raise InputError(f"{label}: {no_worst_case('; '.join(map(_said, tables)))}")
        if not {0, 1} >= {value for side in tables for table in side for value in table.values}:
            remark += f"; {BETWEEN}"
    return LogSides(tables, label, metric, (ASKED,) if known else (), rule, (*said, remark))


def _said(tables: Sequence[LogTable]) -> str:
    reasons = [why for table in tables for why in table.reasons]
    return Account(len(reasons), Counter(sorted(filter(None, reasons)))).said() or "all scored"


def _of_repeats(file: str, scores: Scores, rule: float | str | None) -> Iterator[str]:
    """Yield a remark if samples have a score by a rule that is not that of all their repeats."""
    under = scores.of_known_repeats() if rule == "drop" else scores
    if rule is not None and under.lacking(rule) != scores.lacking("refuse"):
        said = account(scores).said()
        yield f"{file}: {scores.task} {scores.label}: {said}: {counted(scores, rule)}"


def _completed(
    sides: Sequence[Sequence[tuple[str, Scores]]],
) -> list[list[tuple[str, Scores]]]:
    """Return the scores of all systems; what a log does not say of a sample, another one may.

    A log has only the ids of samples that were planned, and were never evaluated.
    """
    known: dict[tuple[str, str], tuple[Scores, int]] = {}
    for side in sides:
        for _, one in side:
            for place, asked in enumerate(one.asked):
                if asked:
                    known.setdefault((_name(one), str(one.ids[place])), (one, place))

    def completed(one: Scores) -> Scores:
        asked = [*one.asked]
        fields = {name: [*column] for name, column in one.fields.items()}
        for place in [place for place, text in enumerate(asked) if not text]:
            other, there = known.get((_name(one), str(one.ids[place])), (one, place))
            asked[place] = other.asked[there]
            for name in fields.keys() & other.fields.keys():
                fields[name][place] = other.fields[name][there]
        return replace(one, asked=asked, fields=fields)

    return [[(file, completed(one)) for file, one in side] for side in sides]


class _File(NamedTuple):
    """A file of samples.

    Attributes:
        harness: The name of the harness.
        path: The path of the file.
        scores: Its scores.
        given: The path on the command line: the file's own, or that of its folder.
    """

    harness: str
    path: str
    scores: list[Scores]
    given: str


def _read(patterns: Sequence[str], format: str | None, said: list[str]) -> list[_File]:
    """Return every file of samples of one system.

    Remarks about the files of a folder, such as the chosen run, are added to `said`.
    """
    found: dict[str, _File] = {}
    for path in expand(patterns):
        with blaming(path):
            try:
                log = read_log(path, format)
                files = [str(file) for file in log.files]
                logs = [log] if files == [path] else [read_log(file, log.format) for file in files]
            except LogError as error:
                raise InputError(str(error)) from error
        if Path(path).is_dir():
            said += log.remarks
        for file, one in zip(files, logs, strict=True):
            real = str(Path(file).resolve())
            if real in found:
                raise InputError(f"{path}: {file} is given twice")
            own = [scores for scores in one.scores if not scores.is_group]
            found[real] = _File(log.format, file, own, path)
    return [*found.values()]


def _chosen(wanted: str | None, found: Sequence[Sequence[_File]]) -> str:
    """Return the name of the score that is compared.

    Raises:
        InputError: There is no score, there are several, or the wanted score is missing.
    """
    of_sides = [[one for file in side for one in file.scores] for side in found]
    every = dict.fromkeys(one.label for side in of_sides for one in side)
    odd = {one.label for side in of_sides for one in side if not _is_mean(one)}
    known = [
        label
        for label in every
        if label not in odd and all(label in {one.label for one in side} for side in of_sides)
    ]
    listed = ", ".join(map(repr, known)) or "none"
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted is None and not known:
        raise InputError(
            f"no score is a mean of its samples' scores in all logs; there are "
            f"{', '.join(map(repr, every)) or 'none'}"
        )
    if wanted is None:
        raise InputError(f"--score: choose a score that is a mean over samples: {listed}")
    if wanted in known:
        return wanted
    if wanted in odd:
        raise InputError(
            f"--score {wanted!r} is not the mean of its samples' scores; these are: {listed}"
        )
    raise InputError(
        f"--score: {'not all logs have' if wanted in every else 'no log has'} {wanted!r}"
        f"{did_you_mean(wanted, known) or f'; there is {listed}'}"
    )


def _is_mean(scores: Scores) -> bool:
    return any(one.rule == "mean" and one.where is None for one in scores.aggregates)


def _of_score(label: str, side: Sequence[_File]) -> list[tuple[str, Scores]]:
    """Return the files with a score, and the score.

    Raises:
        InputError: A file or a folder that was given has no such score.
    """
    found = [(file, one) for file in side for one in file.scores if one.label == label]
    having = {file.given for file, _ in found}
    for file in side:
        if file.given not in having:
            labels = dict.fromkeys(one.label for one in file.scores)
            hint = did_you_mean(label, labels) or f"; it has {', '.join(map(repr, labels))}"
            raise InputError(f"{file.given}: no score {label!r}{hint}; leave this log out")
    return [(file.path, one) for file, one in found]


def _name(scores: Scores) -> str:
    """Return the name of a task in all logs that can be compared."""
    return scores.dataset or scores.task


def _check_tasks(sides: Sequence[Sequence[tuple[str, Scores]]]) -> None:
    """Raise InputError unless all systems have the same tasks, each once and with samples."""
    for side in sides:
        files: dict[str, str] = {}
        for file, one in side:
            if _name(one) in files:
                raise InputError(f"{file}: the task {one.task!r} is also in {files[_name(one)]}")
            if not one.ids:
                raise InputError(f"{file}: no sample of {one.task!r} has the score {one.label!r}")
            files[_name(one)] = file
    names = [{_name(one) for _, one in side} for side in sides]
    only = [sorted(names[0] - names[-1]), sorted(names[-1] - names[0])]
    if any(only):
        raise InputError(
            f"both systems must have the same tasks; only A has {only[0]}, and only B has {only[1]}"
            f"{_RENAMED if any(file.endswith('.jsonl') for file, _ in sides[0]) else ''}"
        )


def _tables(
    side: Sequence[tuple[str, Scores]], several: bool, rule: float | str | None
) -> list[LogTable]:
    files: dict[str, list[Scores]] = {}
    for file, one in side:
        files.setdefault(file, []).append(one)
    return [LogTable(file, scores, several, rule) for file, scores in files.items()]


def _metric(every: Sequence[Scores], tables: Sequence[Sequence[LogTable]], anytime: bool) -> str:
    """Return the metric of a score, a mean, with bounds if all values lie in [0, 1]."""
    values = (value for side in tables for table in side for value in table.values)
    options = []
    better = {one.higher_is_better for one in every}
    # Sequential tests need bounds that also hold for later values; only the user knows them.
    if not anytime and bounds_of(values, False if better == {False} else None) is not None:
        options.append("bounds=0,1")
    if better in ({True}, {False}):
        options.append(f"higher_is_better={str(better == {True}).lower()}")
    return ":".join(filter(None, ("mean", ",".join(options))))
