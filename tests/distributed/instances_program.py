"""Ranks that do not compute the same: ``instances_program.py BACKEND WHAT...``.

WHAT are "swap", "skip", "threads", "lists" and "extra"; or "replace" (torch), where rank 1 leaves
and rank 0 starts a new process in its place. Every rank checks what it gets.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress

import mmeval_like as mm
from tests.helpers.spawn import free_port


def swap(rank: int) -> None:
    """Rank 1 computes the test metric first."""
    metrics = [mm.Accuracy(), mm.Accuracy()]
    for labels, metric in zip(([1, 1], [0, 0]), metrics, strict=True):
        metric.add([1, 1], labels)
    expect_disagreement(metrics[rank % 2])
    assert [metric.compute() for metric in metrics] == [{"top1": 1.0}, {"top1": 0.0}]


def skip(rank: int) -> None:
    """Rank 1 skips the compute of the second epoch, and meets the others an epoch later."""
    metric = mm.Accuracy()
    for epoch in range(3):
        metric.reset()
        metric.add([1, 1], [1, epoch % 2])
        if epoch == 1 and rank == 1:
            continue
        if epoch == 2 - (rank != 1):
            expect_disagreement(metric)
            break
        metric.compute()


def extra(rank: int) -> None:
    """Rank 0 alone constructs one more equal metric; then one with a name."""
    if rank == 0:
        mm.Accuracy()
    metric = mm.Accuracy()
    metric.add([1], [1])
    expect_disagreement(metric)
    if rank == 0:
        mm.Accuracy(topk=2, name="on rank 0")
    other = mm.Accuracy(topk=2)
    other.add([[0.1, 0.9]], [1])
    assert other.compute() == {"top2": 1.0}


def threads(rank: int) -> None:
    """Two threads compute equal metrics at once: the right value, or the error on every rank."""
    metrics = [mm.Accuracy(), mm.Accuracy()]
    for labels, metric in zip(([1, 1], [0, 0]), metrics, strict=True):
        metric.add([1, 1], labels)
    for _ in range(20):
        found: dict[int, object] = {}

        def compute(which: int, found: dict[int, object] = found) -> None:
            try:
                found[which] = metrics[which].compute()
            except mm.DisagreementError:
                found[which] = None

        both = [threading.Thread(target=compute, args=(which,)) for which in range(2)]
        for thread in both if rank % 2 else both[::-1]:
            thread.start()
        for thread in both:
            thread.join()
        assert found[0] in (None, {"top1": 1.0}), found
        assert found[1] in (None, {"top1": 0.0}), found


def lists(rank: int) -> None:
    """Ranks that load their own files, in another order, or none; then all the same list."""
    folder = mm.get_dist_backend().broadcast_object(tempfile.mkdtemp())
    paths = [f"{folder}/rank-{other}.safetensors" for other in range(2)]
    metric = mm.Accuracy(topk=1, thrs=None)
    metric.add([1, 1], [1, rank])
    metric.save(paths[rank])
    metric.reset()
    with suppress(ValueError):  # of rank 0, which reads its file; rank 1 reads none
        metric.load(paths[rank : rank + 1])
    text = ""
    try:
        metric.compute()
    except RuntimeError as error:  # RemoteError on rank 1
        text = str(error)
    assert "the samples of 1 rank(s) are missing" in text, text
    for mine in (paths[:: 1 - 2 * rank], paths[: 2 * rank]):
        metric.reset()
        if mine:
            metric.load(mine)
        expect_disagreement(metric, "after load(")
    metric.reset()
    metric.load(paths)
    assert metric.compute() == {"top1": 0.75}
    assert mm.get_dist_backend().all_gather_object(0) == [0, 0]  # all have read their files
    if rank == 0:
        shutil.rmtree(folder)


def replace(rank: int) -> None:
    """Rank 0 goes on with a new rank 1, with the metric that it has and with new ones."""
    import torch.distributed as dist

    kept = mm.Accuracy()
    if "JOINS" not in os.environ:
        for _ in range(3):
            kept.reset()
            kept.add([1], [1])
            assert kept.compute() == {"top1": 1.0}
        dist.destroy_process_group()
        if rank == 1:
            return
        kept.reset()
        new = {"RANK": "1", "MASTER_PORT": str(free_port()), "JOINS": "yes"}
        joins = subprocess.Popen([sys.executable, *sys.argv], env=os.environ | new)
        os.environ["MASTER_PORT"] = new["MASTER_PORT"]
        dist.init_process_group("gloo")
    for metric in (kept, mm.Accuracy(topk=2)):
        metric.add([[0.1, 0.9]], [1])
        assert set(metric.compute().values()) == {1.0}
        assert set(metric.compute().values()) == {1.0}
    if rank == 0:
        assert joins.wait(60) == 0


def expect_disagreement(metric: mm.BaseMetric, expected: str = "name=") -> None:
    """Every rank gets the error, which names what differs or what to do."""
    text = ""
    try:
        value = metric.compute()
    except mm.DisagreementError as error:
        text = str(error)
    assert expected in text, text or value


def main(backend: str, *names: str) -> None:
    """Join the other ranks and do it, one after the other."""
    if backend == "torch":
        import torch.distributed

        torch.distributed.init_process_group("gloo")
    else:
        import mpi4py.MPI  # noqa: F401
    for name in names:
        globals()[name](mm.get_dist_backend().rank)
        print(f"{name} is done", flush=True)
    if backend == "torch" and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
