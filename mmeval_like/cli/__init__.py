"""The command line: score and compare prediction files on any number of ranks.

`parser` declares every command, and names the function that runs it; `main` imports this function
alone, so that `--help` needs none of the commands.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Callable, Sequence

from mmeval_like.cli.errors import BROKEN, INTERRUPTED
from mmeval_like.cli.explain import explain
from mmeval_like.cli.parser import BETWEEN, SYSTEMS, make_parser, parsed
from mmeval_like.cli.terminal import open_streams, tell

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
    compares = bool(arguments) and arguments[0] in SYSTEMS
    words = [BETWEEN if compares and word == "--" else word for word in arguments]
    failed = BROKEN  # until the command is known: 1 would be a verdict of `gate`
    with warnings.catch_warnings():
        warnings.showwarning = _printer_of_warnings()
        try:
            open_streams()
            parser = make_parser()
            options = parsed(parser, words)
            failed = options.failed
            if "config" in options:  # the command scores files
                options = _completed(options, parser, words)
            options.asked = arguments
            code: int = _load(options.run)(options)
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:  # the reader (`| head`) has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except Exception as error:
            return explain(error, failed)


def _load(run: str) -> Callable[[argparse.Namespace], int]:
    module, _, name = run.partition(":")
    command: Callable[[argparse.Namespace], int] = getattr(importlib.import_module(module), name)
    return command


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
    wanted = SYSTEMS.get(options.command, (1,))
    if options.files and (len(sides) not in wanted or not all(sides)):
        command.error("put the files of A before -- and those of B after it")
    if getattr(options, "annotations", None) and options.metric == []:
        options.metric = ["coco_detection"]
    missing = "FILE" if not options.files else "" if options.metric else "--metric"
    options.logs = options.command in SYSTEMS and bool(options.format or options.score)
    if missing == "--metric":
        from mmeval_like.cli.logs import is_log, no_log

        advice = "`mmeval_like list` shows all metrics"
        options.logs = is_log(options)
        missing = "" if options.logs else f"{missing} ({advice}); {no_log(options)}"
    elif options.command not in SYSTEMS and (options.format or options.score):
        name = "--format" if options.format else "--score"
        command.error(f"{name} selects scores in logs: remove --metric")
    if missing:
        command.error(f"the following arguments are required: {missing}")
    return options


def _printer_of_warnings() -> Callable[..., None]:
    """Return a function that prints each text once, even if an option makes several metrics."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            tell(f"warning: {message}")

    return show
