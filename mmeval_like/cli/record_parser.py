"""The options of the commands about records and saved states."""

from __future__ import annotations

import argparse
from collections.abc import Callable

__all__ = ["add_record_commands", "add_record_options"]

_VERIFY_EXAMPLES = """examples:
  mmeval_like score 'preds-*.parquet' --metric accuracy --ids id --record r.json
  mmeval_like verify r.json 'preds-*.parquet' -n 8

exit codes: 0 equal; 1 different; 2 bad input; 4 a metric or a rank failed; 130 interrupted"""


def add_record_options(score: argparse.ArgumentParser) -> None:
    """Add what `score` does about records."""
    score.add_argument("--record", metavar="FILE", help="write a record that `verify` takes")
    score.add_argument("--state", metavar="FILE", help="save what the samples add up to")
    lock = score.add_mutually_exclusive_group()
    lock.add_argument(
        "--lock", metavar="FILE", help="score nothing: write what will be asked, before the run"
    )
    lock.add_argument("--locked", metavar="FILE", help="refuse to score anything else than that")


def add_record_commands(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    add_ranks: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Add the commands that take records and saved states.

    Args:
        commands: Where.
        add_ranks: Adds where the work is done, and what is printed.
    """
    verify = commands.add_parser(
        "verify",
        help="compute a record again, and say what differs",
        epilog=_VERIFY_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verify.add_argument("record_file", metavar="RECORD", help="what `score --record` wrote")
    verify.add_argument("files", nargs="+", metavar="FILE", help="predictions, or a saved state")
    verify.add_argument("--annotations", metavar="FILE", help="COCO annotations, for .json")
    verify.add_argument(
        "--same-files", action="store_true", help="the files must be the same to the last byte"
    )
    verify.add_argument("--locked", metavar="FILE", help="hold the record against this lock")
    add_ranks(verify)
    verify.set_defaults(csv=None, report=None)

    export = commands.add_parser("record", help="write a record as others read it")
    export.add_argument("record_file", metavar="RECORD", help="what `score --record` wrote")
    export.add_argument("--to", required=True, choices=["eee", "hf", "in-toto"], help="whose form")
    export.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what a record does not know, such as model=org/name; missing ones are named",
    )

    rollup = commands.add_parser("rollup", help="add up saved states, of days or of slices")
    rollup.add_argument("states", nargs="+", metavar="STATE", help="what `score --state` wrote")
    _add_outputs(rollup, "their sum")

    retract = commands.add_parser("retract", help="take samples out of a saved state")
    retract.add_argument("states", nargs=1, metavar="STATE", help="what `score --state` wrote")
    retract.add_argument(
        "rows", nargs="*", metavar="FILE", help="their rows, where the state was made without --ids"
    )
    retract.add_argument("--ids-file", required=True, metavar="FILE", help="an id on each line")
    retract.add_argument("--ids", metavar="COLUMN", help="the column of ids in the files")
    _add_outputs(retract, "what is left")

    log = commands.add_parser("log", help="records over time, and which differences are real")
    log.add_argument(
        "records",
        nargs="+",
        metavar="RECORD",
        help="what `score --record` wrote, and for pairs of samples what `--state` did with --ids",
    )
    log.add_argument("--csv", metavar="FILE", help="write the table as CSV; -: print it")
    log.add_argument("--plot", metavar="FILE", help="draw the numbers over time: .svg, .png, .pdf")
    log.add_argument("-q", "--quiet", action="store_true", help="print no table")


def _add_outputs(command: argparse.ArgumentParser, found: str) -> None:
    command.add_argument("--record", metavar="FILE", help=f"write the record of {found}")
    command.add_argument("--state", metavar="FILE", help=f"save {found}")
    command.add_argument("--json", metavar="FILE", help="write the results as JSON; -: print them")
    command.add_argument("--annotations", metavar="FILE", help="COCO annotations")
    command.add_argument("-q", "--quiet", action="store_true", help="print no table")
