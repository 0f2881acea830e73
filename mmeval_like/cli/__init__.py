"""The command line: score prediction files on any number of ranks."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from mmeval_like.cli.errors import BAD_INPUT, FAILED, INTERRUPTED, MISSED, InputError, last_line
from mmeval_like.cli.parser import make_parser
from mmeval_like.cli.terminal import tell, write_out
from mmeval_like.errors import RemoteError

if TYPE_CHECKING:
    from mmeval_like.backends import BaseDistBackend
    from mmeval_like.cli.request import Request

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code.

    Exit codes: 0; 1 a metric or a rank failed (`doctor`: something is wrong); 2 bad input; 3 a
    number is not what `--require` says; 130 interrupted.

    Example:
        >>> main(["score", "nowhere.csv", "--metric", "accuracy"])
        2
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    parser = make_parser()
    options = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning  # type: ignore[assignment]
        try:
            if options.command == "score":
                options = _completed(options, parser, arguments)
            code = _run(options, arguments)
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:  # the reader (`| head`) has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except Exception as error:
            return _explain(error)


def _completed(
    options: argparse.Namespace, parser: argparse.ArgumentParser, arguments: list[str]
) -> argparse.Namespace:
    """Return the options with those of a `--config` file below them."""
    score: argparse.ArgumentParser = options.parser
    if options.config is not None:
        from mmeval_like.cli.config import read_config

        score.set_defaults(**read_config(options.config, score))
        options = parser.parse_args(arguments)
    for given, what in ((options.files, "FILE"), (options.metric, "--metric")):
        if not given:
            score.error(f"the following arguments are required: {what}")
    return options


def _explain(error: Exception) -> int:
    """Say in one line what went wrong, and return the exit code."""
    if isinstance(error, RemoteError):  # the rank that failed says why
        return BAD_INPUT if f"{InputError.__name__}:" in error.details[0] else FAILED
    if isinstance(error, InputError):
        tell(str(error))
        return BAD_INPUT
    tell(last_line(f"{type(error).__name__}: {error}"))
    return FAILED


def _show_warning(message: Warning | str, *_: object) -> None:
    tell(f"warning: {message}")


def _run(options: argparse.Namespace, arguments: list[str]) -> int:
    # Imported here: `--help` needs none of it.
    if options.command == "list":
        from mmeval_like.cli import listing

        page = listing.metric_page(options.name) if options.name else listing.overview()
        write_out(page)
        return 0
    if options.command == "doctor":
        from mmeval_like.cli.doctor import doctor

        return doctor()
    from mmeval_like.cli.inputs import unpacked
    from mmeval_like.cli.launch import FILES, LAUNCHED, connect, leave, run_ranks
    from mmeval_like.cli.request import read_request
    from mmeval_like.launchers import detect_launcher

    place = detect_launcher()
    with ExitStack() as stack:
        try:
            if FILES in os.environ:
                options.files = json.loads(os.environ[FILES])
            elif place is not None and place.size > 1 and "-" in options.files:
                raise InputError("-: standard input is for one process: start ranks with -n")
            options.files = stack.enter_context(unpacked(options.files, options.resume))
            request = read_request(options)
        except InputError:
            if place is not None and place.rank > 0:  # all ranks find it; rank 0 says it
                return BAD_INPUT
            raise
        if LAUNCHED not in os.environ and place is None and options.ranks > 1:
            return run_ranks(arguments, options.ranks, options.backend, options.files)
        backend = connect()
        try:
            return leave(_score(options, request, backend))
        except Exception as error:  # all ranks have one
            return leave(_explain(error))


def _score(options: argparse.Namespace, request: Request, backend: BaseDistBackend) -> int:
    from mmeval_like.cli import report
    from mmeval_like.cli.require import missed
    from mmeval_like.cli.score import score

    speaks = backend.rank == 0
    if speaks and not options.quiet:
        for argument, column in request.guessed.items():
            tell(f"{argument} are read from the column {column!r}")
    folder = None if options.resume is None else Path(options.resume)
    results = score(request, backend, folder, options.quiet)
    if speaks:
        if options.json:
            report.write_json(options.json, results)
        if options.csv:
            report.write_csv(options.csv, results, request.classes)
        if not options.quiet:
            printed = "-" in (options.json, options.csv)
            report.print_table(results, request.classes, to_stderr=printed)
    numbers = report.numbers_by_name(results, request.classes)
    lines = missed(request.conditions, numbers)  # the same on every rank
    for line in lines if speaks else ():
        tell(line)
    return MISSED if lines else 0
