"""The options of the commands about records and saved states."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeAlias

from mmeval_like.cli.errors import BROKEN
from mmeval_like.cli.option_values import level

__all__ = ["add_record_commands", "add_record_options"]

_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_VERIFY_EXAMPLES = """examples:
  mmeval_like score 'preds-*.parquet' --metric accuracy --ids id --record r.json
  mmeval_like verify r.json 'preds-*.parquet' -n 8

exit codes: 0 equal; 1 different; 2 bad input; 4 a metric or a rank failed; 130 interrupted"""


def add_record_options(score: argparse.ArgumentParser) -> None:
    """Add the options of `score` about records."""
    score.add_argument(
        "--record", metavar="FILE", help="write how the result was made, for `verify` to check"
    )
    score.add_argument(
        "--state", metavar="FILE", help="save the sums and counts, for `rollup` and `retract`"
    )
    lock = score.add_mutually_exclusive_group()
    lock.add_argument(
        "--lock",
        metavar="FILE",
        help="score nothing; write the metrics and options to a file before predictions exist",
    )
    lock.add_argument(
        "--locked", metavar="FILE", help="reject metrics and options other than those of this lock"
    )


def add_record_commands(
    commands: _Commands,
    add_ranks: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Add the commands that take records and saved states.

    Args:
        commands: The subparsers to which the commands are added.
        add_ranks: Adds the options for ranks and for output.
    """
    add_ranks(_add_verify(commands))
    _add_export(commands)
    _add_states(commands)
    _add_log(commands)


def _add_verify(commands: _Commands) -> argparse.ArgumentParser:
    verify = commands.add_parser(
        "verify",
        help="compute the result of a record again, and say what differs",
        epilog=_VERIFY_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verify.add_argument("record_file", metavar="RECORD", help="a file that `score --record` wrote")
    verify.add_argument("files", nargs="+", metavar="FILE", help="predictions, or a saved state")
    verify.add_argument(
        "--annotations", metavar="FILE", help="the COCO annotations for results in .json"
    )
    verify.add_argument(
        "--same-files",
        action="store_true",
        help="check that the files are the same to the last byte",
    )
    verify.add_argument("--locked", metavar="FILE", help="compare the record with this lock, too")
    verify.set_defaults(csv=None, report=None)
    verify.set_defaults(run="mmeval_like.cli.verify:verify", failed=BROKEN)
    return verify


def _add_export(commands: _Commands) -> None:
    export = commands.add_parser("record", help="write a record in a format of other tools")
    export.add_argument("record_file", metavar="RECORD", help="a file that `score --record` wrote")
    export.add_argument(
        "--to",
        required=True,
        choices=["eee", "hf", "in-toto"],
        help="the format: Every Eval Ever, Hugging Face, or an in-toto statement",
    )
    export.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a fact that the format needs and the record lacks, such as model=org/name; an "
        "error names what is missing",
    )
    export.set_defaults(run="mmeval_like.cli.export:export")


def _add_states(commands: _Commands) -> None:
    rollup = commands.add_parser(
        "rollup",
        help="add up saved states, such as those of many days",
        usage="%(prog)s STATE [STATE ...] [options]",
    )
    rollup.add_argument(
        "states",
        nargs="+",
        metavar="STATE",
        help="a file that `score --state` wrote, or a Parquet file or folder with the column state",
    )
    rollup.add_argument(
        "--metric",
        metavar="NAME[:ARGUMENT=VALUE,...]",
        help="the metric of the states in a column, as they were made",
    )
    rollup.add_argument(
        "--interval",
        nargs="?",
        type=level,
        const=0.95,
        metavar="LEVEL",
        help="the level of the metric's intervals (0.95 if no level is given)",
    )
    rollup.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COLUMN[,COLUMN...]",
        help="also add up the states of each value of a column; can be repeated",
    )
    rollup.add_argument(
        "--between",
        action="append",
        default=[],
        metavar="COLUMN=FIRST,LAST",
        help="only states with such values, both ends included; COLUMN=VALUE for one value; can "
        "be repeated",
    )
    _add_outputs(rollup, "the sum of the states")
    rollup.set_defaults(run="mmeval_like.cli.states:rollup")

    retract = commands.add_parser("retract", help="take samples out of a saved state")
    retract.add_argument(
        "states", nargs=1, metavar="STATE", help="a file that `score --state` wrote"
    )
    retract.add_argument(
        "rows",
        nargs="*",
        metavar="FILE",
        help="the files with the samples, if the state was made without --ids",
    )
    retract.add_argument(
        "--ids-file",
        required=True,
        metavar="FILE",
        help="the samples to take out, an id on each line",
    )
    retract.add_argument("--ids", metavar="COLUMN", help="the column of ids in the files")
    _add_outputs(retract, "what is left")
    retract.set_defaults(run="mmeval_like.cli.states:retract")


def _add_log(commands: _Commands) -> None:
    log = commands.add_parser(
        "log", help="show records over time, and say which differences are real"
    )
    log.add_argument(
        "records",
        nargs="+",
        metavar="RECORD",
        help="a file that `score --record` wrote; to pair the samples, also the files of --state "
        "with --ids",
    )
    log.add_argument("--csv", metavar="FILE", help="write the table as CSV; - prints it")
    log.add_argument(
        "--plot", metavar="FILE", help="draw the numbers over time, as .svg, .png or .pdf"
    )
    log.add_argument("-q", "--quiet", action="store_true", help="suppress the table")
    log.set_defaults(run="mmeval_like.cli.history:log")


def _add_outputs(command: argparse.ArgumentParser, found: str) -> None:
    command.add_argument("--record", metavar="FILE", help=f"write the record of {found}")
    command.add_argument("--state", metavar="FILE", help=f"save {found} as a state")
    command.add_argument("--json", metavar="FILE", help="write the results as JSON; - prints them")
    command.add_argument(
        "--annotations", metavar="FILE", help="the COCO annotations, for states of COCO metrics"
    )
    command.add_argument("-q", "--quiet", action="store_true", help="suppress the table")
