"""What a record costs: digests a sample, and `score` of a parquet file with and without one.

Times are those of the processor, so that other programs on the machine change them little.

python -m benchmarks.records [--rows 10000000] [--rounds 5]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.cli import write_predictions
from mmeval_like.arrays.row_hashes import row_hashes
from mmeval_like.records.digest import lanes_of
from mmeval_like.records.sketch import sketch_of

_BATCH = 65_536


def nanoseconds(rounds: int) -> dict[str, float]:
    """The time a sample of each part, for batches as `score` reads them."""
    rng = np.random.default_rng(0)
    classes = [rng.integers(0, 1000, _BATCH) for _ in range(2)]
    scores = rng.random((_BATCH, 10))
    ids = np.arange(_BATCH)
    hashes = row_hashes({"predictions": classes[0], "labels": classes[1]}, _BATCH)
    parts: dict[str, Callable[[], object]] = {
        "the digest of two class ids": lambda: lanes_of(
            row_hashes({"predictions": classes[0], "labels": classes[1]}, _BATCH)
        ),
        "the digest of ten scores and a label": lambda: lanes_of(
            row_hashes({"predictions": scores, "labels": classes[1]}, _BATCH)
        ),
        "with ids: the table that names samples": lambda: sketch_of(ids, hashes),
    }
    return {name: 1e9 * _median(part, rounds) / _BATCH for name, part in parts.items()}


def commands(rows: int, rounds: int) -> dict[str, list[float]]:
    """Seconds of `score` and of `score --record`, by turns, with the start of Python."""
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        write_predictions(path, rows)
        command = [sys.executable, "-m", "mmeval_like", "score", path, "--metric", "accuracy", "-q"]
        more = {"score": [], "score --record": ["--record", f"{folder}/r.json"]}
        for _ in range(rounds):
            for name, words in more.items():
                start = _of_children()
                subprocess.run([*command, *words], check=True)
                found.setdefault(name, []).append(_of_children() - start)
    return found


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _median(function: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(4 * rounds):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    for name, spent in nanoseconds(options.rounds).items():
        print(f"{name}: {spent:.1f} ns per sample")
    found = commands(options.rows, options.rounds)
    for name, times in found.items():
        print(f"{name}: {statistics.median(times):.2f} s, at best {min(times):.2f} s")
    plain, recorded = found.values()
    ratios = [b / a for a, b in zip(plain, recorded, strict=True)]
    print(f"{statistics.median(ratios):.3f} times as long, {options.rows:,} rows")


if __name__ == "__main__":
    main()
