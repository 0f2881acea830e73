"""Four ranks, of which some talk among themselves: ``group_program.py BACKEND``."""

import sys

import numpy as np

from mmeval_like.backends import BaseDistBackend, get_dist_backend
from mmeval_like.testing import check_backend


def main(name: str) -> None:
    """The library's own world is chosen; a group is a world of its own; messages stay apart."""
    if name == "torch":
        import torch.distributed

        torch.distributed.init_process_group("gloo")
        of_torch()
        torch.distributed.destroy_process_group()
    else:
        of_mpi()


def of_torch() -> None:
    """A torch group of the odd ranks, while the others hold another."""
    import torch
    import torch.distributed as dist

    from mmeval_like.backends.torch import TorchDist

    assert isinstance(get_dist_backend(), TorchDist)
    rank = dist.get_rank()
    odd, even = dist.new_group([1, 3]), dist.new_group([2, 0])
    check_group(TorchDist(odd if rank % 2 else even))
    outside = TorchDist(even if rank % 2 else odd)
    refused = ""
    try:
        outside.all_gather_object(rank)
    except RuntimeError as error:
        refused = str(error)
    assert f"rank {rank} is outside of the process group" in refused
    # The program's own message waits while ours pass.
    message = torch.tensor(float(rank))
    waiting = [dist.isend(message, 3)] if rank == 0 else []
    waiting += [dist.irecv(message, 0)] if rank == 3 else []
    apart(get_dist_backend())
    for work in waiting:
        work.wait()
        assert message.item() == 0


def of_mpi() -> None:
    """An MPI communicator of the odd ranks, while the others hold another."""
    from mpi4py import MPI

    from mmeval_like.backends.mpi4py import MPI4PyDist

    assert isinstance(get_dist_backend(), MPI4PyDist)
    world = MPI.COMM_WORLD
    check_group(MPI4PyDist(world.Split(world.rank % 2)))
    waiting = world.irecv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
    apart(get_dist_backend())
    pending = world.isend("for the program", (world.rank + 1) % world.size)
    assert waiting.wait() == "for the program"
    pending.wait()


def check_group(backend: BaseDistBackend) -> None:
    """Two of the four ranks keep all laws, with ranks of their own."""
    assert backend.world_size == 2
    check_backend(backend)


def apart(backend: BaseDistBackend) -> None:
    """Objects of every path, from and to every rank."""
    size = backend.world_size
    for length in (1, 5000, 500_000):
        mine = np.full(length * (backend.rank + 1), backend.rank)
        assert [len(part) for part in backend.all_gather(mine)] == [
            length * (rank + 1) for rank in range(size)
        ]
        for root in range(size):
            gathered = backend.gather_object(mine, root)
            assert gathered is None or len(gathered) == size
            assert len(backend.broadcast_object(mine, root)) == length * (root + 1)


if __name__ == "__main__":
    main(sys.argv[1])
