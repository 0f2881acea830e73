"""How many functions of this package a small `add` and `compute` call, in how many files, how deep.

    python -m benchmarks.turns

Python makes a call in about 0.1 us; between two collectives of ranks that share cores, it costs
several times as much. The ranks are threads (`LocalWorld`), whose own functions do not count.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like.testing import LocalWorld

__all__ = ["measure", "table"]

_PACKAGE = str(Path(mm.__file__).parent)
_TESTING = str(Path(_PACKAGE, "testing"))
_BATCHES, _SAMPLES = 5, 64


def turns(call: Callable[[], object]) -> list[int]:
    """Return the number of calls inside the package, of files, and the depth."""
    depth = deepest = calls = 0
    files = set()

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal depth, deepest, calls
        file = frame.f_code.co_filename
        if not file.startswith(_PACKAGE) or file.startswith(_TESTING):
            return
        if event == "call":
            calls, depth = calls + 1, depth + 1
            deepest = max(deepest, depth)
            files.add(file)
        elif event == "return":
            depth -= 1

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [calls, len(files), deepest]


def _of_rank(backend: Any) -> dict[str, dict[str, list[int]]]:
    rng, found = np.random.default_rng(backend.rank), {}
    shape = (2, _SAMPLES)
    for name, metric, batch in (
        ("Accuracy", mm.Accuracy(dist_backend=backend), rng.integers(0, 10, shape)),
        ("MeanSquaredError", mm.MeanSquaredError(dist_backend=backend), rng.random(shape)),
    ):
        for _ in range(_BATCHES):
            metric.add(*batch)
        metric.compute()
        ranks = f"compute, {backend.world_size} rank{'s' * (backend.world_size > 1)}"
        found[name] = {ranks: turns(metric.compute)}
        found[name]["add"] = turns(lambda metric=metric, batch=batch: metric.add(*batch))
    return found


def measure() -> dict[str, dict[str, list[int]]]:
    """Return the numbers by metric and call."""
    found: dict[str, dict[str, list[int]]] = {}
    for ranks in (1, 2):
        for name, numbers in LocalWorld(ranks).run(_of_rank)[0].items():
            found.setdefault(name, {}).update(numbers)
    return found


def table(found: dict[str, dict[str, list[int]]]) -> str:
    """Return the numbers as Markdown."""
    calls = ["add", "compute, 1 rank", "compute, 2 ranks"]
    lines = ["| calls / files / depth | " + " | ".join(calls) + " |", "|---" * 4 + "|"]
    for name, numbers in found.items():
        cells = [" / ".join(map(str, numbers[call])) for call in calls]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(measure()))
