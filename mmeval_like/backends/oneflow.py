"""OneFlow's collectives, on CPU tensors. Importing this module imports and initialises OneFlow."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import oneflow as flow

from mmeval_like.backends.base_bytes import BytesDistBackend, Description
from mmeval_like.backends.oneflow_end import Watch, leave_after_failure
from mmeval_like.packing import Buffer

__all__ = ["OneFlowDist"]

_CHUNK = 1 << 28  # elements that one call carries; some counts are 32 bits wide
_PADDED = 1 << 18  # bytes up to which one padded all-gather beats a broadcast from each rank

if flow.env.get_world_size() > 1:
    leave_after_failure()


class OneFlowDist(BytesDistBackend):
    """The ranks that OneFlow's launcher started.

    OneFlow's public collectives carry bytes and sums; everything else is built on these. numpy
    arrays and local OneFlow tensors of any device are taken; tensors come back on the kind of
    device that they came from, without gradients. Messages travel through the CPU.

    OneFlow can be called from the main thread only, and a call cannot be interrupted: where
    other libraries raise, the process ends. See docs/backends/oneflow.md.

    Args:
        timeout: After how many seconds in a call this process ends, with a
            text that says what it waited for, and its stacks; None waits for ever.

    Raises:
        ValueError: The timeout is not positive.
    """

    native_operations = frozenset({"sum"})

    def __init__(self, timeout: float | None = 1800.0) -> None:
        if timeout is not None and not timeout > 0:
            raise ValueError(f"timeout must be positive or None, got {timeout}")
        self._watch = Watch(timeout)

    @property
    def is_initialized(self) -> bool:
        """Whether OneFlow was started with several ranks."""
        return self.world_size > 1

    @property
    def rank(self) -> int:
        """OneFlow's rank."""
        return int(flow.env.get_rank())

    @property
    def world_size(self) -> int:
        """OneFlow's number of ranks."""
        return int(flow.env.get_world_size())

    def barrier(self) -> None:
        """Return once every rank has called."""
        _main_thread_only()
        with self._watch.over("barrier"):
            flow.comm.barrier()

    # Bytes -------------------------------------------------------------------------------------
    # OneFlow's send and recv stay out: a collective that follows takes their messages for its own
    # and aborts ("Check failed: stat->size <= max_size").

    def all_gather_bytes(self, data: Buffer) -> Sequence[Buffer]:
        """Return every rank's `data`, of the same length everywhere, in rank order."""
        mine = np.frombuffer(data, np.uint8)
        joined = np.empty((self.world_size, mine.size), np.uint8)
        for part in _chunks(mine.size):
            sent = flow.tensor(mine[part])
            gathered = flow.empty(len(joined) * sent.numel(), dtype=flow.uint8)
            _main_thread_only()
            with self._watch.over(f"all_gather of {mine.size} bytes"):
                flow.comm.all_gather_into_tensor(gathered, sent)
                joined[:, part] = gathered.numpy().reshape(len(joined), -1)
        return [row.data for row in joined]

    def all_gather_ragged_bytes(self, data: Buffer, lengths: Sequence[int]) -> Sequence[Buffer]:
        """Return every rank's `data`, of any known lengths, in rank order."""
        longest = max(lengths)
        if longest > _PADDED:
            return super().all_gather_ragged_bytes(data, lengths)
        padded = bytearray(longest)
        padded[: len(data)] = data
        parts = self.all_gather_bytes(padded)
        return [part[:length] for part, length in zip(parts, lengths, strict=True)]

    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        """Return rank `src`'s `data` on every rank."""
        whole = np.empty(length, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        for part in _chunks(length):
            tensor = flow.tensor(whole[part])
            _main_thread_only()
            with self._watch.over(f"broadcast of {length} bytes from rank {src}"):
                flow.comm.broadcast(tensor, src)
                if data is None:
                    whole[part] = tensor.numpy()
        return whole.data if data is None else data

    def reduce_flat(self, array: np.ndarray, op: str, dst: int | None) -> np.ndarray | None:
        """Sum flat arrays element by element."""
        result = np.empty_like(array)
        for part in _chunks(array.size):
            tensor = flow.tensor(array[part])
            _main_thread_only()
            with self._watch.over(f"all_reduce of {array.size} {array.dtype}"):
                flow.comm.all_reduce(tensor)
                result[part] = tensor.numpy()
        return result if dst in (None, self.rank) else None

    # Tensors -----------------------------------------------------------------------------------

    def accepts(self, array: Any) -> bool:
        """Whether it is a numpy array or a local OneFlow tensor that OneFlow can compute with."""
        if not isinstance(array, flow.Tensor):
            return isinstance(array, np.ndarray)
        return bool(array.is_local and array.dtype != flow.bfloat16)

    def describe(self, array: Any) -> tuple[Description, Buffer] | None:
        """Return an array or a local tensor as a description and its memory."""
        if not isinstance(array, flow.Tensor):
            return super().describe(array)
        host = _to_host(array)
        (code, shape), data = super().describe(host) or ((), b"")
        name = str(array.dtype).removeprefix("oneflow.")
        return (code, shape, name, array.device.type), data

    def rebuild(self, description: Description, data: Buffer, *, copy: bool) -> Any:
        """Return the array, or the tensor on the kind of device that it came from."""
        host = super().rebuild(description[:2], data, copy=copy)
        if len(description) == 2:
            return host
        return flow.tensor(host, dtype=getattr(flow, description[2]), device=description[3])

    def all_reduce(self, array: Any, op: str = "sum") -> Any:
        """Combine equally shaped arrays or tensors, element by element."""
        return _like(super().all_reduce(_to_host(array), op), array)

    def reduce(self, array: Any, dst: int = 0, op: str = "sum") -> Any | None:
        """As `all_reduce`, with the result on rank `dst` only and None on the others."""
        return _like(super().reduce(_to_host(array), dst, op), array)

    def reduce_scatter(self, arrays: Sequence[Any], op: str = "sum") -> Any:
        """Return on rank r the reduction over the ranks of every list's element r."""
        reduced = super().reduce_scatter([_to_host(array) for array in arrays], op)
        return _like(reduced, arrays[self.rank])


def _main_thread_only() -> None:
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("OneFlow's collectives must be called from the main thread")


def _chunks(size: int) -> list[slice]:
    return [slice(start, min(start + _CHUNK, size)) for start in range(0, size, _CHUNK)]


def _to_host(array: Any) -> Any:
    if not isinstance(array, flow.Tensor):
        return array
    if not array.is_local:
        raise TypeError("a global OneFlow tensor has no rank's own data; pass tensor.to_local()")
    return array.detach().cpu().numpy()  # bfloat16 as float32


def _like(host: Any, array: Any) -> Any:
    if host is None or not isinstance(array, flow.Tensor):
        return host
    return flow.tensor(host, dtype=array.dtype, device=array.device)
