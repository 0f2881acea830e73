"""The options of the command line."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

import mmeval_like
from mmeval_like._names import did_you_mean
from mmeval_like.cli.option_values import count, level
from mmeval_like.cli.record_parser import add_record_commands, add_record_options

__all__ = ["BETWEEN", "make_parser", "parsed"]

BETWEEN = "\0--"
"""Stands for "--" among the files: argparse would take all that follows for files."""

_SCORE_EXAMPLES = """examples:
  mmeval_like score preds.npz --metric accuracy:topk=1,5
  mmeval_like score 'preds-*.parquet' --metric accuracy -n 4 --by domain --json result.json
  mmeval_like score preds.csv --metric accuracy --column 'predictions=score_*' --column labels=y
  mmeval_like score samples_task.jsonl
  mmeval_like score boxes.json --metric coco_detection --annotations instances.json -n 4
  mpiexec -n 64 mmeval_like score 'preds-*.parquet' --metric accuracy

exit codes: 0; 1 a metric or a rank failed; 2 bad input; 3 --require is missed; 130 interrupted"""
_COMPARE_EXAMPLES = """examples:
  mmeval_like compare old.csv -- new.csv --metric accuracy
  mmeval_like compare 'old-*.parquet' -- 'new-*.parquet' --metric accuracy --ids id --by language

Without --ids the files have the same rows in the same order.

exit codes: 0; 2 bad input; 4 a metric or a rank failed; 130 interrupted"""
_GATE_EXAMPLES = """examples:
  mmeval_like gate old.csv -- new.csv --metric accuracy --margin 0.01
  mmeval_like gate new.csv --metric accuracy --at-least 0.9 --json -

exit codes: 0 pass; 1 fail; 2 bad input; 3 undecided; 4 a metric or rank failed; 130 interrupted"""


def make_parser(name: str = "mmeval_like") -> argparse.ArgumentParser:
    """Return the parser of the command, which goes by this name.

    Example:
        >>> make_parser().parse_args(["score", "x.csv", "--metric", "accuracy"]).ranks
        1
    """
    parser = argparse.ArgumentParser(
        prog=name,
        description="Score prediction files: the same bits on any number of ranks.",
    )
    version = f"%(prog)s {mmeval_like.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_score(commands)
    _add_compare(commands)
    _add_gate(commands)
    add_record_commands(commands, _add_ranks)
    listing = commands.add_parser("list", help="all metrics and backends, or all about a metric")
    listing.add_argument("name", nargs="?", metavar="NAME", help="a metric")
    commands.add_parser("doctor", help="what is installed, and what is wrong")
    for command in commands.choices.values():
        command.set_defaults(parser=command)
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        metavar="SHELL",
        help="print completions for bash, zsh, tcsh or fish: eval them",
    )
    return parser


def parsed(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """Return the options; one that does not exist ends the program, and is told its nearest name.

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
    score = _command(commands, "score", "score prediction files", _SCORE_EXAMPLES)
    score.usage = "mmeval_like score FILE [FILE ...] --metric NAME[:ARGUMENT=VALUE,...] [options]"
    score.add_argument("files", nargs="*", metavar="FILE", help="paths, quoted patterns, or -")
    _add_reading(score)
    _add_interval(score, None)
    score.add_argument(
        "--size",
        type=count,
        metavar="N",
        help="with --ids: every index below N must be there, or N different names",
    )
    score.add_argument(
        "--format",
        choices=["lm-eval", "inspect", "lighteval", "helm", "trainer"],
        help="whose logs the files are, where there is no --metric (default: by their content)",
    )
    score.add_argument(
        "--resume", metavar="DIR", help="save progress there; continue what is saved there"
    )
    _add_ranks(score)
    score.add_argument("--csv", metavar="FILE", help="write the results as CSV; -: print them")
    _add_report(score)
    score.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="NUMBER>=BOUND",
        help="end with exit code 3 unless a number is so; may be repeated: accuracy.top1>=0.9",
    )
    add_record_options(score)
    score.add_argument("--config", metavar="FILE", help="a TOML file with these options")


def _add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    compare = _command(commands, "compare", "compare two systems by samples", _COMPARE_EXAMPLES)
    compare.usage = "mmeval_like compare A [A ...] -- B [B ...] --metric NAME [options]"
    compare.add_argument("files", nargs="*", metavar="FILE", help="those of A, then --, those of B")
    _add_reading(compare)
    _add_pairing(compare)
    compare.add_argument(
        "--flips",
        metavar="FILE",
        help="write which samples B has right and A wrong (up), and the other way round (down)",
    )
    _add_ranks(compare)
    compare.add_argument("--csv", metavar="FILE", help="write the results as CSV; -: print them")
    _add_report(compare)


def _add_gate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    gate = _command(commands, "gate", "pass, fail, or not enough samples to tell", _GATE_EXAMPLES)
    gate.usage = (
        "mmeval_like gate [A [A ...] --] B [B ...] --metric NAME "
        "(--margin X | --at-least X | --at-most X) [options]"
    )
    gate.add_argument("files", nargs="*", metavar="FILE", help="those of A, if any, then --, of B")
    bound = gate.add_mutually_exclusive_group(required=True)
    bound.add_argument("--margin", type=float, metavar="X", help="how much worse B may be than A")
    bound.add_argument("--at-least", type=float, metavar="X", help="the least value of B")
    bound.add_argument("--at-most", type=float, metavar="X", help="the largest value of B")
    gate.add_argument("--key", help="which number of the metric, where it has several: top1")
    _add_reading(gate)
    _add_pairing(gate)
    _add_ranks(gate)
    gate.add_argument(
        "--statement", metavar="FILE", help="write an in-toto statement of the result, for signing"
    )
    gate.set_defaults(csv=None, flips=None, report=None)


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    text: str,
    examples: str,
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}. Files are .npz, .npy, .csv, .tsv, .jsonl, "
        ".parquet, .feather, .arrow, all also as .gz, or COCO results (.json).",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return command


def _add_reading(command: argparse.ArgumentParser) -> None:
    """Add what says how files are read."""
    command.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME[:ARGUMENT=VALUE,...]",
        help="a metric and its constructor's arguments (see `list`); `score` takes several",
    )
    command.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="ARGUMENT=COLUMN[,COLUMN...]",
        help="the column of an argument of the metrics, where it has another name; several "
        "columns, or a pattern, become a score per class",
    )
    command.add_argument("--annotations", metavar="FILE", help="COCO annotations, for .json")
    command.add_argument(
        "--classes",
        metavar="A,B,...|@FILE",
        help="names of the classes, or a file with one on each line",
    )
    command.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COLUMN[,COLUMN...]",
        help="also a value for every value of a column, or of several together; may be repeated",
    )
    command.add_argument(
        "--ids",
        metavar="COLUMN",
        help="dataset indices or names: rows that repeat one count once",
    )


def _add_pairing(command: argparse.ArgumentParser) -> None:
    """Add what `compare` and `gate` ask about two systems."""
    _add_interval(command, 0.95)
    command.add_argument(
        "--correction",
        choices=["holm", "bh", "none"],
        default="holm",
        help="of the p-values of slices for how many slices there are (default: holm)",
    )
    command.add_argument(
        "--anytime",
        action="store_true",
        help="the numbers may be looked at again while samples arrive; needs --planned",
    )
    command.add_argument("--planned", type=count, metavar="N", help="samples at the end, about")
    command.set_defaults(size=None, resume=None, require=[], config=None)


def _add_interval(command: argparse.ArgumentParser, default: float | None) -> None:
    command.add_argument(
        "--interval",
        nargs="?",
        type=level,
        const=0.95,
        default=default,
        metavar="LEVEL",
        help="confidence intervals of this level (0.95)",
    )
    command.add_argument(
        "--cluster",
        metavar="COLUMN",
        help="rows of one value belong together (a document, a patient): intervals allow for it",
    )


def _add_ranks(command: argparse.ArgumentParser) -> None:
    """Add where the work is done, and what is printed."""
    command.add_argument("-n", "--ranks", type=count, default=1, help="local ranks to start")
    command.add_argument(
        "--backend",
        choices=["zmq", "mpi4py", "torch", "oneflow"],
        default="zmq",
        help="what the started ranks talk through (default: zmq)",
    )
    command.add_argument("--json", metavar="FILE", help="write the results as JSON; -: print them")
    command.add_argument(
        "-q", "--quiet", action="store_true", help="print no table, no progress and no remarks"
    )


def _add_report(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--report",
        metavar="FILE",
        help="write an HTML page: numbers, intervals, pictures, and how to read them",
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
        for name in ("mmeval_like", "mmeval-like"):  # the command goes by both
            print(shtab.complete(make_parser(name), shell))
        parser.exit()
