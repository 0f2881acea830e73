"""How long `compute_async` keeps the program, beside how long `compute` does, for ten metrics."""

from __future__ import annotations

import statistics
import time
from typing import Any

import torch.distributed as dist

from benchmarks.systems import Batch, ours

__all__ = ["measure", "table"]


def measure(batch: Batch, rounds: int) -> dict[str, float]:
    """Return seconds, medians and the best of them, in the process group of the program."""
    metrics = ours.ten_metrics()
    metrics.add(batch.predictions, batch.labels)
    metrics.compute_async().result()  # makes the group
    begun, finished, computed = [], [], []
    for _ in range(5 * rounds):
        metrics.add(batch.predictions, batch.labels)
        dist.barrier()
        start = time.perf_counter()
        handle = metrics.compute_async()
        begun.append(time.perf_counter() - start)
        handle.result()
        finished.append(time.perf_counter() - start)
        dist.barrier()
        start = time.perf_counter()
        metrics.compute()
        computed.append(time.perf_counter() - start)
    return {
        "begun": statistics.median(begun),
        "best begun": min(begun),
        "finished": statistics.median(finished),
        "computed": statistics.median(computed),
    }


def table(found: dict[str, Any]) -> str:
    """Return the table: a column for each number of ranks."""
    rows = {
        "begun": "`compute_async` returns",
        "best begun": "the same, best round",
        "finished": "its `result()` returns",
        "computed": "`compute` returns",
    }
    lines = ["| | " + " | ".join(f"{ranks} ranks" for ranks in found) + " |"]
    lines.append("|---" * (1 + len(found)) + "|")
    for key, title in rows.items():
        cells = [f"{1e6 * cell[key]:,.0f} us" for cell in found.values()]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
