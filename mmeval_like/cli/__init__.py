"""The command line: score prediction files on any number of ranks."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from mmeval_like.cli.errors import BAD_INPUT, FAILED, INTERRUPTED, InputError, last_line
from mmeval_like.cli.parser import make_parser
from mmeval_like.errors import RemoteError

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
    try:
        return _run(options, arguments)
    except InputError as error:
        print(f"mmeval_like: {error}", file=sys.stderr)
        return BAD_INPUT
    except RemoteError as error:  # the rank that failed says why
        return BAD_INPUT if f"{InputError.__name__}:" in error.details[0] else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        print(f"mmeval_like: {last_line(text)}", file=sys.stderr)
        return FAILED


def _run(options: argparse.Namespace, arguments: list[str]) -> int:
    # Imported here: `--help` needs none of it.
    if options.command == "list":
        from mmeval_like.cli.listing import print_list

        print_list()
        return 0
    if options.command == "doctor":
        from mmeval_like.cli.listing import doctor

        return doctor()
    from mmeval_like.cli import report
    from mmeval_like.cli.launch import LAUNCHED, connect, run_ranks
    from mmeval_like.cli.request import read_request
    from mmeval_like.cli.score import score
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
    folder = None if options.resume is None else Path(options.resume)
    results = score(request, backend, folder)
    if backend.rank == 0:
        classes = (request.dataset_meta or {}).get("classes", [])
        report.print_table(results, options.by, classes)
        if options.json:
            report.write_json(options.json, results)
        if options.csv:
            report.write_csv(options.csv, results, classes)
    return 0
