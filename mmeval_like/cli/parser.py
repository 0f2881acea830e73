"""The options of the command line."""

from __future__ import annotations

import argparse

__all__ = ["make_parser"]

_EXAMPLES = """examples:
  mmeval_like score preds.npz --metric accuracy:topk=1,5
  mmeval_like score 'preds-*.parquet' --metric accuracy -n 4 --by domain --json result.json
  mmeval_like score preds.csv --metric accuracy --column 'predictions=score_*' --column labels=y
  mmeval_like score boxes.json --metric coco_detection --annotations instances.json -n 4
  mpiexec -n 64 mmeval_like score 'preds-*.parquet' --metric accuracy

exit codes: 0; 1 a metric or a rank failed; 2 bad input; 130 interrupted"""


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
    commands = parser.add_subparsers(dest="command", required=True)
    _add_score(commands)
    commands.add_parser("list", help="all metrics and backends")
    commands.add_parser("doctor", help="what is installed, and what is wrong")
    try:
        import shtab
    except ImportError:
        return parser
    shtab.add_argument_to(parser, ["--print-completion"])
    return parser


def _add_score(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    score = commands.add_parser(
        "score",
        help="score prediction files",
        description="Compute metrics of the rows of files: .npz, .npy, .csv, .jsonl, .parquet, "
        "or COCO results (.json).",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    score.add_argument("files", nargs="+", metavar="FILE", help="paths, or quoted glob patterns")
    score.add_argument(
        "--metric",
        action="append",
        required=True,
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
    score.add_argument("--by", metavar="COLUMN", help="also a value for every value of a column")
    score.add_argument(
        "--ids", metavar="COLUMN", help="dataset indices: rows that repeat one count once"
    )
    score.add_argument(
        "--size", type=_count, metavar="N", help="with --ids: every index below N must be there"
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
    score.add_argument("--json", metavar="FILE", help="write the results as JSON")
    score.add_argument("--csv", metavar="FILE", help="write the results as CSV")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, got {text!r}")
    return int(text)
