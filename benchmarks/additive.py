"""Every metric whose states add up: the time of `compute` over that of one all-reduce.

    torchrun --nproc-per-node 2 -m benchmarks.additive

The all-reduce is torch's own, over gloo, of the same bytes: the sums and counts that the metric
sends. Both take turns; a ratio is the median over rounds. The metrics and their samples are those
of the tests.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from tests.metric_cases import CASES

__all__ = ["measure", "table"]

_REPEAT = 20  # calls in a row


def compare(rounds: int) -> dict[str, list[float]]:
    """By metric: the ratio of the times, the bytes, and the seconds of one `compute`."""
    warnings.simplefilter("ignore")
    found = {}
    for name, case in sorted(CASES.items()):
        metric = case.make(dist_backend="torch")
        states = metric.statistic.states().values()
        if not states or not all(state.additive for state in states):
            continue
        metric.add(*case.samples(np.random.default_rng(dist.get_rank()), case.most))
        sent = metric._contribution("raise").vector()
        numbers = torch.from_numpy(sent.copy())
        ours, library = [], []
        for _ in range(rounds):
            library.append(_seconds(lambda numbers=numbers: dist.all_reduce(numbers)))
            numbers.zero_()
            ours.append(_seconds(metric.compute))
        pairs = zip(ours, library, strict=True)
        ratio = statistics.median(mine / other for mine, other in pairs)
        found[name] = [ratio, 8 * len(numbers), statistics.median(ours)]
    return found


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
    lines = ["| metric | times one all-reduce | bytes | microseconds |", "|---|---|---|---|"]
    for name, numbers in sorted(found["metrics"].items(), key=lambda item: -item[1][0]):
        ratio, size, seconds = numbers
        lines.append(f"| {name} | {ratio:.2f} | {size:,} | {seconds * 1e6:,.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    dist.init_process_group("gloo")
    found = compare(arguments.rounds)
    if dist.get_rank() == 0:
        print(json.dumps(found))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
