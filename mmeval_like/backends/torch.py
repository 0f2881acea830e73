"""torch.distributed: gloo, NCCL, and groups that mix them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
import torch
import torch.distributed as dist

from mmeval_like.backends import torch_tensors
from mmeval_like.backends.base import OPERATIONS
from mmeval_like.backends.base_bytes import BytesDistBackend, Description
from mmeval_like.backends.torch_group import Membership
from mmeval_like.backends.torch_lost import call
from mmeval_like.backends.torch_tensors import from_host, to_host
from mmeval_like.packing import Buffer

__all__ = ["TorchCPUDist", "TorchCUDADist", "TorchDist"]

_AVAILABLE: bool = dist.is_available()

# The second name is torch's before 2.13; a build without distributed has neither.
_all_gather_single: Any = getattr(dist, "all_gather_single", None) or getattr(
    dist, "all_gather_into_tensor", None
)

# The group's own method: the checks of the module's function, which these buffers need not pass,
# take a tenth of an exchange. Again the second name is that of older versions.
_GROUP: Any = getattr(dist, "ProcessGroup", None)
_all_to_all: Any = getattr(_GROUP, "all_to_all_single", None) or getattr(
    _GROUP, "alltoall_base", None
)

_FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_SUMMED_ON_DEVICE = (*_FLOATS, torch.int8, torch.uint8, torch.int32, torch.int64)

_CHUNK = 1 << 30  # of what one call carries; some counts are 32 bits wide
_ALONG_TREE = 1 << 16  # up to here all ranks' data goes up to rank 0 and comes down again
_ONE_HOP = 1 << 23  # up to here every rank sends to every other at once; beyond, round a ring
_PADDED = 1 << 18  # up to here one padded all-gather; beyond, gloo's is the slower way
_TAG = 0x6D6D  # our point-to-point messages never match the program's


class TorchDist(BytesDistBackend):
    """The ranks of a torch process group.

    Messages travel on the device of the group's own library: the CPU where the group has a
    library for it (gloo, or the mixed `"cpu:gloo,cuda:nccl"`), else the accelerator (NCCL).
    numpy arrays and torch tensors of any device are taken; tensors come back on the kind of
    device that they came from, without gradients.

    A rank that does not call within the group's timeout (`init_process_group(timeout=)`) makes
    the others raise `SyncTimeoutError`. NCCL does not let an error out of its timeout: it ends
    the process.

    Args:
        group: A process group; None for the default one. A group of its own keeps these
            messages apart from the model's.

    Example:
        >>> backend = TorchDist()
        >>> backend.is_initialized, backend.rank, backend.world_size
        (False, 0, 1)
    """

    device_type: ClassVar[str | None] = None

    def __init__(self, group: Any = None) -> None:
        self._group = group
        self._known: Membership | None = None

    @property
    def is_initialized(self) -> bool:
        """Whether `init_process_group` was called."""
        return _AVAILABLE and dist.group.WORLD is not None

    @property
    def rank(self) -> int:
        """The rank in the group, 0 without one.

        Raises:
            RuntimeError: This process is outside of the group.
        """
        member = self._member()
        return member.rank if member else 0

    @property
    def world_size(self) -> int:
        """The number of ranks in the group, 1 without one."""
        member = self._member()
        return member.world_size if member else 1

    @property
    def transport(self) -> str:
        """What carries the group's messages: "gloo", "nccl", ..."""
        member = self._member()
        return member.library if member else "torch"

    @property
    def native_operations(self) -> frozenset[str]:
        """All operations with gloo; the others have no bitwise ones."""
        member = self._member()
        if member is None:
            return frozenset()
        return frozenset(OPERATIONS if member.library == "gloo" else list(OPERATIONS)[:4])

    # Bytes -------------------------------------------------------------------------------------

    def all_gather_bytes(self, data: Buffer) -> Sequence[Buffer]:
        """Return every rank's `data`, of the same length everywhere, in rank order."""
        member = self._member()
        if member is None:
            return [bytearray(data)]
        size, world_size = len(data), member.world_size
        gloo, total = member.library == "gloo", size * world_size
        if gloo and total <= _ALONG_TREE:
            gathered: Sequence[Buffer] = call(member.group(), member.tree.all_gather, data)
            return gathered
        if gloo and total <= _ONE_HOP:
            # gloo's all-gather passes data round a ring: every rank waits for all before it.
            # To send the same to every rank at once takes one step.
            joined = self._empty(total)
            call(member.group(), _to_all, joined, self._tensor(data).repeat(world_size))
        else:
            joined = self._empty(total)
            call(self._group, _all_gather_single, joined, self._tensor(data))
        whole = joined.cpu().numpy().data
        return [whole[rank * size : (rank + 1) * size] for rank in range(world_size)]

    def all_gather_ragged_bytes(self, data: Buffer, lengths: Sequence[int]) -> Sequence[Buffer]:
        """Return every rank's `data`, of any known lengths, in rank order."""
        longest = max(lengths)
        if not self.is_initialized or longest <= _PADDED:
            padded = bytearray(longest)
            padded[: len(data)] = data
            parts = self.all_gather_bytes(padded)
            return [part[:length] for part, length in zip(parts, lengths, strict=True)]
        rank = self.rank
        tensors = {r: self._empty(length) for r, length in enumerate(lengths)}
        tensors[rank] = self._tensor(data)
        self._pass(dist.broadcast, tensors, async_op=True)
        return [
            bytearray(data) if r == rank else tensor.cpu().numpy().data
            for r, tensor in tensors.items()
        ]

    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        """Return rank `src`'s `data` on every rank."""
        if not self.is_initialized:
            return data or b""
        whole = self._empty(length) if data is None else self._tensor(data)
        self._pass(dist.broadcast, {src: whole}, async_op=True)
        return whole.cpu().numpy().data if data is None else data

    def gather_bytes(
        self, data: Buffer, lengths: Sequence[int], dst: int = 0
    ) -> Sequence[Buffer] | None:
        """Return every rank's `data` on rank `dst`, None elsewhere."""
        rank = self.rank
        if rank != dst:
            self._pass(dist.isend, {dst: self._tensor(data)}, tag=_TAG)
            return None
        parts = {r: self._empty(length) for r, length in enumerate(lengths) if r != dst}
        self._pass(dist.irecv, parts, tag=_TAG)
        return [
            bytearray(data) if r == rank else parts[r].cpu().numpy().data
            for r in range(len(lengths))
        ]

    def scatter_bytes(
        self, parts: Sequence[Buffer] | None, lengths: Sequence[int], src: int = 0
    ) -> Buffer:
        """Return element r of rank `src`'s `parts` on rank r."""
        if parts is not None:
            others = {r: self._tensor(part) for r, part in enumerate(parts) if r != src}
            self._pass(dist.isend, others, tag=_TAG)
            return bytearray(parts[src])
        mine = self._empty(lengths[self.rank])
        self._pass(dist.irecv, {src: mine}, tag=_TAG)
        received: Buffer = mine.cpu().numpy().data
        return received

    def reduce_flat(self, array: np.ndarray, op: str, dst: int | None) -> np.ndarray | None:
        """Combine flat arrays element by element."""
        result = torch.from_numpy(array.copy()).to(self._device)
        for part in result.split(_CHUNK):
            if dst is None:
                call(self._group, dist.all_reduce, part, _operation(op))
            else:
                call(self._group, dist.reduce, part, self._global(dst), _operation(op))
        return result.cpu().numpy() if dst in (None, self.rank) else None

    # Tensors -----------------------------------------------------------------------------------

    def accepts(self, array: Any) -> bool:
        """Whether it is a numpy array or a dense torch tensor."""
        if isinstance(array, torch.Tensor):
            return torch_tensors.is_dense(array)
        return super().accepts(array)

    def describe(self, array: Any) -> tuple[Description, Buffer] | None:
        """Return an array or a dense tensor as a description and its memory."""
        if isinstance(array, torch.Tensor):
            return torch_tensors.describe(array)
        return super().describe(array)

    def rebuild(self, description: Description, data: Buffer, *, copy: bool) -> Any:
        """Return the array, or the tensor on the kind of device that it came from."""
        if len(description) == 2:
            return super().rebuild(description, data, copy=copy)
        raw = super().rebuild(("|u1", (len(data),)), data, copy=copy)
        return torch_tensors.rebuild(description, raw)

    def all_reduce(self, array: Any, op: str = "sum") -> Any:
        """Combine equally shaped arrays or tensors; sums stay on the accelerator they are on."""
        if not isinstance(array, torch.Tensor):
            return super().all_reduce(array, op)
        if self._stays(array, op):
            result = array.detach().clone(memory_format=torch.contiguous_format)
            call(self._group, dist.all_reduce, result, _operation(op))
            return result
        return from_host(super().all_reduce(to_host(array), op), array)

    def reduce(self, array: Any, dst: int = 0, op: str = "sum") -> Any | None:
        """As `all_reduce`, with the result on rank `dst` only and None on the others."""
        if not isinstance(array, torch.Tensor):
            return super().reduce(array, dst, op)
        if self._stays(array, op):
            result = self.all_reduce(array, op)
            return result if self.rank == dst else None
        reduced = super().reduce(to_host(array), dst, op)
        return None if reduced is None else from_host(reduced, array)

    def reduce_scatter(self, arrays: Sequence[Any], op: str = "sum") -> Any:
        """Return on rank r the reduction over the ranks of every list's element r."""
        if not any(isinstance(array, torch.Tensor) for array in arrays):
            return super().reduce_scatter(arrays, op)
        reduced = super().reduce_scatter([to_host(array) for array in arrays], op)
        return from_host(reduced, arrays[self.rank])

    # What the group is -------------------------------------------------------------------------

    def _member(self) -> Membership | None:
        """This process's place in the group; None where torch is not initialised."""
        world = dist.group.WORLD if _AVAILABLE else None
        if world is None:
            return None
        group = self._group or world
        known = self._known
        if known is None or known.group() is not group:
            known = self._known = Membership(group, self.device_type, type(self).__name__)
        return known

    @property
    def _device(self) -> torch.device:
        member = self._member()
        return member.device if member else torch.device("cpu")

    def _stays(self, array: torch.Tensor, op: str) -> bool:
        on_device = array.device.type == self._device.type != "cpu"
        return on_device and op in ("sum", "product") and array.dtype in _SUMMED_ON_DEVICE

    def _global(self, rank: int) -> int:
        # torch's collectives name ranks by their place in the default group.
        return rank if self._group is None else dist.get_global_rank(self._group, rank)

    def _empty(self, length: int) -> torch.Tensor:
        return torch.empty(length, dtype=torch.uint8, device=self._device)

    def _tensor(self, data: Buffer) -> torch.Tensor:
        if not len(data):
            return self._empty(0)
        # torch takes no read-only memory.
        view = memoryview(data)
        view = memoryview(bytearray(view)) if view.readonly else view
        return torch.frombuffer(view, dtype=torch.uint8).to(self._device)

    def _pass(self, function: Any, messages: Mapping[int, torch.Tensor], **options: Any) -> None:
        """Start a call with every peer, in chunks, and wait for all."""
        pending = [
            partial(function, chunk, self._global(peer), **options)
            for peer, tensor in messages.items()
            for chunk in (tensor.split(_CHUNK) if len(tensor) else ())
        ]
        call(self._group, _finish, pending)


def _to_all(received: torch.Tensor, sent: torch.Tensor, group: Any) -> None:
    _all_to_all(group, received, sent, [], []).wait()


def _finish(pending: Sequence[Any], group: Any) -> None:
    for work in [start(group=group) for start in pending]:
        work.wait()


def _operation(op: str) -> Any:
    return getattr(dist.ReduceOp, op.upper())


class TorchCPUDist(TorchDist):
    """As `TorchDist`, with messages on the CPU in any case."""

    device_type = "cpu"


class TorchCUDADist(TorchDist):
    """As `TorchDist`, with messages on the current CUDA device in any case."""

    device_type = "cuda"
