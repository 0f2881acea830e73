"""A gather to a rank 0 with little memory: ``gather_memory_program.py BACKEND``."""

import resource
import time

import numpy as np

import mmeval_like as mm
from tests.distributed.fault_program import TIMEOUT, connect
from tests.distributed.memory_program import limit_memory

ROWS = 300_000
ROOMS = [16, 20, 22, 24, 26, 28, 32, 36, 44]  # MiB: for this message, for those of all, and more


def main(backend):
    """Compute with a limit on rank 0, and then without."""
    scores = np.random.default_rng(backend.rank).random(ROWS)
    metric = mm.AUROC(dist_backend=backend)
    ids = np.arange(ROWS) + ROWS * backend.rank
    metric.add(scores, scores > 0.5, ids=ids)  # samples with ids are not dealt
    assert metric.compute() == {"auroc": 1.0}
    for room in ROOMS:
        if backend.rank == 0:
            limit_memory(room << 20)
        started = time.monotonic()
        try:
            print(room, metric.compute(), flush=True)
        except Exception as error:
            print(room, f"{type(error).__name__}: {error}", flush=True)
        assert time.monotonic() - started < TIMEOUT, "the others waited"
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert metric.compute() == {"auroc": 1.0}
    print("end", flush=True)


if __name__ == "__main__":
    import sys

    main(connect(*sys.argv[1:]))
