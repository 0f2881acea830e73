"""Every metric whose states add up: the time of `compute` over that of one all-reduce.

    torchrun --nproc-per-node 2 -m benchmarks.additive

The all-reduce is torch's own, over gloo, of the same bytes: the sums and counts that the metric
sends. Both take turns; a ratio is the median over rounds, and the best ratio is that of the fastest
calls of both. The metrics and their samples are those of the tests, and a few more: ten metrics in
a collection, batches of 64, and long vectors.

    torchrun --nproc-per-node 4 -m benchmarks.additive --only 'batches *' '* of 10,000 bins'
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

import mmeval_like as mm
from benchmarks.systems import ours
from tests.metric_cases import CASES

__all__ = ["measure", "table"]

_REPEAT = 20  # calls in a row


def compare(rounds: int, only: Sequence[str] = ("*",)) -> dict[str, list[float]]:
    """By metric: the ratio of the times, the bytes, the seconds of `compute`, the best ratio."""
    warnings.simplefilter("ignore")
    found = {}
    for name, make in sorted(_metrics().items()):
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in only):
            continue
        metric = make()
        given = metric._contribution("raise")
        if not given.additive or not all(store.states for store in given.stores):
            continue
        numbers = torch.from_numpy(given.vector().copy())
        mine, library = [], []
        for _ in range(rounds):
            library.append(_seconds(lambda numbers=numbers: dist.all_reduce(numbers)))
            numbers.zero_()
            mine.append(_seconds(metric.compute))
        ratio = statistics.median(one / other for one, other in zip(mine, library, strict=True))
        best = min(mine) / min(library)
        found[name] = [ratio, 8 * len(numbers), statistics.median(mine), best]
    return found


def _metrics() -> dict[str, Callable[[], Any]]:
    """Return functions that make a metric with samples, by name."""

    def of_case(case: Any) -> Any:
        metric = case.make(dist_backend="torch")
        metric.add(*case.samples(np.random.default_rng(dist.get_rank()), case.most))
        return metric

    found = {name: lambda case=case: of_case(case) for name, case in CASES.items()}
    return found | dict(_more())


def _more() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield metrics with five batches of 64 samples, and metrics with long vectors."""
    rng = np.random.default_rng(dist.get_rank())
    classes, scores = rng.integers(0, 10, (5, 2, 64)), rng.random((5, 2, 64))
    binary = [*zip(scores[:, 0], classes[:, 0] % 2, strict=True)]

    def added(metric: Any, batches: Any) -> Any:
        for batch in batches:
            metric.add(*batch)
        return metric

    yield "batches of 64: Accuracy", lambda: added(mm.Accuracy(), classes)
    yield "batches of 64: MeanSquaredError", lambda: added(mm.MeanSquaredError(), scores)
    yield "batches of 64: ten metrics", lambda: added(ours.ten_metrics(), classes)
    many = rng.integers(0, 100_000, (5, 2, 64))
    yield (
        "FBetaScore of 100,000 classes",
        lambda: added(mm.FBetaScore(task="multiclass", num_classes=100_000), many),
    )
    for bins in (1_000, 10_000, 100_000):
        yield (
            f"AUROC of {bins:,} bins",
            lambda bins=bins: added(mm.AUROC(bins=bins), binary),
        )


def _seconds(call: Callable[[], Any]) -> float:
    call()
    dist.barrier()
    start = time.perf_counter()
    for _ in range(_REPEAT):
        call()
    return (time.perf_counter() - start) / _REPEAT


def measure(ranks: int = 2, rounds: int = 15) -> dict[str, Any]:
    """Start the ranks; by metric what `compare` finds."""
    command = [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
        *("--nproc-per-node", str(ranks), "-m", "benchmarks.additive", "--rounds", str(rounds)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1200)
    metrics = json.loads(done.stdout.splitlines()[-1])
    return {"ranks": ranks, "metrics": metrics}


def table(found: dict[str, Any]) -> str:
    """Return a table of all metrics, the slowest first."""
    lines = ["| metric | times one all-reduce | at best | bytes | microseconds |", "|---" * 5 + "|"]
    for name, numbers in sorted(found["metrics"].items(), key=lambda item: -item[1][0]):
        ratio, size, seconds, best = numbers
        lines.append(f"| {name} | {ratio:.2f} | {best:.2f} | {size:,} | {seconds * 1e6:,.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="*", default=["*"], help="patterns of names")
    arguments = parser.parse_args()
    dist.init_process_group("gloo")
    found = compare(arguments.rounds, arguments.only)
    if dist.get_rank() == 0:
        print(json.dumps(found))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
