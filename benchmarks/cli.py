"""The command line beside a hand-written loop: accuracy of class ids from parquet.

    python -m benchmarks.cli [--rows 10000000] [--ranks 1 2]

Prints, for each number of ranks, the speed per rank of the command's scoring (its start is not
counted) as a fraction of a loop of pyarrow and numpy that one process runs over its share. Then it
runs `score` and `compare` as commands, over a tenth of the rows.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.cli.parser import make_parser
from mmeval_like.cli.request import read_request
from mmeval_like.cli.score import score

_COMPARE = "compare"  # a key beside the numbers of ranks


def by_hand(path: Path, share: slice) -> float:
    """What one would write: the accuracy of some row groups."""
    file = pq.ParquetFile(path)
    right = total = 0
    groups = list(range(file.num_row_groups))[share]
    for batch in file.iter_batches(65_536, groups, ["predictions", "labels"], use_threads=False):
        predictions = batch.column(0).to_numpy()
        labels = batch.column(1).to_numpy()
        right += np.count_nonzero(predictions == labels)
        total += len(labels)
    return right / total


class Share(NonDist):
    """One rank's share of the work, without the others: what a rank does until it computes."""

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks

    @property
    def is_initialized(self) -> bool:
        """So that nothing is exchanged."""
        return False

    @property
    def world_size(self) -> int:
        """How the work is divided."""
        return self._ranks


def median(function: Callable[[], object], rounds: int) -> float:
    """Seconds of one call."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def write_predictions(path: Path, rows: int) -> None:
    """Write a parquet file of so many class ids of 1000 classes, four of five of them right."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 1000, rows)
    predictions = np.where(rng.random(rows) < 0.8, labels, 0)
    columns = {"predictions": predictions, "labels": labels}
    pq.write_table(pa.table(columns), path, row_group_size=250_000)


def measure(
    rows: int = 10_000_000, worlds: Sequence[int] = (1, 2), rounds: int = 5
) -> dict[str, list[float]]:
    """By number of ranks: the speed as a fraction of the loop's, and our seconds."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        write_predictions(path, rows)
        asked = make_parser().parse_args(["score", str(path), "--metric", "accuracy"])
        request = read_request(asked)
        for ranks in worlds:
            backend: BaseDistBackend = Share(ranks)
            ours = median(lambda backend=backend: score(request, backend, None), rounds)
            own = median(lambda n=ranks: by_hand(path, slice(0, None, n)), rounds)
            found[str(ranks)] = [own / ours, ours]
    return found | {_COMPARE: commands(rows // 10, rounds)}


def commands(rows: int, rounds: int) -> list[float]:
    """How many times as long as `score` of one file `compare` of two takes, and its seconds."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 1000, rows)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name in ("a", "b"):
            predictions = np.where(rng.random(rows) < 0.8, labels, 0)
            paths.append(str(Path(folder) / f"{name}.parquet"))
            pq.write_table(pa.table({"predictions": predictions, "labels": labels}), paths[-1])
        command = [sys.executable, "-m", "mmeval_like"]
        asked = ["--metric", "accuracy", "-q"]
        one = [*command, "score", paths[0], *asked]
        two = [*command, "compare", paths[0], "--", paths[1], *asked]
        times = [median(lambda c=c: subprocess.run(c, check=True), rounds) for c in (one, two)]
    return [times[1] / times[0], times[1]]


def table(found: dict[str, list[float]]) -> str:
    """Return what `measure` found as Markdown."""
    lines = ["| ranks | speed as a fraction of the loop's | seconds |", "|---|---|---|"]
    worlds = {ranks: pair for ranks, pair in found.items() if ranks != _COMPARE}
    lines += [f"| {ranks} | {ratio:.2f} | {s:.2f} |" for ranks, (ratio, s) in worlds.items()]
    if _COMPARE in found:
        ratio, seconds = found[_COMPARE]
        lines += [
            "",
            f"`compare` of two files of a tenth of these rows takes {seconds:.2f} s, {ratio:.2f} "
            f"times as long as `score` of one of them. Both times include the start of Python.",
        ]
    return "\n".join(lines)


def main() -> None:
    """Make the file, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(table(measure(options.rows, options.ranks, options.rounds)))


if __name__ == "__main__":
    main()
