"""torch.distributed: gloo, NCCL, and groups that mix them."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar
from uuid import uuid4

import numpy as np
import torch
import torch.distributed as dist

from mmeval_like.backends.base import OPERATIONS
from mmeval_like.backends.forks import refuse_inherited
from mmeval_like.backends.rounds import cut
from mmeval_like.backends.slot_line import SlotLine
from mmeval_like.backends.torch.group import Membership, reference_to, timeout_of
from mmeval_like.backends.torch.lost import asking, call
from mmeval_like.backends.torch.slot_line import TensorLine
from mmeval_like.backends.torch.tensors import NUMPYS_FLOATS, TorchTensors
from mmeval_like.backends.torch.twin import Twin, may_have_twin
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["TorchCPUDist", "TorchCUDADist", "TorchDist"]

_AVAILABLE: bool = dist.is_available()

# Before 2.13, torch had the second name; a build of torch without `distributed` has neither.
_all_gather_single: Any = getattr(dist, "all_gather_single", None) or getattr(
    dist, "all_gather_into_tensor", None
)

_INTEGERS = (torch.int8, torch.uint8, torch.int32, torch.int64)
_SUMMED_ON_DEVICE = (*NUMPYS_FLOATS, torch.bfloat16, *_INTEGERS)

_TAG = 0x6D6D  # our point-to-point messages never match the program's


class TorchDist(TorchTensors):
    """The ranks of a torch process group.

    Messages travel on the device of the group's library: the CPU if the group has a library for it
    (gloo, or the mixed `"cpu:gloo,cuda:nccl"`), otherwise the accelerator (NCCL). The methods take
    numpy arrays and torch tensors on any device; they return tensors on the same kind of device,
    without gradients.

    If a rank does not call within the group's timeout (`init_process_group(timeout=)`), the others
    raise `SyncTimeoutError`. A group of `new_group` does not have the default group's timeout, but
    torch's 30 minutes, unless `new_group(timeout=)` is given. NCCL does not raise an error after
    its timeout: it ends the process.

    Args:
        group: A process group; None for the default group. A separate group keeps these messages
            apart from the model's. The backend does not keep it alive: after
            `destroy_process_group`, every use raises `RuntimeError`.

    Example:
        >>> backend = TorchDist()
        >>> backend.is_initialized, backend.rank, backend.world_size
        (False, 0, 1)
    """

    chunk = 1 << 30
    device_type: ClassVar[str | None] = None

    _aside = False  # whether a thread other than the program's uses it

    def __init__(self, group: Any = None) -> None:
        self._given = None if group is None else reference_to(group)
        self._known: Membership | None = None
        self._line: TensorLine | None = None

    @property
    def is_initialized(self) -> bool:
        """Whether `init_process_group` was called."""
        return _AVAILABLE and dist.group.WORLD is not None

    @property
    def rank(self) -> int:
        """The rank in the group; 0 if there is no group.

        Raises:
            RuntimeError: This process is not in the group, or the group was destroyed.
        """
        member = self._member()
        return member.rank if member else 0

    @property
    def world_size(self) -> int:
        """The number of ranks in the group; 1 if there is no group.

        Raises:
            RuntimeError: This process is not in the group, or the group was destroyed.
        """
        member = self._member()
        return member.world_size if member else 1

    @property
    def transport(self) -> str:
        """The library that carries the group's messages: "gloo", "nccl", ..."""
        member = self._member()
        return member.library if member else "torch"

    @property
    def native_operations(self) -> frozenset[str]:
        """The operations of the library: all with gloo; other libraries lack the bitwise ones."""
        member = self._member()
        if member is None:
            return frozenset()
        return frozenset(OPERATIONS if member.library == "gloo" else list(OPERATIONS)[:4])

    @property
    def group(self) -> object:
        """The process group; the backend itself if torch is not initialised."""
        member = self._member()
        return member.group() if member else self

    def __reduce__(self) -> tuple[type, tuple[()]]:
        if self._given is not None:
            raise pickle.PicklingError(
                "a process group exists in one process only: give the metric dist_backend='torch' "
                f"before it is pickled, and {type(self).__name__}(group) in the other process"
            )
        return type(self), ()

    def duplicate(self) -> TorchDist:
        """Return a backend with the same ranks, libraries and timeout, but separate connections.

        With gloo, the connections are closed when nothing uses the backend any more; with other
        libraries, when the default group is destroyed.
        """
        refuse_inherited("torch.distributed")
        name = self.meet(uuid4().hex)[0]
        member = self._member()
        if member is not None and may_have_twin(member):
            return _TwinDist(self, Twin(member, name))
        group: Any = self.group
        made = dist.new_group(
            dist.get_process_group_ranks(group),
            timeout=timeout_of(group, self._device),
            backend=str(dist.get_backend_config(group)),
            use_local_synchronization=True,  # ranks outside the group do not take part
        )
        duplicate = type(self)(made)
        duplicate._aside = True
        return duplicate

    def _call(self, collective: Any, *args: Any) -> None:
        call(self.group, self._waited(collective), *args)

    def _waited(self, collective: Any) -> Any:
        """Return the collective as the thread that uses this backend has to call it."""
        return asking(collective) if self._aside else collective

    # Collectives -------------------------------------------------------------------------------

    def slot_line(self) -> SlotLine:
        """Return a line whose tensors are used again while the group exists."""
        member = self._member()
        if member is None:
            return super().slot_line()
        line = self._line
        if line is None or line.busy or line.member is not member:
            line = self._line = TensorLine(member, self._waited(_all_gather_single))
        line.busy = True
        return line

    def gather_into(self, joined: np.ndarray, mine: np.ndarray) -> None:
        """Write every rank's `mine` into `joined`, with one all-gather of torch."""
        received = self._tensor(joined)
        self._call(_all_gather_single, received, self._tensor(mine))
        _fetch(received, joined)

    def broadcast_into(self, array: np.ndarray, src: int) -> None:
        """Write rank `src`'s array into the other ranks' arrays."""
        tensor = self._tensor(array)
        self._call(dist.broadcast, tensor, self._global(src))
        if self.rank != src:
            _fetch(tensor, array)

    def reduce_into(self, array: np.ndarray, op: str) -> None:
        """Replace the array of every rank by the reduction."""
        tensor = self._tensor(array)
        self._call(dist.all_reduce, tensor, _operation(op))
        _fetch(tensor, array)

    def gather_bytes(
        self, data: Buffer, lengths: Sequence[int], dst: int = 0
    ) -> Sequence[Buffer] | None:
        """Return every rank's `data` on rank `dst`, None elsewhere."""
        rank, mine = self.rank, np.frombuffer(data, np.uint8)
        if self._aside:  # the arrival of a point-to-point message cannot be polled
            sent = [data if other == dst else b"" for other in range(self.world_size)]
            arrived = self.all_to_all_bytes(sent)
            return arrived if rank == dst else None
        if rank != dst:
            self._pass(dist.isend, {dst: mine})
            return None
        parts = [np.empty(length, np.uint8) for length in lengths]
        self._pass(dist.irecv, {r: part for r, part in enumerate(parts) if r != rank})
        parts[rank][:] = mine
        return [part.data for part in parts]

    def scatter_bytes(
        self, parts: Sequence[Buffer] | None, lengths: Sequence[int], src: int = 0
    ) -> Buffer:
        """Return element r of rank `src`'s `parts` on rank r."""
        if self._aside:
            return self.all_to_all_bytes(parts or [b""] * self.world_size)[src]
        if parts is not None:
            arrays = {r: np.frombuffer(part, np.uint8) for r, part in enumerate(parts)}
            self._pass(dist.isend, {r: array for r, array in arrays.items() if r != src})
            return bytearray(parts[src])
        mine = np.empty(lengths[self.rank], np.uint8)
        self._pass(dist.irecv, {src: mine})
        return mine.data

    def all_to_all_pieces(
        self, sent: np.ndarray, counts: Sequence[int], room: np.ndarray, lengths: Sequence[int]
    ) -> Sequence[Buffer]:
        """Carry one round of `all_to_all_bytes`, with one all-to-all of torch."""
        if not self.is_initialized:
            return super().all_to_all_pieces(sent, counts, room, lengths)
        received, mine = self._tensor(room), self._tensor(sent)
        self._call(dist.all_to_all_single, received, mine, [*lengths], [*counts])
        _fetch(received, room)
        return [piece.data for piece in cut(room, lengths)]

    def _pass(self, function: Any, messages: Mapping[int, np.ndarray]) -> None:
        """Send to, or receive from, every peer, in chunks, and wait for all messages."""
        tensors = {peer: self._tensor(array) for peer, array in messages.items() if array.size}
        pending = [
            partial(function, chunk, self._global(peer), tag=_TAG)
            for peer, tensor in tensors.items()
            for chunk in tensor.split(self.chunk)
        ]
        self._call(_point_to_point, pending)
        for peer, tensor in tensors.items() if function is dist.irecv else ():
            _fetch(tensor, messages[peer])

    def all_reduce(self, array: Any, op: str = "sum") -> Any:
        """Combine equally shaped arrays or tensors; sums and products stay on the accelerator."""
        if not self._stays(array, op):
            return super().all_reduce(array, op)
        result = array.detach().clone(memory_format=torch.contiguous_format)
        self._call(dist.all_reduce, result, _operation(op))
        return result

    def _stays(self, array: Any, op: str) -> bool:
        kind = array.device.type if isinstance(array, torch.Tensor) else "cpu"
        on_device = kind != "cpu" and kind == self._device.type
        return on_device and op in ("sum", "product") and array.dtype in _SUMMED_ON_DEVICE

    # The group ---------------------------------------------------------------------------------

    def _member(self) -> Membership | None:
        """Return this process's place in the group; None if torch is not initialised."""
        group = dist.group.WORLD if _AVAILABLE else None
        if self._given is not None:
            group = self._living(group, self._given())
        elif group is None:
            return None
        if self._known is None or self._known.group() is not group:
            self._known = Membership(group, self.device_type, type(self).__name__)
        return self._known

    def _living(self, world: Any, group: Any) -> Any:
        """Return the group that was given to this backend; raise an error if it was destroyed."""
        try:
            if world is None or group is None:
                raise ValueError("torch holds it no more")
            dist.get_rank(group)
        except ValueError as error:
            raise RuntimeError(
                f"the process group given to {type(self).__name__} was destroyed ({error}); give "
                'the metric a group that exists, or dist_backend="non_dist" for this process alone'
            ) from error
        return group

    @property
    def _device(self) -> torch.device:
        member = self._member()
        return member.device if member else torch.device("cpu")

    def _global(self, rank: int) -> int:
        # torch's collectives take ranks of the default group.
        return rank if self._given is None else dist.get_global_rank(self._given(), rank)

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        """Return a tensor on the group's device; on the CPU it shares a writable array's memory."""
        return torch.from_numpy(array if array.flags.writeable else array.copy()).to(self._device)


def _fetch(tensor: torch.Tensor, array: np.ndarray) -> None:
    if tensor.device.type != "cpu":  # a tensor on the CPU shares the array's memory
        torch.from_numpy(array).copy_(tensor)


def _point_to_point(pending: Sequence[Any], group: Any) -> None:
    for work in [start(group=group) for start in pending]:
        work.wait()


def _operation(op: str) -> Any:
    return getattr(dist.ReduceOp, op.upper())


class _TwinDist(TorchDist):
    """The ranks of a torch group, with connections that torch does not manage."""

    _aside = True

    def __init__(self, parent: TorchDist, twin: Twin) -> None:
        super().__init__(parent.group)
        self._twin = twin

    def _member(self) -> Any:
        super()._member()  # raises an error if the group was destroyed
        return self._twin

    def _global(self, rank: int) -> int:
        return rank


class TorchCPUDist(TorchDist):
    """A `TorchDist` whose messages always travel on the CPU."""

    device_type = "cpu"


class TorchCUDADist(TorchDist):
    """A `TorchDist` whose messages always travel on the current CUDA device."""

    device_type = "cuda"
