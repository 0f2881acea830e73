"""The options of the command line.

The default `run` of a command is the function that runs it with the options and returns the exit
code: `module:function`, imported when the command is asked for. `failed` is the exit code where a
metric or a rank fails.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

import mmeval_like
from mmeval_like._base.names import did_you_mean
from mmeval_like.cli.errors import BROKEN, FAILED
from mmeval_like.cli.option_values import count, level, policy, whole
from mmeval_like.cli.record_parser import add_record_commands, add_record_options

__all__ = ["BETWEEN", "SYSTEMS", "make_parser", "parsed"]

BETWEEN = "\0--"
"""Replaces "--" in the arguments, after which argparse would treat all others as files."""
SYSTEMS: dict[str, Sequence[int]] = {"compare": (2,), "gate": range(1, 100)}
"""How many systems a command takes, with "--" between their files; the others take one."""

_SCORE_EXAMPLES = """examples:
  mmeval_like score preds.npz --metric accuracy:topk=1,5
  mmeval_like score 'preds-*.parquet' --metric accuracy -n 4 --by domain --json result.json
  mmeval_like score preds.csv --metric accuracy --column 'predictions=score_*' --column labels=y
  mmeval_like score samples_task.jsonl
  mmeval_like score boxes.json --metric coco_detection --annotations instances.json -n 4
  mpiexec -n 64 mmeval_like score 'preds-*.parquet' --metric accuracy

exit codes: 0 done; 1 a metric or a rank failed; 2 bad input; 3 --require fails; 130 interrupted"""
_COMPARE_EXAMPLES = """examples:
  mmeval_like compare old.csv -- new.csv --metric accuracy
  mmeval_like compare 'old-*.parquet' -- 'new-*.parquet' --metric accuracy --ids id --by language
  mmeval_like compare old.eval -- new.eval --score match

Without --ids, the files of both systems must have the same rows in the same order.

exit codes: 0 done; 2 bad input; 4 a metric or a rank failed; 130 interrupted"""
_GATE_EXAMPLES = """examples:
  mmeval_like gate old.csv -- new.csv --metric accuracy --margin 0.01
  mmeval_like gate new.csv --metric accuracy --at-least 0.9 --json -
  mmeval_like gate old.csv -- new.csv --metric accuracy --margin 0.01 --log gates.jsonl
  mmeval_like gate v1.csv -- v2.csv -- new.csv --metric accuracy --margin 0.01 --broken 0

exit codes: 0 pass; 1 fail; 2 bad input; 3 undecided; 4 a metric or rank failed; 130 interrupted"""


def make_parser(name: str = "mmeval_like") -> argparse.ArgumentParser:
    """Return the parser of the command with this name.

    Example:
        >>> make_parser().parse_args(["score", "x.csv", "--metric", "accuracy"]).ranks
        1
    """
    parser = argparse.ArgumentParser(
        prog=name,
        description="Score files of predictions and labels, on any number of processes (ranks). "
        "The results are the same to the last bit on any number of ranks.",
    )
    version = f"%(prog)s {mmeval_like.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_score(commands)
    _add_compare(commands)
    _add_gate(commands)
    add_record_commands(commands, _add_ranks)
    listing = commands.add_parser("list", help="list all metrics and backends, or explain a metric")
    listing.add_argument("name", nargs="?", metavar="NAME", help="the metric to explain")
    listing.set_defaults(run="mmeval_like.cli.listing:listing")
    doctor = commands.add_parser("doctor", help="say what is installed, and what is wrong")
    doctor.set_defaults(run="mmeval_like.cli.doctor:doctor")
    parser.set_defaults(failed=FAILED)
    for command in commands.choices.values():
        command.set_defaults(parser=command)
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        metavar="SHELL",
        help="print a completion script for bash, zsh, tcsh or fish; pass it to eval",
    )
    return parser


def parsed(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """Return the options; an unknown option is an error that suggests similar names.

    Example:
        >>> parsed(make_parser(), ["list", "accuracy"]).name
        'accuracy'
    """
    options, unknown = parser.parse_known_args(words)
    if unknown:
        command = options.parser
        name = unknown[0].partition("=")[0]
        hint = did_you_mean(name, [*command._option_string_actions])
        command.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return options


def _add_score(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    score = _command(commands, "score", "score files of predictions", _SCORE_EXAMPLES)
    score.usage = "mmeval_like score FILE [FILE ...] --metric NAME[:ARGUMENT=VALUE,...] [options]"
    score.add_argument(
        "files", nargs="*", metavar="FILE", help="a path, a quoted pattern, or - for standard input"
    )
    _add_reading(score, "what the program did that wrote them")
    _add_interval(score, None)
    score.add_argument(
        "--size",
        type=count,
        metavar="N",
        help="with --ids: check that every index below N is present, or N different names",
    )
    _add_logs(score)
    score.add_argument(
        "--resume",
        metavar="DIR",
        help="save the progress in this folder, and continue from the progress saved there",
    )
    _add_ranks(score)
    _add_outputs(score)
    score.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="NUMBER>=BOUND",
        help="end with exit code 3 unless this condition holds, such as accuracy.top1>=0.9; "
        "can be repeated",
    )
    add_record_options(score)
    score.add_argument("--config", metavar="FILE", help="read these options from a TOML file")
    score.set_defaults(run="mmeval_like.cli.score_command:score_command")


def _add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    compare = _command(
        commands, "compare", "compare two systems sample by sample", _COMPARE_EXAMPLES
    )
    compare.set_defaults(broken=None)
    compare.usage = (
        "mmeval_like compare A [A ...] -- B [B ...] --metric NAME | --score NAME [options]"
    )
    compare.add_argument(
        "files", nargs="*", metavar="FILE", help="the files of A, then --, then the files of B"
    )
    _add_reading(compare, "bounds")
    _add_logs(compare)
    _add_pairing(compare)
    compare.add_argument(
        "--flips",
        metavar="FILE",
        help="write the samples that are wrong in A and right in B (up), or the reverse (down)",
    )
    compare.add_argument(
        "--margin",
        type=float,
        metavar="X",
        help="report whether the systems are equivalent, that is, whether they differ by less than "
        "this margin, chosen before the evaluation",
    )
    _add_ranks(compare)
    _add_outputs(compare)
    compare.set_defaults(run="mmeval_like.cli.compare:compare", failed=BROKEN)


def _add_gate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    gate = _command(commands, "gate", "decide whether a system is good enough", _GATE_EXAMPLES)
    gate.usage = (
        "mmeval_like gate [[EARLIER ... --] A [A ...] --] B [B ...] --metric NAME | --score NAME "
        "(--margin X | --at-least X | --at-most X) [options]"
    )
    gate.add_argument(
        "files", nargs="*", metavar="FILE", help="with --margin: files of A, then --; files of B"
    )
    bound = gate.add_mutually_exclusive_group(required=True)
    bound.add_argument("--margin", type=float, metavar="X", help="how much worse B may be than A")
    gate.add_argument(
        "--both",
        action="store_true",
        help="with --margin: B may not be better by more than X either, so that a pass shows that "
        "A and B are equivalent",
    )
    bound.add_argument(
        "--at-least", type=float, metavar="X", help="the smallest acceptable value of B"
    )
    bound.add_argument(
        "--at-most", type=float, metavar="X", help="the largest acceptable value of B"
    )
    gate.add_argument("--key", help="the value to judge, if the metric has several, such as top1")
    gate.add_argument(
        "--broken",
        type=whole,
        metavar="N",
        help="with --margin: fail also if B gets more than N samples wrong that A, and all earlier "
        "versions before it, get right",
    )
    gate.add_argument(
        "--log",
        metavar="FILE",
        help="append the verdict to this file, and share the level among all candidates on the "
        "same samples, so that together they pass wrongly no more often than one",
    )
    _add_reading(gate, "bounds, so that the gate passes only in the worst case")
    _add_logs(gate)
    _add_pairing(gate)
    _add_ranks(gate)
    gate.add_argument(
        "--statement", metavar="FILE", help="write an in-toto statement of the result, for signing"
    )
    gate.set_defaults(csv=None, flips=None, report=None, name=[], show=[])
    gate.set_defaults(run="mmeval_like.cli.gate:gate", failed=BROKEN)


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    text: str,
    examples: str,
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.\nFiles may be .npz, .npy, .csv, .tsv, .jsonl, "
        ".parquet, .feather or .arrow,\nor COCO results (.json). Each may be compressed (.gz).",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_reading(command: argparse.ArgumentParser, logs: str) -> None:
    """Add the options for reading files; `logs` is what is done with unscored samples of logs."""
    command.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME[:ARGUMENT=VALUE,...]",
        help="a metric and the arguments of its constructor, see `list`; `score` takes several",
    )
    command.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="ARGUMENT=COLUMN[,COLUMN...]",
        help="the column for an argument of the metrics, if its name differs; several columns, "
        "or a pattern, are the scores of the classes; ARGUMENT= leaves out an optional argument",
    )
    command.add_argument(
        "--annotations",
        metavar="FILE",
        help="the COCO annotations for results in .json; without --metric: of coco_detection",
    )
    command.add_argument(
        "--classes",
        metavar="A,B,...|@FILE",
        help="the names of the classes, or a file with a name on each line",
    )
    command.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COLUMN[,COLUMN...]",
        help="also compute slices: one for each value of a column, or for each combination of "
        "values of several columns; can be repeated",
    )
    command.add_argument(
        "--ids",
        metavar="COLUMN",
        help="the column of dataset indices or names; rows with the same one count once",
    )
    command.add_argument(
        "--unscored",
        type=policy,
        metavar="drop|NUMBER|LABEL|bounds|refuse",
        help="what samples without a score count as. drop: they are left out; a number or a label, "
        "such as 0: that; bounds: the worst and the best that they may be; refuse: an error. All "
        f"but refuse say how many there are, and why. Default: refuse, and for logs {logs}",
    )
    command.add_argument(
        "--unscored-column",
        action="append",
        default=[],
        metavar="COLUMN[=ENTRY,...]",
        help="a column that says why a row has no score, such as error, or status=failed,timeout; "
        "can be repeated. With --unscored, a row whose prediction is empty or nan has none either",
    )


def _add_logs(command: argparse.ArgumentParser) -> None:
    """Add the options for logs of language models."""
    command.add_argument(
        "--format",
        choices=["lm-eval", "inspect", "lighteval", "helm", "trainer"],
        help="the program that wrote the logs (default: recognised by the content)",
    )
    command.add_argument(
        "--score", metavar="NAME", help="the score to read, if the logs have several, such as acc"
    )


def _add_pairing(command: argparse.ArgumentParser) -> None:
    """Add the options of `compare` and `gate` for two systems."""
    _add_interval(command, 0.95)
    command.add_argument(
        "--correction",
        choices=["holm", "bh", "none"],
        default="holm",
        help="the correction of the p-values for the number of slices (default: holm)",
    )
    command.add_argument(
        "--anytime",
        action="store_true",
        help="check the results repeatedly while samples arrive; needs --planned",
    )
    command.add_argument(
        "--planned", type=count, metavar="N", help="the approximate number of samples at the end"
    )
    command.set_defaults(size=None, resume=None, require=[], config=None)


def _add_interval(command: argparse.ArgumentParser, default: float | None) -> None:
    command.add_argument(
        "--interval",
        nargs="?",
        type=level,
        const=0.95,
        default=default,
        metavar="LEVEL",
        help="compute confidence intervals at this level (0.95 if no level is given)",
    )
    command.add_argument(
        "--cluster",
        metavar="COLUMN",
        help="for intervals: the column that groups dependent rows, such as the patient",
    )


def _add_ranks(command: argparse.ArgumentParser) -> None:
    """Add the options for ranks and for output to the terminal."""
    command.add_argument(
        "-n", "--ranks", type=count, default=1, help="the number of ranks to start"
    )
    command.add_argument(
        "--backend",
        choices=["zmq", "mpi4py", "torch", "oneflow"],
        default="zmq",
        help="the library for messages between the started ranks (default: zmq)",
    )
    command.add_argument("--json", metavar="FILE", help="write the results as JSON; - prints them")
    command.add_argument(
        "-q", "--quiet", action="store_true", help="suppress the table, progress bar and notes"
    )


def _add_outputs(command: argparse.ArgumentParser) -> None:
    """Add the options for the files that `score` and `compare` write."""
    command.add_argument("--csv", metavar="FILE", help="write the results as CSV; - prints them")
    command.add_argument(
        "--report",
        metavar="FILE",
        help="write an HTML report: verdict, intervals, slices, plots, and how to read them",
    )
    command.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="the name of the system in the report, and of both in the table of `compare`: there, "
        "repeat it, A first (default: in the report the names of the files)",
    )
    command.add_argument(
        "--show",
        action="append",
        default=[],
        metavar="COLUMN[,COLUMN...]",
        help="columns of text or image paths that the report shows for each sample",
    )


class _PrintCompletion(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, options: argparse.Namespace, shell: Any, *_: Any
    ) -> NoReturn:
        try:
            import shtab
        except ImportError:
            parser.error("--print-completion needs shtab: pip install 'mmeval-like[cli]'")
        if shell not in shtab.SUPPORTED_SHELLS:
            parser.error(f"--print-completion must be one of {shtab.SUPPORTED_SHELLS}")
        for name in ("mmeval_like", "mmeval-like"):  # the command has both names
            print(shtab.complete(make_parser(name), shell))
        parser.exit()
