"""Exact AUROC of many scores: time, and the memory that every rank takes at its peak.

The bound of the time: one ragged all-to-all of as many bytes, and numpy's sort of what is received;
on one rank the sort alone.
Every system is measured in processes of its own, so that none finds the memory that another one
left behind, and none is charged for it.

torchrun --nproc-per-node 2 -m benchmarks.worker dealt
"""

from __future__ import annotations

import datetime
import gc
import multiprocessing
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

import mmeval_like as mm
from benchmarks import cpu_torchvision
from benchmarks.memory import memory_mib
from mmeval_like._exchange import deal
from mmeval_like.backends import get_dist_backend

SIZES = (1_000_000, 10_000_000)  # scores on each rank
NARROW = 100_000_000  # of those that were bfloat16
BATCH = 1 << 16
ROUNDS = 3
DEALT, GATHERED = "dealt", "brought to rank 0"
BOUND = "all-to-all and sort"

Begun = tuple[Callable[[np.ndarray, np.ndarray], Any], Callable[[], Any]]


def measure() -> dict[str, Any]:
    """By scores on each rank and system: the seconds of compute, and every rank's MiB."""
    found: dict[str, Any] = {}
    for size in SIZES:
        found[f"{size:,}"] = {name: _alone(name, size) for name in (BOUND, *_systems())}
    found["bfloat16"] = _alone(DEALT, NARROW, narrow=True)
    return found


def _alone(name: str, size: int, narrow: bool = False) -> list[Any]:
    """Return what new processes, one for each rank, find of a system."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        found: list[Any] = process.submit(_in_group, name, size, narrow).result()
    return found


def _in_group(name: str, size: int, narrow: bool) -> list[Any]:
    warnings.simplefilter("ignore")
    cpu_torchvision.complete()
    told = os.environ
    store = dist.TCPStore(told["MASTER_ADDR"], int(told["MASTER_PORT"]), is_master=False)
    dist.init_process_group(
        "gloo",
        store=dist.PrefixStore(f"{name}, {size}", store),
        rank=int(told["RANK"]),
        world_size=int(told["WORLD_SIZE"]),
        timeout=datetime.timedelta(minutes=10),
    )
    found = [_bound(size), [], None] if name == BOUND else _measured(_systems()[name], size, narrow)
    dist.barrier()
    dist.destroy_process_group()
    return found


def _systems() -> dict[str, Callable[[], Begun]]:
    systems = {DEALT: _ours(deal._GATHERED)}
    if dist.get_world_size() > 1:
        systems[GATHERED] = _ours(1 << 62)
    peers = {"torchmetrics": _torchmetrics, "torcheval": _torcheval, "ignite": _ignite}
    for name, begin in peers.items():
        if find_spec(name):
            systems[name] = begin
    return systems


def _ours(limit: int) -> Callable[[], Begun]:
    def begin() -> Begun:
        deal._GATHERED = limit
        metric = mm.AUROC()
        return metric.add, metric.compute

    return begin


def _torchmetrics() -> Begun:
    from torchmetrics.classification import BinaryAUROC

    metric = BinaryAUROC(validate_args=False)
    return lambda s, t: metric.update(torch.from_numpy(s), torch.from_numpy(t)), metric.compute


def _torcheval() -> Begun:
    from torcheval.metrics import BinaryAUROC
    from torcheval.metrics.toolkit import sync_and_compute

    metric = BinaryAUROC()
    add = lambda s, t: metric.update(torch.from_numpy(s), torch.from_numpy(t))  # noqa: E731
    return add, lambda: sync_and_compute(metric)


def _ignite() -> Begun:
    from ignite.metrics import ROC_AUC

    metric = ROC_AUC()
    add = lambda s, t: metric.update((torch.from_numpy(s), torch.from_numpy(t)))  # noqa: E731
    return add, metric.compute


def _batches(size: int, narrow: bool) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(dist.get_rank())
    for start in range(0, size, BATCH):
        count = min(BATCH, size - start)
        labels = rng.integers(0, 2, count)
        scores = (2 * rng.random(count, np.float32) + labels.astype(np.float32)) / 3
        if narrow:
            scores = (scores.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        yield scores, labels


def _measured(begin: Callable[[], Begun], size: int, narrow: bool) -> list[Any]:
    """Return the least seconds of compute, by rank the MiB at the peak, and the seconds of add."""
    _seconds_and_mib(begin, 1000, narrow)  # what the first call imports is no memory of the scores
    found = [_seconds_and_mib(begin, size, narrow) for _ in range(1 if narrow else ROUNDS)]
    seconds, peaks, adding = zip(*found, strict=True)
    every: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(every, max(peaks))
    return [min(seconds), every, min(adding)]


def _seconds_and_mib(
    begin: Callable[[], Begun], size: int, narrow: bool
) -> tuple[float, float, float]:
    gc.collect()
    base = memory_mib(False)
    add, compute = begin()
    adding = 0.0
    for scores, labels in _batches(size, narrow):
        start = time.perf_counter()
        add(scores, labels)
        adding += time.perf_counter() - start
    dist.barrier()
    start = time.perf_counter()
    compute()
    return time.perf_counter() - start, memory_mib(True) - base, adding


def _bound(size: int) -> float:
    backend, ranks = get_dist_backend("torch"), dist.get_world_size()
    scores = np.concatenate([scores for scores, _ in _batches(size, False)])
    seconds = []
    for _ in range(ROUNDS):
        dist.barrier()
        start = time.perf_counter()
        share = scores
        if ranks > 1:
            parts = [part.data for part in np.array_split(scores, ranks)]
            received = backend.all_to_all_bytes(parts)
            share = np.concatenate([np.frombuffer(part, np.float32) for part in received])
        np.sort(share)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def table(worlds: Mapping[int, dict[str, Any]]) -> str:
    """Return the rows of every size and system, with the columns of every number of ranks."""
    lines = [
        "| scores on each rank | | "
        + " | ".join(
            f"s of add, {n} rank{'s' * (n > 1)} | of compute | MiB of rank 0 | mean MiB"
            for n in worlds
        )
        + " |",
        "|---" * (2 + 4 * len(worlds)) + "|",
    ]
    for size in (f"{size:,}" for size in SIZES):
        measured = [found[size] for found in worlds.values()]
        for name in measured[-1]:
            cells = [_cells(*of[name]) if name in of else " |  |  | " for of in measured]
            lines.append(f"| {size} | {name} | " + " | ".join(cells) + " |")
    cells = [_cells(*found["bfloat16"]) for found in worlds.values()]
    return "\n".join([*lines, f"| {NARROW:,} of bfloat16 | {DEALT} | " + " | ".join(cells) + " |"])


def multiples(worlds: Mapping[int, dict[str, Any]]) -> str:
    """Return how many times the bound, and its own scores, `compute` takes, and why."""
    ranks = ", ".join(map(str, worlds))
    lines = [
        f"The same on {ranks} ranks, as multiples of the bound and of the memory of a rank's own "
        "scores:",
        "",
    ]
    for size in SIZES:
        ours, bounds = (
            [found[f"{size:,}"][name] for found in worlds.values()] for name in (DEALT, BOUND)
        )
        times = [f"{own[0] / bound[0]:.1f}" for own, bound in zip(ours, bounds, strict=True)]
        memory = [f"{peaks[0] * 2**20 / (4 * size):.1f}" for _, peaks, _ in ours]
        lines.append(
            f"- {size:,} scores: `compute` takes {', '.join(times)} times as long, and rank 0 "
            f"takes {', '.join(memory)} times the memory."
        )
    return "\n".join([*lines, _FIXED])


_FIXED = """
These times exclude `add`, which has sorted some of the scores by then. Part of the cost is fixed,
and dominates if there are few scores: the ranks find the borders of the shares in rounds of
histograms, and wait for the slowest rank in each of a dozen exchanges. Each of three buffers has up
to 8 MiB. For a million scores, they are as large as the scores."""


def _cells(seconds: float, peaks: Sequence[float], adding: float | None) -> str:
    memory = f"{peaks[0]:.0f} | {sum(peaks) / len(peaks):.0f}" if peaks else " | "
    return f"{'' if adding is None else f'{adding:.2f}'} | {seconds:.2f} | {memory}"
