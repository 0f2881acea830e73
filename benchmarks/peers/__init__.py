"""Every metric that another package has too: batches and compute, on one thread.

    python -m benchmarks.peers [--only Precision F1Score] [--seconds 0.5] [--page FILE]

Each measurement adds batches of 1,000 samples, in most cases 50 batches, and computes the value.
First, the fastest other package that has the metric is determined. Then mmeval_like and the other
package run alternately; the ratio is the median of the ratios of their processor times. A class of
another package gets the same batches, as tensors if it is made for torch. A function gets all
samples at once, and the time to collect them is not counted. Input checks are enabled. The table
also shows what a metric accumulates: "counts" are integers; "sums" are sums of floats, which are
exact in mmeval_like and rounded elsewhere; "scores" are kept and sorted. The last column says why
mmeval_like is slower than its peer. Summing by halving means repeatedly adding the second half of
the numbers to the first half: the order does not depend on the batch or the processor.
"""

from __future__ import annotations

import gc
import io
import json
import logging
import math
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from typing import Any

import numpy as np
import torch

import mmeval_like as mm
from benchmarks import cpu_torchvision
from benchmarks.peers.bounds import BOUNDS
from benchmarks.peers.data import DATA
from benchmarks.peers.masks import MASK_DATA
from benchmarks.peers.objects import OBJECT_DATA
from benchmarks.peers.packages import Row, run
from benchmarks.peers.rows import ROWS
from benchmarks.peers.signals import SIGNAL_DATA
from benchmarks.peers.texts import TEXT_DATA
from benchmarks.peers.without import WITHOUT

__all__ = ["SECONDS", "compare", "measure", "refreshed", "table", "without"]

SECONDS = 0.6  # for the pairs of one row
_DATA = DATA | MASK_DATA | OBJECT_DATA | SIGNAL_DATA | TEXT_DATA
_PAIRS = (3, 25)  # at least, at most


def measure(only: Sequence[str] = (), seconds: float = SECONDS) -> list[list[Any]]:
    """Run `compare` in a process of its own, of one thread."""
    command = [sys.executable, "-m", "benchmarks.peers", "--json", "--seconds", str(seconds)]
    done = subprocess.run(
        [*command, *(("--only", *only) if only else ())],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=1200,
    )
    found: list[list[Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare(only: Sequence[str], seconds: float) -> list[list[Any]]:
    """By row: name, kind, package, ratio, our seconds, difference of the numbers, remark."""
    torch.set_num_threads(1)
    cpu_torchvision.complete()
    logging.disable()  # MMEval tells of its progress
    found = []
    for row in ROWS:
        if only and row.name not in only and row.name.partition(" ")[0] not in only:
            continue
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found.append(_measure(row, seconds))
    return found


def _measure(row: Row, seconds: float) -> list[Any]:
    batches = _DATA[row.data]()
    metric = getattr(mm, row.name.partition(" ")[0])(**row.options)
    ours = partial(run, metric, metric.add, batches)
    value, _ = ours(), ours()
    own = _seconds(ours)
    fastest, package, difference = None, "", math.nan
    best = math.inf
    for peer in row.peers:
        call = peer.prepare(batches)
        result = call()
        taken = _seconds(call)
        if taken < best:
            fastest, package, best = call, peer.package, taken
            difference = _difference(value, result) if row.compared else math.nan
    assert fastest is not None
    pairs, ratios, times = max(_PAIRS[0], min(_PAIRS[1], int(seconds / (own + best)))), [], []
    for _ in range(pairs):
        times.append(_seconds(ours))
        ratios.append(_seconds(fastest) / times[-1])
    ratio = statistics.median(ratios)
    bound = row.remark or BOUNDS.get(row.name.partition(" ")[0], "")
    remark = bound if ratio < 1 else ""
    return [row.name, row.kind, package, ratio, statistics.median(times), difference, remark]


def _seconds(call: Callable[[], Any]) -> float:
    gc.collect(0)
    start = time.process_time()
    call()
    return time.process_time() - start


def _difference(ours: Mapping[str, Any], theirs: Any) -> float:
    """Return by how much numbers differ at most, relatively above 1; nan for another layout."""
    other = _numbers(theirs)
    for own in (_numbers(next(iter(ours.values()))), _numbers(ours)):
        if own.shape == other.shape:
            with np.errstate(invalid="ignore"):
                gaps = np.abs(own - other) / np.maximum(1.0, np.abs(own))
                return float(np.nan_to_num(gaps).max(initial=0.0))
    return math.nan


def _numbers(value: Any) -> np.ndarray:
    if isinstance(value, Mapping):
        return np.concatenate([np.zeros(0), *map(_numbers, value.values())])
    if isinstance(value, tuple | list):
        return np.concatenate([np.zeros(0), *map(_numbers, value)])
    return np.asarray(value, np.float64).reshape(-1)


def table(found: list[list[Any]]) -> str:
    """Return a table of all rows, by kind."""
    lines = [
        "| metric | kind | fastest peer | takes times as long | our ms | numbers differ by | |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, kind, package, ratio, seconds, difference, remark in sorted(
        found, key=lambda row: (row[1], row[0])
    ):
        shown = "" if math.isnan(difference) else f"{difference:.0e}"
        times = f"{package} | {ratio:.2f} | {1e3 * seconds:.2f}"
        lines.append(f"| {name} | {kind} | {times} | {shown} | {remark} |")
    return "\n".join(lines)


def refreshed(page: str, found: list[list[Any]]) -> str:
    """Return a page whose table has the rows that were found in place of those of equal names."""
    head = table([])
    before, _, rest = page.partition(head + "\n")
    rows, _, after = rest.partition("\n\n")
    lines = [*rows.splitlines(), *table(found).splitlines()[2:]]
    by_name = {tuple(line.split(" | ")[1::-1]): line for line in lines}  # the last of a name
    ordered = (by_name[name] for name in sorted(by_name))
    return "\n".join([before + head, *ordered, "", after])


def without() -> str:
    """Return a list of the metrics that have no row, and why."""
    names: dict[str, list[str]] = {}
    for name, reason in WITHOUT.items():
        names.setdefault(reason, []).append(f"`{name}`")
    return "\n".join(f"- {', '.join(some)}: {reason}." for reason, some in names.items())
