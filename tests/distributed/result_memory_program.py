"""A large result for a rank 1 with little memory: ``result_memory_program.py BACKEND``."""

import resource
import time

import numpy as np

import mmeval_like as mm
from tests.distributed.fault_program import TIMEOUT, connect
from tests.distributed.memory_program import limit_memory

ROOMS = [1, 9, 17, 25]  # MiB: for nothing, and for one, two or three times the result


class Long(mm.BaseMetric):
    """A result of 8 MiB, made of rows that are gathered on rank 0."""

    kept = mm.state.cat(np.int64)

    def rows(self, values):
        """Every value."""
        return {"kept": np.asarray(values)}

    def compute_metric(self, results):
        """The sum, and a long array."""
        return {"sum": int(results.kept.sum()), "long": np.arange(1 << 20)}


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
        assert len(found["long"]) == 1 << 20
    print("end", flush=True)


if __name__ == "__main__":
    import sys

    main(connect(*sys.argv[1:]))
