"""Exact AUROC of many scores: time, and the memory that every rank takes at its peak.

The bound of the time: one ragged all-to-all of as many bytes, and numpy's sort of what is received.

torchrun --nproc-per-node 2 -m benchmarks.worker dealt
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

import mmeval_like as mm
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
        of_size = {name: _measured(begin, size) for name, begin in _systems().items()}
        found[f"{size:,}"] = {BOUND: [_bound(size), []], **of_size}
    begin = _ours(deal._GATHERED)
    found["bfloat16"] = _measured(begin, NARROW, narrow=True)
    return found


def _systems() -> dict[str, Callable[[], Begun]]:
    systems = {DEALT: _ours(deal._GATHERED), GATHERED: _ours(1 << 62)}
    for name, begin in (("torchmetrics", _torchmetrics), ("torcheval", _torcheval)):
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


def _batches(size: int, narrow: bool) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(dist.get_rank())
    for start in range(0, size, BATCH):
        count = min(BATCH, size - start)
        labels = rng.integers(0, 2, count)
        scores = (2 * rng.random(count, np.float32) + labels.astype(np.float32)) / 3
        if narrow:
            scores = (scores.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        yield scores, labels


def _measured(begin: Callable[[], Begun], size: int, narrow: bool = False) -> list[Any]:
    """Return the least seconds of compute, and by rank the MiB at the peak."""
    seconds: list[float] = []
    peaks: list[float] = []
    for _ in range(1 if narrow else ROUNDS):
        gc.collect()
        base = memory_mib(False)
        add, compute = begin()
        for scores, labels in _batches(size, narrow):
            add(scores, labels)
        dist.barrier()
        start = time.perf_counter()
        compute()
        seconds.append(time.perf_counter() - start)
        peaks.append(memory_mib(True) - base)
        del add, compute
    every: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(every, max(peaks))
    return [min(seconds), every]


def _bound(size: int) -> float:
    backend, ranks = get_dist_backend("torch"), dist.get_world_size()
    scores = np.concatenate([scores for scores, _ in _batches(size, False)])
    seconds = []
    for _ in range(ROUNDS):
        dist.barrier()
        start = time.perf_counter()
        received = backend.all_to_all_bytes([part.data for part in np.array_split(scores, ranks)])
        np.sort(np.concatenate([np.frombuffer(part, np.float32) for part in received]))
        seconds.append(time.perf_counter() - start)
    return min(seconds)
