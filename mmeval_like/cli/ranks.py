"""What a command does on every rank: connect, read the request, work, and leave together."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

from mmeval_like._base.launchers import detect_launcher
from mmeval_like._core.together import together
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli.errors import InputError, clipped
from mmeval_like.cli.explain import explain
from mmeval_like.cli.inputs import unpacked
from mmeval_like.cli.launch import FILES, LAUNCHED, connect, leave, run_ranks
from mmeval_like.cli.readers import expand
from mmeval_like.cli.request import Request, read_request
from mmeval_like.cli.terminal import tell
from mmeval_like.tables.column_matching import numbers_of
from mmeval_like.tables.guess import named_as_scores

__all__ = ["Work", "on_ranks"]

Work: TypeAlias = Callable[[argparse.Namespace, Sequence[Request], BaseDistBackend], int]
"""What a command does with the requests of one system, or of two; every rank makes the call."""


def on_ranks(options: argparse.Namespace, work: Work) -> int:
    """Run the work of a command on the ranks of a launcher, or on those that `-n` asks for.

    Raises:
        InputError: The input is wrong, and this process is not one of several ranks.
    """
    place = detect_launcher()
    alone = place is None and LAUNCHED not in os.environ
    with ExitStack() as stack:
        if alone:
            sides, requests = _read(options, stack)
            if options.ranks > 1:
                return run_ranks(
                    options.asked, options.ranks, options.backend, sides, options.failed
                )
        backend = connect()
        try:
            if not alone:
                requests = _read_together(options, stack, backend)
            _tell_remarks(options, requests[-1], backend)
            return leave(work(options, requests, backend))
        except Exception as error:  # all ranks raise one
            return leave(explain(error, options.failed))


def _read_together(
    options: argparse.Namespace, stack: ExitStack, backend: BaseDistBackend
) -> list[Request]:
    """Return this rank's requests.

    Raises:
        InputError: The input is wrong on this rank, or it asks for something else than rank 0.
        RemoteError: The same of another rank.
    """
    found: list[Request] = []

    def read() -> dict[str, str]:
        if backend.world_size > 1 and FILES not in os.environ and "-" in options.files:
            raise InputError("-: only one process can read it: start the ranks with -n")
        found.extend(_read(options, stack)[1])
        files = [Path(table.path).name for request in found for table in request.tables]
        given = vars(options) | {"files": files, "asked": None, "parser": None}
        return {name: repr(value) for name, value in given.items()}

    asked = together(backend, read)

    def check() -> None:
        own, first = asked[backend.rank], asked[0]
        names = [name for name in own if own[name] != first[name]]
        if names:
            raise InputError(
                f"rank {backend.rank} has other arguments than rank 0 ({', '.join(names)}): start "
                "every rank with the same arguments, and with equal files"
            )

    together(backend, check)
    return found


def _read(options: argparse.Namespace, stack: ExitStack) -> tuple[list[list[str]], list[Request]]:
    """Return the files of each system, unpacked until the stack is closed, and the requests.

    Raises:
        InputError: The input is wrong.
    """
    if FILES in os.environ:
        options.sides = json.loads(os.environ[FILES])
    if options.files.count("-") > 1:
        raise InputError("-: standard input can be read only once")
    if options.logs:
        return [expand(side) for side in options.sides], _of_logs(options)
    sides = [stack.enter_context(unpacked(side, options.resume)) for side in options.sides]
    requests = [
        read_request(argparse.Namespace(**vars(options) | {"files": files})) for files in sides
    ]
    return sides, requests


def _of_logs(options: argparse.Namespace) -> list[Request]:
    """Return the requests for the logs of one system, or of two."""
    from mmeval_like.cli.log_sides import read_logs
    from mmeval_like.cli.readers.log_files import IDS, REASON

    logs = read_logs(options)
    options.remarks = logs.remarks
    column = [("values", [logs.label])]
    asked = vars(options) | {"metric": [logs.metric], "column": column, "ids": IDS}
    if logs.rule is not None:
        asked |= {"unscored": logs.rule, "unscored_column": [REASON]}
    return [
        read_request(
            argparse.Namespace(**asked | {"files": [table.path for table in tables]}),
            tables,
            logs.equal,
        )
        for tables in logs.tables
    ]


def _tell_remarks(options: argparse.Namespace, request: Request, backend: BaseDistBackend) -> None:
    """Say what was read in place of what, if this is the rank that speaks."""
    if backend.rank == 0 and not options.quiet:
        for remark in options.remarks if options.logs else ():
            tell(remark)
        for argument, (column, *others) in request.guessed.items():
            instead = f", not from {' or '.join(map(repr, others))}; --column can change this"
            decisions = argument in request.of_classes and named_as_scores(column)
            tell(
                f"{argument} are read from the column {column!r}{instead if others else ''}"
                f"{'; integers there are classes, not scores' if decisions else ''}"
            )
        for argument, columns in request.columns.items():
            numbers = numbers_of(columns) if len(columns) > 1 and not request.classes else None
            if argument in request.of_classes and numbers not in (None, [*range(len(columns))]):
                places = [f"{column} is class {index}" for index, column in enumerate(columns)]
                tell(clipped(f"{argument}: {', '.join(places)}, whatever the number in its name"))
        for spec in request.specs:
            if spec.remark is not None:
                tell(spec.remark)
