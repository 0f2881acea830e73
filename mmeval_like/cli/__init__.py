"""The command line: score and compare prediction files on any number of ranks."""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import mmeval_like
from mmeval_like.cli.errors import (
    BAD_INPUT,
    BROKEN,
    FAILED,
    INTERRUPTED,
    MISSED,
    InputError,
    last_line,
)
from mmeval_like.cli.parser import BETWEEN, make_parser, parsed
from mmeval_like.cli.terminal import open_streams, tell, write_out

if TYPE_CHECKING:
    from mmeval_like.backends import BaseDistBackend
    from mmeval_like.cli.request import Request

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code.

    Exit codes: 0; 1 a metric or a rank failed (`doctor`: something is wrong; `gate`: fail;
    `verify`: something differs); 2 bad input; 3 a value does not meet `--require` (`gate`:
    undecided); 4 a metric or a rank failed in `compare`, `gate` or `verify`; 130 interrupted.

    Example:
        >>> main(["score", "nowhere.csv", "--metric", "accuracy"])
        2
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    open_streams()
    parser = make_parser()
    compares = arguments[:1] in (["compare"], ["gate"])
    words = [BETWEEN if compares and word == "--" else word for word in arguments]
    failed = BROKEN if compares or arguments[:1] == ["verify"] else FAILED
    with warnings.catch_warnings():
        warnings.showwarning = _printer_of_warnings()
        try:
            options = parsed(parser, words)
            if options.command == "verify":
                from mmeval_like.cli.verify import ask_as_recorded

                ask_as_recorded(options)
            if "files" in options:
                options = _completed(options, parser, words)
            options.asked = arguments
            code = _run(options, arguments, failed)
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:  # the reader (`| head`) has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except Exception as error:
            return _explain(error, failed)


def _completed(
    options: argparse.Namespace, parser: argparse.ArgumentParser, arguments: list[str]
) -> argparse.Namespace:
    """Return the options, completed by those of a `--config` file, and the files by system."""
    command: argparse.ArgumentParser = options.parser
    if options.config is not None:
        from mmeval_like.cli.config import read_config

        command.set_defaults(**read_config(options.config, command))
        options = parsed(parser, arguments)
    sides: list[list[str]] = [[]]
    for file in options.files:
        sides = [*sides, []] if file == BETWEEN else [*sides[:-1], [*sides[-1], file]]
    options.sides = sides
    wanted = {"compare": (2,), "gate": range(1, len(sides) + 1)}.get(options.command, (1,))
    if options.files and (len(sides) not in wanted or not all(sides)):
        command.error("put the files of A before -- and those of B after it")
    missing = "FILE" if not options.files else "" if options.metric else "--metric"
    judges = options.command in ("compare", "gate")
    options.logs = judges and bool(options.format or options.score)
    if missing == "--metric" and (judges or options.command == "score"):
        from mmeval_like.cli.logs import is_log, no_log

        advice = "`mmeval_like list` shows all metrics"
        options.logs = is_log(options)
        missing = "" if options.logs else f"{missing} ({advice}); {no_log(options)}"
    elif options.command == "score" and (options.format or options.score):
        name = "--format" if options.format else "--score"
        command.error(f"{name} selects scores in logs: remove --metric")
    if missing:
        command.error(f"the following arguments are required: {missing}")
    return options


def _explain(error: Exception, failed: int) -> int:
    """Print the error in one line, and return the exit code."""
    if isinstance(error, mmeval_like.RemoteError):  # the rank that failed prints the reason
        return BAD_INPUT if f"{InputError.__name__}:" in error.details[0] else failed
    if isinstance(error, InputError):
        tell(str(error))
        return BAD_INPUT
    if isinstance(error, MemoryError):
        traceback.clear_frames(error.__traceback__)  # they hold what was read
        tell(f"memory ran out{f' ({error})' if str(error) else ''}")
        return failed
    tell(last_line(f"{type(error).__name__}: {error}"))
    return failed


def _printer_of_warnings() -> Callable[..., None]:
    """Return a function that prints each text once, even if an option makes several metrics."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            tell(f"warning: {message}")

    return show


def _run(options: argparse.Namespace, arguments: list[str], failed: int) -> int:
    # Imported here: `--help` needs none of it.
    if options.command == "list":
        from mmeval_like.cli import listing

        page = listing.metric_page(options.name) if options.name else listing.overview()
        write_out(page)
        return 0
    if options.command == "doctor":
        from mmeval_like.cli.doctor import doctor

        return doctor()
    if options.command in ("rollup", "retract"):
        from mmeval_like.cli import states

        return states.rollup(options) if options.command == "rollup" else states.retract(options)
    if options.command == "log":
        from mmeval_like.cli.history import log

        return log(options)
    if options.command == "record":
        from mmeval_like.cli.export import export

        return export(options)
    if options.command == "score" and not options.metric:
        from mmeval_like.cli.logs import score_logs

        return score_logs(options)
    if options.command == "verify":
        from mmeval_like.cli.records import is_state
        from mmeval_like.cli.verify import verify_state

        if is_state(options.files[0]):
            return verify_state(options)
    if options.command == "score" and (options.lock or options.locked):
        from mmeval_like.cli.lock import read_lock, write_lock

        if options.lock:
            write_lock(options)
            return 0
        options.require = [*options.require, *read_lock(options.locked)[0]["require"]]
    return _run_on_ranks(options, arguments, failed)


def _run_on_ranks(options: argparse.Namespace, arguments: list[str], failed: int) -> int:
    from mmeval_like._base.launchers import detect_launcher
    from mmeval_like.cli.inputs import unpacked
    from mmeval_like.cli.launch import FILES, LAUNCHED, connect, leave, run_ranks
    from mmeval_like.cli.readers import expand
    from mmeval_like.cli.request import read_request

    place = detect_launcher()
    with ExitStack() as stack:
        try:
            if FILES in os.environ:
                options.sides = json.loads(os.environ[FILES])
            elif place is not None and place.size > 1 and "-" in options.files:
                raise InputError("-: only one process can read it: start the ranks with -n")
            if options.files.count("-") > 1:
                raise InputError("-: standard input can be read only once")
            if options.logs:
                sides, requests = [expand(side) for side in options.sides], _of_logs(options)
            else:
                sides = [stack.enter_context(unpacked(s, options.resume)) for s in options.sides]
                requests = [
                    read_request(argparse.Namespace(**vars(options) | {"files": files}))
                    for files in sides
                ]
        except InputError:
            if place is not None and place.rank > 0:  # all ranks find it; only rank 0 prints it
                return BAD_INPUT
            raise
        if LAUNCHED not in os.environ and place is None and options.ranks > 1:
            return run_ranks(arguments, options.ranks, options.backend, sides, failed)
        backend = connect()
        try:
            return leave(_work(options, requests, backend))
        except Exception as error:  # all ranks raise one
            return leave(_explain(error, failed))


def _of_logs(options: argparse.Namespace) -> list[Request]:
    """Return the requests for the logs of one system, or of two."""
    from mmeval_like.cli.log_sides import read_logs
    from mmeval_like.cli.readers.log_files import IDS
    from mmeval_like.cli.request import read_request

    logs = read_logs(options)
    options.remarks = logs.remarks
    column = [("values", [logs.label])]
    asked = vars(options) | {"metric": [logs.metric], "column": column, "ids": IDS}
    return [
        read_request(
            argparse.Namespace(**asked | {"files": [table.path for table in tables]}),
            tables,
            logs.equal,
        )
        for tables in logs.tables
    ]


def _work(
    options: argparse.Namespace, requests: Sequence[Request], backend: BaseDistBackend
) -> int:
    if backend.rank == 0 and not options.quiet:
        for remark in options.remarks if options.logs else ():
            tell(remark)
        for argument, (column, *others) in requests[-1].guessed.items():
            instead = f", not from {' or '.join(map(repr, others))}; --column can change this"
            tell(f"{argument} are read from the column {column!r}{instead if others else ''}")
        for spec in requests[-1].specs:
            if spec.remark is not None:
                tell(spec.remark)
    if options.command == "compare":
        from mmeval_like.cli.compare import compare

        return compare(options, requests, backend)
    if options.command == "gate":
        from mmeval_like.cli.gate import gate

        return gate(options, requests, backend)
    if options.command == "verify":
        from mmeval_like.cli.verify import verify_files

        return verify_files(options, requests[0], backend)
    return _score(options, requests[0], backend)


def _score(options: argparse.Namespace, request: Request, backend: BaseDistBackend) -> int:
    from mmeval_like._base.keys import WHOLE
    from mmeval_like._core.result import Result
    from mmeval_like.cli import report
    from mmeval_like.cli.recorded import recorded_score
    from mmeval_like.cli.require import missed
    from mmeval_like.cli.score import score

    speaks = backend.rank == 0
    folder = None if options.resume is None else Path(options.resume)
    results, total = (
        recorded_score(options, request, backend, folder)
        if request.recorded
        else score(request, backend, folder, options.quiet)
    )
    if speaks:
        if options.json:
            report.write_json(options.json, results)
        if options.csv:
            report.write_csv(options.csv, results, request.classes)
        if options.report:
            from mmeval_like.cli.each import each_sample

            whole = results if request.by else results[WHOLE]
            samples = results[WHOLE]["samples"]
            found = Result(whole, samples, total.report, request.classes or None, total.intervals)
            shown = [name for text in options.show for name in text.split(",")]
            each = each_sample([request], samples, [results[WHOLE]], shown)
            report.write_page(options.report, total, found, options, [request], each)
        if not options.quiet:
            printed = "-" in (options.json, options.csv)
            intervals = total.intervals if request.by else {WHOLE: total.intervals}
            report.print_table(results, request.classes, intervals, to_stderr=printed)
    numbers = report.numbers_by_name(results, request.classes)
    lines = missed(request.conditions, numbers)  # the same on every rank
    for line in lines if speaks else ():
        tell(line)
    return MISSED if lines else 0
