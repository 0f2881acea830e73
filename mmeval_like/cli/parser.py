"""The options of the command line."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

import mmeval_like

__all__ = ["make_parser"]

_EXAMPLES = """examples:
  mmeval_like score preds.npz --metric accuracy:topk=1,5
  mmeval_like score 'preds-*.parquet' --metric accuracy -n 4 --by domain --json result.json
  mmeval_like score preds.csv --metric accuracy --column 'predictions=score_*' --column labels=y
  mmeval_like score boxes.json --metric coco_detection --annotations instances.json -n 4
  mpiexec -n 64 mmeval_like score 'preds-*.parquet' --metric accuracy

exit codes: 0; 1 a metric or a rank failed; 2 bad input; 3 --require is missed; 130 interrupted"""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of `mmeval_like`.

    Example:
        >>> make_parser().parse_args(["score", "x.csv", "--metric", "accuracy"]).ranks
        1
    """
    parser = argparse.ArgumentParser(
        prog="mmeval_like",
        description="Score prediction files: the same bits on any number of ranks.",
    )
    version = f"%(prog)s {mmeval_like.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_score(commands)
    listing = commands.add_parser("list", help="all metrics and backends, or all about a metric")
    listing.add_argument("name", nargs="?", metavar="NAME", help="a metric")
    commands.add_parser("doctor", help="what is installed, and what is wrong")
    try:
        import shtab
    except ImportError:
        parser.add_argument(
            "--print-completion", action=_NeedsShtab, nargs=1, help="needs mmeval-like[cli]"
        )
        return parser
    shtab.add_argument_to(parser, ["--print-completion"])
    return parser


def _add_score(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    score = commands.add_parser(
        "score",
        help="score prediction files",
        description="Compute metrics of the rows of files: .npz, .npy, .csv, .tsv, .jsonl, "
        ".parquet, .feather, .arrow, all also as .gz, or COCO results (.json).",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    score.add_argument("files", nargs="*", metavar="FILE", help="paths, quoted patterns, or -")
    score.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME[:ARGUMENT=VALUE,...]",
        help="a metric and its constructor's arguments; may be repeated (see `list`)",
    )
    score.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="ARGUMENT=COLUMN[,COLUMN...]",
        help="the column of an argument of the metrics, where it has another name; several "
        "columns, or a pattern, become a score per class",
    )
    score.add_argument("--annotations", metavar="FILE", help="COCO annotations, for .json")
    score.add_argument(
        "--classes",
        metavar="A,B,...|@FILE",
        help="names of the classes, or a file with one on each line",
    )
    score.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COLUMN[,COLUMN...]",
        help="also a value for every value of a column, or of several together; may be repeated",
    )
    score.add_argument(
        "--ids",
        metavar="COLUMN",
        help="dataset indices or names: rows that repeat one count once",
    )
    score.add_argument(
        "--size",
        type=_count,
        metavar="N",
        help="with --ids: every index below N must be there, or N different names",
    )
    score.add_argument(
        "--resume", metavar="DIR", help="save progress there; continue what is saved there"
    )
    score.add_argument("-n", "--ranks", type=_count, default=1, help="local ranks to start")
    score.add_argument(
        "--backend",
        choices=["zmq", "mpi4py", "torch", "oneflow"],
        default="zmq",
        help="what the started ranks talk through (default: zmq)",
    )
    score.add_argument("--json", metavar="FILE", help="write the results as JSON; -: print them")
    score.add_argument("--csv", metavar="FILE", help="write the results as CSV; -: print them")
    score.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="NUMBER>=BOUND",
        help="end with exit code 3 unless a number is so; may be repeated: accuracy.top1>=0.9",
    )
    score.add_argument("--config", metavar="FILE", help="a TOML file with these options")
    score.add_argument(
        "-q", "--quiet", action="store_true", help="print no table, no progress and no remarks"
    )
    score.set_defaults(parser=score)


class _NeedsShtab(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        parser.error("--print-completion needs shtab: pip install 'mmeval-like[cli]'")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, got {text!r}")
    return int(text)
