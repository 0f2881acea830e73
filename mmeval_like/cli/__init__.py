"""The command line: score prediction files on any number of ranks."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mmeval_like.cli.errors import BAD_INPUT, FAILED, INTERRUPTED, InputError, last_line
from mmeval_like.cli.parser import make_parser
from mmeval_like.errors import RemoteError

if TYPE_CHECKING:
    from mmeval_like.backends import BaseDistBackend
    from mmeval_like.cli.request import Request

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code.

    Exit codes: 0; 1 a metric or a rank failed (`doctor`: something is wrong); 2 bad input; 130
    interrupted.

    Example:
        >>> main(["score", "nowhere.csv", "--metric", "accuracy"])
        2
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    options = make_parser().parse_args(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning  # type: ignore[assignment]
        try:
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


def _explain(error: Exception) -> int:
    """Say in one line what went wrong, and return the exit code."""
    if isinstance(error, RemoteError):  # the rank that failed says why
        return BAD_INPUT if f"{InputError.__name__}:" in error.details[0] else FAILED
    if isinstance(error, InputError):
        print(f"mmeval_like: {error}", file=sys.stderr)
        return BAD_INPUT
    print(f"mmeval_like: {last_line(f'{type(error).__name__}: {error}')}", file=sys.stderr)
    return FAILED


def _show_warning(message: Warning | str, *_: object) -> None:
    print(f"mmeval_like: warning: {message}", file=sys.stderr)


def _run(options: argparse.Namespace, arguments: list[str]) -> int:
    # Imported here: `--help` needs none of it.
    if options.command == "list":
        from mmeval_like.cli.listing import print_list

        print_list()
        return 0
    if options.command == "doctor":
        from mmeval_like.cli.listing import doctor

        return doctor()
    from mmeval_like.cli.launch import LAUNCHED, connect, leave, run_ranks
    from mmeval_like.cli.request import read_request
    from mmeval_like.launchers import detect_launcher

    place = detect_launcher()
    try:
        request = read_request(options)
    except InputError:
        if place is not None and place.rank > 0:  # all ranks find it; rank 0 says it
            return BAD_INPUT
        raise
    if LAUNCHED not in os.environ and place is None and options.ranks > 1:
        return run_ranks(arguments, options.ranks, options.backend)
    backend = connect()
    try:
        _score(options, request, backend)
    except Exception as error:  # all ranks have one
        return leave(_explain(error))
    return leave(0)


def _score(options: argparse.Namespace, request: Request, backend: BaseDistBackend) -> None:
    from mmeval_like.cli import report
    from mmeval_like.cli.score import score

    folder = None if options.resume is None else Path(options.resume)
    results = score(request, backend, folder)
    if backend.rank == 0:
        classes = (request.dataset_meta or {}).get("classes", [])
        report.print_table(results, options.by, classes)
        if options.json:
            report.write_json(options.json, results)
        if options.csv:
            report.write_csv(options.csv, results, classes)
