"""Groups of torch in one process: which one is used, on which device, and which tensors."""

import gc
import pickle
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from tests.helpers import requires


@pytest.fixture
def one_rank_of_gloo() -> Iterator[None]:
    """A process group with this process alone."""
    dist = requires("torch.distributed")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def test_torch_follows_the_group(one_rank_of_gloo: None) -> None:
    """Gloo means the CPU, natively in all operations; without a group there is one rank."""
    import torch.distributed as dist

    from mmeval_like.backends.torch import TorchCPUDist, TorchDist

    for backend in (TorchDist(), TorchCPUDist(), TorchDist(dist.group.WORLD)):
        assert (backend.is_initialized, backend.rank, backend.world_size) == (True, 0, 1)
        assert "bxor" in backend.native_operations
        assert backend.all_gather_object("mine") == ["mine"]


def test_the_default_device_of_torch_is_no_matter(one_rank_of_gloo: None) -> None:
    """Messages travel on the group's own device, wherever the program makes its tensors."""
    import torch

    from mmeval_like.backends.torch import TorchDist

    backend = TorchDist()
    tensors = [torch.ones(0), torch.ones(2)]
    torch.set_default_device("meta")
    try:
        assert [bytes(part) for part in backend.all_gather_bytes(b"some")] == [b"some"]
        assert [backend.all_gather(t)[0].device.type for t in tensors] == ["cpu", "cpu"]
    finally:
        torch.set_default_device(None)


def test_torch_without_a_group_is_alone() -> None:
    """Before init_process_group every collective is that of one rank."""
    torch = requires("torch")
    from mmeval_like.backends.torch import TorchDist

    backend = TorchDist()

    assert (backend.is_initialized, backend.rank, backend.world_size) == (False, 0, 1)
    assert backend.all_reduce(torch.tensor([1, 2])).tolist() == [1, 2]
    assert backend.broadcast_object({"a": 1}) == {"a": 1}
    assert backend.reduce_scatter([np.ones(3)]).tolist() == [1, 1, 1]


def test_torch_cuda_needs_it(one_rank_of_gloo: None) -> None:
    """Where CUDA is asked for and not there, the error says what to do."""
    import torch

    from mmeval_like.backends.torch import TorchCUDADist

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    with pytest.raises(RuntimeError, match=r"TorchCUDADist needs .*'cuda'.*cpu:gloo,cuda:nccl"):
        TorchCUDADist().all_gather_object(1)


def test_torch_takes_dense_tensors_only(one_rank_of_gloo: None) -> None:
    """Sparse tensors are objects, not arrays."""
    import torch

    from mmeval_like.backends.torch import TorchDist

    sparse = torch.eye(3).to_sparse()
    backend = TorchDist()

    assert backend.accepts(torch.ones(2))
    assert not backend.accepts(sparse)
    assert backend.all_gather_object(sparse)[0].to_dense().tolist() == torch.eye(3).tolist()


def test_a_group_made_anew_is_another(one_rank_of_gloo: None) -> None:
    """Backends of one torch group share its identity; a group that follows has one of its own."""
    import torch.distributed as dist

    from mmeval_like.backends.torch import TorchCPUDist, TorchDist

    first, sub = dist.group.WORLD, dist.new_group([0])
    assert TorchDist().group is TorchCPUDist(dist.group.WORLD).group is first
    assert TorchDist(sub).group is sub
    counts = weakref.WeakKeyDictionary({TorchDist().group: 1})
    del first, sub
    dist.destroy_process_group()
    gc.collect()
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)

    assert TorchDist().group not in counts
    assert not counts  # and the old one is gone


def test_backends_are_pickled_by_their_arguments(one_rank_of_gloo: None) -> None:
    """Before and after an exchange; a group of one process is refused by an error that says so."""
    import torch.distributed as dist

    from mmeval_like.backends.torch import TorchCPUDist, TorchDist

    for backend in (TorchDist(), TorchCPUDist()):
        backend.all_gather_object("mine")
        copy = pickle.loads(pickle.dumps(backend))
        assert (type(copy), copy.group) == (type(backend), backend.group)
    with pytest.raises(pickle.PicklingError, match="exists in one process only"):
        pickle.dumps(TorchDist(dist.group.WORLD))
