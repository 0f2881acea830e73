"""OneFlow's collectives, on CPU tensors. Importing this module imports and initialises OneFlow."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import oneflow as flow

from mmeval_like.backends.base import check_timeout
from mmeval_like.backends.base_tensors import TensorDistBackend
from mmeval_like.backends.forks import refuse_inherited
from mmeval_like.backends.oneflow.end import leave_after_failure, limited

__all__ = ["OneFlowDist"]

if flow.env.get_world_size() > 1:
    leave_after_failure()


class OneFlowDist(TensorDistBackend):
    """The ranks that OneFlow's launcher started.

    OneFlow's public collectives carry bytes and sums; all other operations are built on these. The
    methods take numpy arrays and local OneFlow tensors on any device; they return tensors on the
    same kind of device, without gradients. Messages travel through the CPU.

    OneFlow can be called from the main thread only, and a call cannot be interrupted: where
    other libraries raise an error, the process ends. See docs/backends/oneflow.md.

    Args:
        timeout: Seconds in one call after which this process ends, and prints what it waited for
            and its stack traces; None waits forever.

    Raises:
        ValueError: The timeout is not positive.
    """

    native_operations = frozenset({"sum"})

    def __init__(self, timeout: float | None = 1800.0) -> None:
        check_timeout(timeout)
        self._timeout = timeout

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

    @property
    def group(self) -> object:
        """The module `oneflow`, since the ranks that OneFlow was started with never change."""
        return flow

    # OneFlow's send and recv are not used: a later collective reads their messages as its own and
    # aborts ("Check failed: stat->size <= max_size").

    def gather_into(self, joined: np.ndarray, mine: np.ndarray) -> None:
        """Write every rank's `mine` into `joined`."""
        gathered = flow.empty(joined.size, dtype=flow.uint8)
        with self._calling(f"all_gather of {mine.size} bytes"):
            flow.comm.all_gather_into_tensor(gathered, flow.tensor(mine))
            joined[:] = gathered.numpy()

    def broadcast_into(self, array: np.ndarray, src: int) -> None:
        """Write rank `src`'s array into the other ranks' arrays."""
        tensor = flow.tensor(array)
        with self._calling(f"broadcast of {array.size} bytes from rank {src}"):
            flow.comm.broadcast(tensor, src)
            if self.rank != src:
                array[:] = tensor.numpy()

    def reduce_into(self, array: np.ndarray, op: str) -> None:
        """Replace the array of every rank by the sum."""
        tensor = flow.tensor(array)
        with self._calling(f"all_reduce of {array.size} {array.dtype}"):
            flow.comm.all_reduce(tensor)
            array[:] = tensor.numpy()

    def _calling(self, operation: str) -> AbstractContextManager[None]:
        refuse_inherited("oneflow")
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("OneFlow's collectives must be called from the main thread")
        return limited(operation, self._timeout)

    def accepts(self, array: Any) -> bool:
        """Return whether `array` is a numpy array, or a local tensor other than bfloat16."""
        if not self.is_tensor(array):
            return isinstance(array, np.ndarray)
        return bool(array.is_local and array.dtype != flow.bfloat16)

    def is_tensor(self, value: Any) -> bool:
        """Return whether `value` is a OneFlow tensor."""
        return isinstance(value, flow.Tensor)

    def to_host(self, tensor: Any) -> np.ndarray:
        """Return a tensor as a numpy array; bfloat16 becomes float32.

        Raises:
            TypeError: The tensor is a global tensor.
        """
        if not tensor.is_local:
            raise TypeError(
                "a global OneFlow tensor has no rank's own data; pass tensor.to_local()"
            )
        array: np.ndarray = tensor.detach().cpu().numpy()
        return array

    def from_host(self, array: np.ndarray, dtype: str, device: str) -> Any:
        """Return the array as a local tensor."""
        return flow.tensor(array, dtype=getattr(flow, dtype), device=device)

    def dtype_and_device(self, tensor: Any) -> tuple[str, str]:
        """Return the names of dtype and device, for instance "float32" and "cuda:1"."""
        return str(tensor.dtype).removeprefix("oneflow."), str(tensor.device)
