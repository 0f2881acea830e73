"""A job in which rank 1 misbehaves: ``fault_program.py BACKEND FAULT [compute_async|many]``.

Every rank that gets an error from `compute` prints its type and text.
"""

import datetime
import os
import signal
import sys
import time
from functools import partial

import numpy as np

import mmeval_like as mm
from mmeval_like._exchange import deal
from mmeval_like.metrics.curves.ranking import Ranking

TIMEOUT = float(os.environ.get("TIMEOUT", "3"))  # as patient as the machine is slow


def connect(backend):
    """The backend, with a short timeout."""
    if backend == "mpi4py":
        from mmeval_like.backends.mpi4py import MPI4PyDist

        return MPI4PyDist(timeout=TIMEOUT)
    if backend == "zmq":
        from mmeval_like.backends.zmq import ZmqDist

        return ZmqDist(timeout=TIMEOUT)
    if backend == "paddle":  # its timeout is fixed
        import paddle.distributed

        paddle.distributed.init_parallel_env()
        return mm.get_dist_backend("paddle")
    import torch.distributed

    torch.distributed.init_process_group("gloo", timeout=datetime.timedelta(seconds=TIMEOUT))
    return mm.get_dist_backend("torch")


def die_while_scores_are_dealt(backend):
    """Rank 1 is killed when it ranks its share; the others keep their samples."""
    deal._GATHERED = 0
    metric = mm.AUROC(dist_backend=backend)
    scores = np.random.default_rng(backend.rank).random(5000)
    metric.add(scores, np.arange(5000) % 2)
    if backend.rank == 1:
        Ranking.doubled_pairs = lambda self: os.kill(os.getpid(), signal.SIGKILL)
    try:
        metric.compute()
    except Exception as error:
        assert metric.compute_local() == mm.AUROC()(scores, np.arange(5000) % 2)
        print(f"{type(error).__name__}: {error}", flush=True)
        raise


def last_of_many(metric):
    """The last of 12 results that were begun together; what it raises says how long it took."""
    started = time.monotonic()
    handles = [metric.compute_async() for _ in range(12)]
    try:
        return handles[-1].result()
    finally:
        print(f"all within {time.monotonic() - started < 4 * TIMEOUT}.", flush=True)


def main(backend_name, fault, how="compute"):
    """Run the job."""
    backend = connect(backend_name)
    if fault == "killed while scores are dealt":
        return die_while_scores_are_dealt(backend)
    metric = mm.Accuracy(dist_backend=backend)
    metric.add([1], [1])
    if how == "compute_async":
        compute = lambda: metric.compute_async().result()  # noqa: E731
    elif how == "many":
        compute = partial(last_of_many, metric)
    else:
        compute = metric.compute
    assert compute() == {"top1": 1.0}  # all ranks are there
    if backend.rank == 1:
        if fault == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        if fault == "raises":
            raise ValueError("the data loader broke")
        if fault == "leaves" and backend_name == "torch":
            os._exit(0)  # at once: torch may abort a process that leaves its group behind
        if fault == "leaves":
            return
    try:
        if fault == "raises in the block":
            with metric.evaluation():
                if backend.rank == 1:
                    raise ValueError("the data loader broke")
        elif fault != "rank 0 only" or backend.rank == 0:
            compute()
        else:
            time.sleep(2 * TIMEOUT)  # at other work, until long after rank 0 has given up
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        raise


if __name__ == "__main__":
    main(*sys.argv[1:])
