"""What backends have in common, and MPI's communicators."""

import numpy as np
import pytest

from mmeval_like.backends import BaseDistBackend
from mmeval_like.testing import LocalWorld
from tests.helpers import require_installed
from tests.helpers.launch import run_ranks

# What the network carries, for small and for large objects.
EXCHANGES = {
    "all_gather_object": (
        lambda backend, n: backend.all_gather_object("x" * n),
        {"all_gather_bytes": 1},
        {"all_gather_bytes": 1, "all_gather_ragged_bytes": 1},
    ),
    "all_gather": (
        lambda backend, n: backend.all_gather(np.ones(n, "u1")),
        {"all_gather_bytes": 1},
        {"all_gather_bytes": 1, "all_gather_ragged_bytes": 1},
    ),
    "gather_object": (
        lambda backend, n: backend.gather_object("x" * n, 1),
        {"all_gather_bytes": 1},
        {"all_gather_bytes": 1, "gather_bytes": 1},
    ),
    "broadcast_object": (
        lambda backend, n: backend.broadcast_object("x" * n, 2),
        {"broadcast_bytes": 1},
        {"broadcast_bytes": 2},
    ),
    "all_reduce": (
        lambda backend, n: backend.all_reduce(np.ones(n)),
        {"all_reduce": 1},
        {"all_reduce": 1},
    ),
    "reduce": (
        lambda backend, n: backend.reduce(np.ones(n), 1),
        {"reduce": 1},
        {"reduce": 1},
    ),
    "reduce_scatter": (
        lambda backend, n: backend.reduce_scatter([np.ones(n + rank) for rank in range(3)]),
        {"all_reduce": 1},
        {"all_reduce": 1},
    ),
    "barrier": (
        lambda backend, n: backend.barrier(),
        {"all_gather_bytes": 1},
        {"all_gather_bytes": 1},
    ),
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_number_of_exchanges(name: str) -> None:
    """Small objects take one exchange, large ones two; arithmetic takes one whatever its size."""
    call, small, large = EXCHANGES[name]
    world = LocalWorld(3)
    for length, expected in [(10, small), (5000, large)]:
        world.run(lambda backend, n=length: call(backend, n))

        assert world.calls == [expected] * 3


def test_members_are_enough() -> None:
    """On a five-member backend every other call is one of its two collectives."""
    world = LocalWorld(3, members_only=True)

    def work(backend: BaseDistBackend) -> None:
        backend.all_reduce(np.ones(2), "max")
        backend.reduce(np.ones(2), 1)
        backend.gather(np.ones(2))
        backend.scatter([np.ones(2)] * 3)
        backend.barrier()

    world.run(work)

    assert world.calls == [{"all_gather_object": 4, "broadcast_object": 1}] * 3


def test_large_arrays_are_not_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of an array travels as it is."""
    pickled = []
    monkeypatch.setattr("mmeval_like.backends.wire.packing.dumps", pickled.append)

    LocalWorld(2).run(lambda backend: backend.all_gather(np.ones(10_000)))

    assert pickled == []


MISMATCH = """
import os
from mpi4py import MPI
from mmeval_like.backends import get_dist_backend

assert MPI.COMM_WORLD.size == 1
assert get_dist_backend().world_size == 1
os.environ.update(OMPI_COMM_WORLD_RANK="2", OMPI_COMM_WORLD_SIZE="4")
for name in ("mpi4py", None):
    from mmeval_like.backends.mpi4py.world import check_world
    check_world.cache_clear()
    try:
        get_dist_backend(name).world_size
    except RuntimeError as error:
        print(type(error).__name__, error)
"""


@pytest.mark.mpi
def test_launcher_of_another_mpi(tmp_path: object) -> None:
    """Four processes that each see a world of one are an error that names both sides."""
    require_installed("mpi4py", "mpiexec")
    program = tmp_path / "program.py"
    program.write_text(MISMATCH)

    (printed,) = run_ranks("mpiexec", 1, program).stdout

    lines = printed.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("LauncherMismatchError mpiexec of Open MPI started 4 processes")
        assert "sees a world of 1" in line


@pytest.mark.mpi
def test_mpi_communicators(tmp_path: object) -> None:
    """Only an intracommunicator that contains this process has ranks."""
    require_installed("mpi4py", "mpiexec")
    program = tmp_path / "program.py"
    program.write_text(
        "from mpi4py import MPI\n"
        "from mmeval_like.backends.mpi4py import MPI4PyDist\n"
        "assert MPI4PyDist(MPI.COMM_SELF).all_gather_object(1) == [1]\n"
        "try: MPI4PyDist(MPI.COMM_NULL)\n"
        "except ValueError as error: print(error)\n"
        "MPI.Finalize()\n"
        "assert MPI4PyDist().world_size == 1\n"
        "try: MPI4PyDist().all_gather_object(1)\n"
        "except RuntimeError as error: print(error)\n"
    )

    (printed,) = run_ranks("mpiexec", 1, program).stdout

    assert printed.splitlines() == [
        "comm must be an intracommunicator that contains this process",
        "MPI is not initialised, or already finalised",
    ]


GROUPS_OF_MPI = """
import pickle
from mpi4py import MPI
from mmeval_like.backends.mpi4py import MPI4PyDist

world, other = MPI4PyDist(timeout=9), MPI4PyDist(MPI.COMM_WORLD)
assert world.all_gather_object(1) == other.all_gather_object(1) == [1, 1]
assert world.group is other.group is pickle.loads(pickle.dumps(world)).group
assert pickle.loads(pickle.dumps(world))._timeout == 9
assert other._timeout == 1800  # MPI itself waits for ever
for _ in range(2):
    part = MPI.COMM_WORLD.Dup()
    backend = MPI4PyDist(part)
    assert backend.group is MPI4PyDist(part).group is not world.group
    assert not hasattr(backend.group, "seen")
    backend.group.seen = True
    part.Free()
"""


@pytest.mark.mpi
def test_groups_of_mpi(tmp_path: object) -> None:
    """Backends of one communicator share its identity; a later communicator has its own."""
    require_installed("mpi4py", "mpiexec")
    program = tmp_path / "program.py"
    program.write_text(GROUPS_OF_MPI)

    run_ranks("mpiexec", 2, program)


PIECES_OF_MPI = """
import random
from mmeval_like.backends import base_bytes
from mmeval_like.backends.mpi4py import MPI4PyDist, backend as module

base_bytes._PADDED, module._MOST = 16, 100  # as if these were 1 MiB and 1 GiB
backend, sizes, wait = MPI4PyDist(timeout=60), [], module.wait
module.wait = lambda begin, size, *others: (sizes.append(size), wait(begin, size, *others))
for lengths in ([0, 0, 0], [30, 30, 30], [31, 62, 93], [500, 0, 0], [7, 7, 7], [0, 0, 1000]):
    parts = [random.Random(rank).randbytes(length) for rank, length in enumerate(lengths)]
    mine = parts[backend.rank]
    assert [*map(bytes, backend.all_gather_ragged_bytes(mine, lengths))] == parts
    for root in range(3):
        here = backend.rank == root
        sent = backend.broadcast_bytes(parts[root] if here else None, lengths[root], root)
        assert sent == parts[root]
        assert backend.scatter_bytes(parts if here else None, lengths, root) == mine
        gathered = backend.gather_bytes(mine, lengths, root)
        assert [*map(bytes, gathered)] == parts if here else gathered is None
assert max(sizes) == 100, max(sizes)
"""


@pytest.mark.mpi
def test_long_messages_of_mpi_travel_in_pieces(tmp_path: object) -> None:
    """No call has more bytes than 32 bits count: Open MPI, which is MPI 3, refuses others."""
    require_installed("mpi4py", "mpiexec")
    program = tmp_path / "program.py"
    program.write_text(PIECES_OF_MPI)

    run_ranks("mpiexec", 3, program)


FORKED = """
import os, sys
import mmeval_like as mm
if sys.argv[1] == "mpi4py":
    import mpi4py.MPI
elif sys.argv[1] == "paddle":
    import paddle.distributed
    paddle.distributed.init_parallel_env()
metric = mm.Accuracy(dist_backend=sys.argv[1])
metric.add([1], [1])
if os.fork() == 0:
    try:
        metric.compute()
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
assert metric.compute() == {"top1": 1.0}
"""


@pytest.mark.parametrize(
    ("backend", "launcher"),
    [
        pytest.param("mpi4py", "mpiexec", marks=pytest.mark.mpi),
        ("paddle", "paddle"),
        ("zmq", "plain"),
    ],
)
def test_a_forked_child_is_refused_at_once(tmp_path: object, backend: str, launcher: str) -> None:
    """Its parent's threads and connections are not in it; the parent goes on."""
    require_installed(backend, *(["mpiexec"] if backend == "mpi4py" else []))
    program = tmp_path / "program.py"
    program.write_text(FORKED)

    ranks = run_ranks(
        launcher, 2, program, backend, env={"MMEVAL_LIKE_SECRET": "a secret of tests"}
    )

    for printed in ranks.stdout:
        assert printed.startswith("a forked process (for instance a worker"), str(ranks)
