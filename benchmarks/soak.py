"""Soak: thousands of evaluations with random shapes and failures; nothing grows, nothing hangs.

    mpiexec -n 4 python -m benchmarks.soak mpi4py
    torchrun --nproc-per-node 4 -m benchmarks.soak torch

Every round adds batches of random sizes, computes, and resets. In some rounds a random rank fails
in the loop, in building its part, or in computing: then all ranks must raise, and the next round
must be right again. Prints one line per tenth; fails if memory, threads or open files grow.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import warnings
from typing import Any

import numpy as np

import mmeval_like as mm

FAULTS = ("loop", "part", "compute")


class Sample(mm.BaseMetric):
    """A count, an exact sum, kept rows and objects; fails on request."""

    hits = mm.state.sum(int)
    total = mm.state.sum()
    kept = mm.state.cat(np.float32)
    things = mm.state.objects()

    fault: str | None = None

    def rows(self, values: np.ndarray) -> dict[str, Any]:
        """Rows of random values; with an entry that cannot be pickled on request."""
        things: list[Any] = [(int(v), "x") for v in values]
        if self.fault == "part" and things:
            things[0] = lambda: None
        return {"hits": values > 5, "total": values / 7, "kept": values / 3, "things": things}

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """All of it; fails on request."""
        if self.fault == "compute":
            raise ZeroDivisionError("on purpose")
        order = np.sort(results.kept)
        return {
            "hits": results.hits,
            "total": results.total,
            "kept": float(order[0]) if len(order) else 0.0,
            "things": len(results.things),
        }


def soak(backend: mm.BaseDistBackend, rounds: int) -> None:
    """Run the rounds on one rank; every rank draws the same random numbers."""
    metric = Sample(dist_backend=backend)
    before: tuple[int, int, int] | None = None
    for number in range(rounds):
        rng = np.random.default_rng(number)
        batches = [
            [rng.integers(0, 10, int(rng.integers(1, 200))) for _ in range(rng.integers(0, 4))]
            for _ in range(backend.world_size)
        ]
        fault = FAULTS[rng.integers(0, 3)] if rng.random() < 0.2 else None
        failing = 0 if fault == "compute" else int(rng.integers(0, backend.world_size))
        mine = batches[backend.rank]
        if fault == "part" and not batches[failing]:
            fault = None
        metric.fault = fault if backend.rank == failing else None
        outcome = evaluate(metric, mine)
        everything = np.concatenate([np.empty(0, int), *(b for shard in batches for b in shard)])
        check(outcome, fault, everything, number)
        metric.reset()
        metric.fault = None
        if number == rounds // 10:  # caches are warm
            before = usage()
        if (number + 1) % max(rounds // 10, 1) == 0:
            report(backend.rank, f"{number + 1} rounds, {usage()[0] / 2**20:.0f} MiB")
    grown = [now - then for now, then in zip(usage(), before or usage(), strict=True)]
    if grown[0] > 16 * 2**20 or grown[1] > 0 or grown[2] > 0:
        sys.exit(f"rank {backend.rank}: grew by {grown} (bytes, threads, open files)")
    report(backend.rank, f"constant: grew by {grown} (bytes, threads, open files)")


def evaluate(metric: Sample, batches: list[np.ndarray]) -> Any:
    """One evaluation: its result, or the exception."""
    try:
        with metric.evaluation() as run:
            for index, batch in enumerate(batches):
                if metric.fault == "loop" and index == len(batches) // 2:
                    raise OSError("on purpose")
                metric.add(batch)
            if metric.fault == "loop":
                raise OSError("on purpose")
        return run.result
    except Exception as error:
        return error


def check(outcome: Any, fault: str | None, values: np.ndarray, number: int) -> None:
    """Raise unless the outcome is right, or the failure that was asked for."""
    if fault is not None:
        if not isinstance(outcome, Exception):
            raise AssertionError(f"round {number}: {fault} must fail on every rank")
        return
    if isinstance(outcome, Exception):
        raise AssertionError(f"round {number} failed") from outcome
    if (outcome["hits"], outcome["things"]) != ((values > 5).sum(), len(values)):
        raise AssertionError(f"round {number}: wrong: {outcome}")


def usage() -> tuple[int, int, int]:
    """This process's resident memory in bytes, its threads, and its open files."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), threading.active_count(), open_files()


def open_files() -> int:
    """How many files and sockets are open."""
    return len(os.listdir("/proc/self/fd"))


def report(rank: int, text: str) -> None:
    """Print on rank 0."""
    if rank == 0:
        print(text, flush=True)


def main() -> None:
    """Run on the backend that the command line names."""
    parser = argparse.ArgumentParser(description="Soak test.")
    parser.add_argument("backend", choices=["mpi4py", "torch", "zmq"])
    parser.add_argument("--rounds", type=int, default=10_000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)  # rounds without samples
    if arguments.backend == "torch":
        import torch.distributed

        torch.distributed.init_process_group("gloo")
    soak(mm.get_dist_backend(arguments.backend), arguments.rounds)
    if arguments.backend == "torch":
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
