"""Ranks of gloo beside what else a program does with torch: ``torch_program.py CASE``."""

import copy
import datetime
import os
import sys
import time

import numpy as np
import torch
import torch.distributed as dist

import mmeval_like as mm
from mmeval_like.backends.torch import TorchDist

TIMEOUT = 60


class Rows(mm.BaseMetric):
    """A metric that gathers its rows to rank 0."""

    def add(self, values):
        """Add samples."""
        self._results.extend((value, "x" * 2000) for value in values)

    def compute_metric(self, results):
        """Their sum."""
        return {"sum": sum(value for value, _ in results)}


def beside():
    """The program's collectives and ours take turns, in the default group and in one of its own."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    groups = [None, dist.new_group(list(range(ranks)))]
    for turn in range(3):
        for group in groups:
            backend = TorchDist(group)
            total = torch.tensor([rank + turn])
            pending = dist.all_reduce(total, group=group, async_op=True)
            metric = mm.Accuracy(dist_backend=backend)
            metric.add([1, 0], [1, rank % 2])
            assert metric.compute() == {"top1": 1 - (ranks // 2) / (2 * ranks)}
            pending.wait()
            assert total.item() == sum(range(ranks)) + ranks * turn
            rows = Rows(dist_backend=backend)
            rows.add([rank, turn])
            assert rows.compute() == {"sum": sum(range(ranks)) + ranks * turn}
            dist.barrier(group=group)
            large = mm.dist.all_gather(np.full(200_000 + rank, rank), backend)
            assert [len(part) for part in large] == [200_000 + r for r in range(ranks)]
            gathered = [None] * ranks
            dist.all_gather_object(gathered, rank, group=group)
            assert gathered == list(range(ranks))
    print("done", flush=True)


def destroyed():
    """A rank destroys its group and goes on: the others hear of it at once, as in plain torch."""
    group = dist.new_group([0, 1, 2])
    backend = TorchDist(group)
    metric = mm.Accuracy(dist_backend=backend)
    metric.add([1], [1])
    metric.compute()
    if backend.rank == 1:
        dist.destroy_process_group(group)
        held, group = group, None
        for attempt in range(2):  # while the program holds it, and when nobody does
            try:
                print(metric.compute())
            except RuntimeError as error:
                print(f"destroyed {attempt}: {error}", flush=True)
            held = None
        assert held is None
        dist.barrier()  # alive until then, so that the others are not told by its end
        return
    group = None
    start = time.monotonic()
    try:
        metric.compute()
    except mm.SyncTimeoutError as error:
        print(f"{time.monotonic() - start:.1f}; {error}", flush=True)
    dist.barrier()


def left():
    """All ranks destroy the default group: no rank then takes its share for the whole."""
    rank, metrics = dist.get_rank(), [mm.Accuracy(), mm.Accuracy(dist_backend="torch")]
    for metric in metrics:
        metric.add([1, 1], [1, rank])
        metric.compute()
    metrics.append(copy.deepcopy(metrics[0]))
    dist.destroy_process_group()
    for metric in metrics:
        try:
            print(metric.compute())
        except RuntimeError as error:
            print(f"left: {error}", flush=True)
        assert metric.compute_local() == {"top1": 0.5 + rank / 2}
    metrics[0].dist_backend = "non_dist"
    assert metrics[0].compute() == {"top1": 0.5 + rank / 2}


def meets():
    """remaining() on one rank meets compute() on another: every rank is told, and can go on."""
    rank = dist.get_rank()
    metric = mm.Accuracy()
    metric.add([1, 0], [1, 1], ids=[rank, 2])
    try:
        print(metric.remaining(4) if rank == 0 else metric.compute())
    except mm.DisagreementError:
        print(metric.compute(size=3), flush=True)


def forked():
    """A child of a fork is refused at once; it may be alone; the parent's group is unharmed."""
    backend = TorchDist()  # not used yet: the fork may come before the first exchange
    metric = mm.Accuracy(dist_backend=sys.argv[2])
    metric.add([1], [1])
    child = os.fork()
    if child == 0:
        assert mm.dist.get_rank() == backend.rank  # to ask who one is, is no communication
        try:
            print(metric.compute())
        except RuntimeError as error:
            print(error, flush=True)
        metric.dist_backend = "non_dist"
        os._exit(0 if metric.compute() == {"top1": 1.0} else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert metric.compute() == {"top1": 1.0}


if __name__ == "__main__":
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=TIMEOUT))
    for case in (beside, destroyed, left, meets, forked):
        if case.__name__ == sys.argv[1]:
            case()
    if sys.argv[1] == "destroyed":
        os._exit(0)  # torch may abort a process that leaves a broken group behind
    if sys.argv[1] != "left":
        dist.destroy_process_group()
