"""A large result for a rank 1 with little memory: ``result_memory_program.py BACKEND``."""

import resource
import time

import numpy as np

import mmeval_like as mm
from tests.distributed.fault_program import TIMEOUT, connect
from tests.distributed.memory_program import limit_memory

LONG = 40  # MiB: an array that malloc takes from the system, whatever was freed before
# MiB: for none of the results, or one to three; and for two and the margin that is asked for
ROOMS = [1, LONG + 1, 2 * LONG + 1, 2 * LONG + 8, 3 * LONG + 1]


class Long(mm.BaseMetric):
    """A large result, made of rows that are gathered on rank 0."""

    kept = mm.state.cat(np.int64)

    def rows(self, values):
        """Every value."""
        return {"kept": np.asarray(values)}

    def compute_metric(self, results):
        """The sum, and a long array."""
        return {"sum": int(results.kept.sum()), "long": np.arange(LONG << 17)}


def main(backend):
    """Compute with a limit on rank 1, and then without."""
    metric = Long(dist_backend=backend)
    metric.add([backend.rank])
    assert metric.compute()["sum"] == 3
    for room in ROOMS:
        if backend.rank == 1:
            limit_memory(room << 20)
        started = time.monotonic()
        try:
            print(room, metric.compute()["sum"] == 3, flush=True)
        except Exception as error:
            print(room, f"{type(error).__name__}: {error}", flush=True)
        assert time.monotonic() - started < TIMEOUT, "the others waited"
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        found = metric.compute()
        assert found["sum"] == 3
        assert len(found["long"]) == LONG << 17
    print("end", flush=True)


if __name__ == "__main__":
    import sys

    main(connect(*sys.argv[1:]))
