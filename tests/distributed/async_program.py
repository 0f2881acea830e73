"""Ranks that compute while they go on: ``async_program.py BACKEND CASE``."""

import atexit
import datetime
import os
import sys
import threading
import time

import numpy as np

import mmeval_like as mm
from mmeval_like._exchange.group_lock import lock_of


def connect(name):
    """The backend, and a function that lets the program itself talk to the other ranks."""
    if name == "mpi4py":
        from mpi4py import MPI

        from mmeval_like.backends.mpi4py import MPI4PyDist

        return MPI4PyDist(timeout=20), lambda value: MPI.COMM_WORLD.allreduce(value)
    import torch
    import torch.distributed as dist

    from mmeval_like.backends.torch import TorchDist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=20))

    def total(value):
        tensor = torch.tensor([value])
        dist.all_reduce(tensor)
        return tensor.item()

    return TorchDist(), total


def beside(backend, total):
    """The program's messages, computes and other threads go on meanwhile; every result is right."""
    rank, ranks = backend.rank, backend.world_size
    mean, kept = mm.Mean(dist_backend=backend), mm.AUROC(dist_backend=backend)
    rng = np.random.default_rng(rank)
    handles, wanted, stop = [], [], threading.Event()

    def add_elsewhere():
        alone = mm.Mean(dist_backend="non_dist")
        while not stop.is_set():
            alone.add(rng.random(100))
            alone.compute_async()
            time.sleep(1e-3)

    thread = threading.Thread(target=add_elsewhere)
    thread.start()
    for step in range(40):
        mean.add(np.full(3, 0.1 * step + rank))
        kept.add(np.arange(300) % (7 + step) / 64, np.arange(300) % (2 + rank) == 0)
        handles += [mean.compute_async(), kept.compute_async()]
        assert total(rank + step) == sum(range(ranks)) + ranks * step
        if step % 10 == 5:
            wanted += [(len(handles) - 2, mean.compute()), (len(handles) - 1, kept.compute())]
        if step % 7 == 6:
            mean.reset()
    stop.set()
    thread.join()
    results = [handle.result() for handle in handles]
    assert all(results[place] == value for place, value in wanted)
    assert backend.all_gather_object(results) == [results] * ranks
    print("right", flush=True)


def everything(backend, total):
    """The cases that end well, in one process each: libraries take long to import."""
    forked(backend, total)
    beside(backend, total)
    abandoned(backend, total)


def abandoned(backend, total):
    """Nobody asks for the results, which all ranks began."""
    metric = mm.Accuracy(dist_backend=backend)
    metric.add([1], [1])
    for _ in range(3):
        metric.compute_async()
    print("left", flush=True)


def alone(backend, total):
    """One rank began what no other began, and ends, with its output closed."""
    metric = mm.Accuracy(dist_backend=backend)
    metric.add([1], [1])
    metric.compute_async().result()
    if backend.rank == 0:
        metric.compute_async()
    print("left", flush=True)
    sys.stdout.close()


def searching(backend, total):
    """As `alone`: the end comes while a thread asks the library who is missing, without a pause."""
    from mmeval_like.backends.torch import lost

    lost._LOOK = 0
    alone(backend, total)


def busy(backend, total):
    """No other thread gets Python's lock between the last collective and the end."""
    metric = mm.Accuracy(dist_backend=backend)
    metric.add([1], [1])
    sys.setswitchinterval(1000)
    metric.compute()  # and no output, which gives the lock away


def forked(backend, total):
    """A child has no part in what its parent began, and computes its own alone.

    It is forked while one thread of its parent waits for the other rank, and another exchanges
    messages. Its end leaves the job of its parent as it is.
    """
    metric = mm.Accuracy(dist_backend=backend)
    metric.add([1], [1])
    before = metric.compute_async()
    before.result()
    total(1)
    go_on = None if backend.rank else metric.compute_async()
    begun, over = threading.Event(), threading.Event()

    def exchange():
        with lock_of(backend).held:
            begun.set()
            over.wait()

    thread = threading.Thread(target=exchange)
    thread.start()
    begun.wait()
    child = os.fork()
    if not child:
        try:
            own = mm.Accuracy(dist_backend="non_dist")
            own.add([1, 0], [1, 1])
            print(own.compute_async().result(10), own.compute(), flush=True)
            print(before.result(), flush=True)
            metric.compute_async()
        except RuntimeError as error:
            print(str(error)[:16], flush=True)
        atexit._run_exitfuncs()  # and nothing else: the library would end its parent's part
        os._exit(0)
    os.waitpid(child, 0)
    over.set()
    thread.join()
    total(1)
    go_on = go_on or metric.compute_async()
    print(go_on.result(), flush=True)


def one_thread(backend, total):
    """MPI was initialised for fewer threads."""
    metric = mm.Accuracy(dist_backend=backend)
    metric.add([1], [1])
    try:
        metric.compute_async()
    except RuntimeError as error:
        print(error, flush=True)
    print(metric.compute(), flush=True)


def groups(backend, total):
    """One group after the other computes beside the program, and is ended by it.

    In the first one a result is still on its way when its end begins. One rank is in another group
    too, of its own.
    """
    make, end = group_of_all(backend)
    count = 1000 if backend.transport == "mpi4py" else 8
    files = []
    for number in range(count):
        group, own = make()
        metric = mm.Accuracy(dist_backend=own)
        metric.add([1], [1])
        handles = [metric.compute_async()]
        assert handles[0].result() == metric.compute()
        if backend.transport == "mpi4py" and number == 0:
            handles += [metric.compute_async() for _ in range(9)]
        end(group)
        if number == 0:
            assert all(handle.result() == {"top1": 1.0} for handle in handles)
        del group, own, metric, handles
        files.append(len(os.listdir("/proc/self/fd")))
    total(1)
    assert files[-1] <= files[1], files
    print("ended", flush=True)
    if backend.transport != "mpi4py":
        # gloo gives the tensor of `total` back from a thread of its own, which would abort the
        # process if it came after Python's end: torch asks every program to end its groups.
        end(None)


def group_of_all(backend):
    """What makes a group of all ranks and its backend, and what ends it."""
    if backend.transport == "mpi4py":
        from mpi4py import MPI

        def split():
            comm = MPI.COMM_WORLD.Split(0, MPI.COMM_WORLD.rank)
            return comm, type(backend)(comm, timeout=20)

        return split, lambda comm: comm.Free()
    import torch.distributed as dist

    dist.new_group([0])

    def new_group():
        group = dist.new_group(timeout=datetime.timedelta(seconds=20))
        return group, type(backend)(group)

    return new_group, dist.destroy_process_group


def main(name, case):
    """Run one case."""
    if case == "one_thread":
        import mpi4py

        mpi4py.rc.thread_level = "funneled"
    backend, total = connect(name)
    cases = {
        "everything": everything,
        "alone": alone,
        "searching": searching,
        "busy": busy,
        "one_thread": one_thread,
        "groups": groups,
    }
    cases[case](backend, total)


if __name__ == "__main__":
    main(*sys.argv[1:])
