"""An all-to-all on a rank with little memory: ``memory_program.py BACKEND``."""

import resource
import sys
import time

from tests.distributed.fault_program import TIMEOUT, connect

PART = 6 << 20
ROOMS = [4, 12, 20, 22, 24, 28, 34, 40, 46, 52]  # MiB: for less or more of what it takes


def limit_memory(room):
    """Let this process take so many bytes more than it has."""
    with open("/proc/self/statm") as pages:
        size = int(pages.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + room, resource.RLIM_INFINITY))


def lift_limit():
    """Let this process take any memory: only the exchange has a limit, what checks it has none."""
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def limited_in_rounds(backend):
    """Let the memory end once a rank can no longer say so: after all have announced lengths."""
    carry, calls = backend.all_to_all_pieces, []

    def limited(*arguments):
        calls.append(None)
        if backend.rank == 1 and len(calls) == 2:
            limit_memory(4 << 20)
        return carry(*arguments)

    backend.all_to_all_pieces = limited
    return backend


def main(name):
    """Exchange with a limit on rank 1, and then without."""
    backend = connect(name)
    ranks = range(backend.world_size)
    parts = [bytes([16 * backend.rank + rank]) * PART for rank in ranks]
    check(backend, backend.all_to_all_bytes(parts))  # the library starts what it needs
    for room in ROOMS:
        if backend.rank == 1:
            limit_memory(room << 20)
        started = time.monotonic()
        try:
            arrived = backend.all_to_all_bytes(parts)
        except Exception as error:
            lift_limit()
            print(f"{room} {type(error).__name__}: {error}", flush=True)
        else:
            lift_limit()
            check(backend, arrived)
            print(f"{room} right", flush=True)
            del arrived
        assert time.monotonic() - started < TIMEOUT, "the others waited"
        check(backend, backend.all_to_all_bytes(parts))
    started = time.monotonic()
    try:
        arrived = limited_in_rounds(backend).all_to_all_bytes(parts)
    except Exception as error:  # the library itself has no memory, and says so to all ranks
        lift_limit()
        print(f"in the rounds: {type(error).__name__}", flush=True)
    else:
        lift_limit()
        check(backend, arrived)
    assert time.monotonic() - started < TIMEOUT, "the others waited"
    if "mpi4py.MPI" in sys.modules:
        print(sys.modules["mpi4py.MPI"].Get_library_version().partition(",")[0], flush=True)
    print("end", flush=True)


def check(backend, arrived):
    """Every rank sent its own bytes."""
    for rank, part in enumerate(arrived):
        assert bytes(part) == bytes([16 * rank + backend.rank]) * PART


if __name__ == "__main__":
    main(*sys.argv[1:])
