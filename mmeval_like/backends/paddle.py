"""paddle.distributed on CPU tensors (gloo)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import paddle
import paddle.distributed as dist

from mmeval_like.backends.base_tensors import TensorDistBackend
from mmeval_like.backends.forks import refuse_inherited
from mmeval_like.errors import lost_partner

__all__ = ["PaddleDist"]

_OPERATIONS = {"sum": "SUM", "product": "PROD", "min": "MIN", "max": "MAX"}


class PaddleDist(TensorDistBackend):
    """The ranks of Paddle's default group, when it is a group of CPUs (gloo).

    The methods take numpy arrays and Paddle tensors; they return tensors on the same kind of
    device, without gradients. If a rank ends, or does not call within gloo's timeout, the others
    raise `SyncTimeoutError`.

    Example:
        >>> backend = PaddleDist()
        >>> backend.is_initialized, backend.rank, backend.world_size
        (False, 0, 1)
    """

    native_operations = frozenset(_OPERATIONS)

    @property
    def is_initialized(self) -> bool:
        """Whether `paddle.distributed.init_parallel_env` was called."""
        return bool(dist.is_initialized())

    @property
    def rank(self) -> int:
        """The rank in Paddle's group; 0 if there is no group."""
        return int(dist.get_rank()) if self.is_initialized else 0

    @property
    def world_size(self) -> int:
        """The number of ranks in Paddle's group; 1 if there is no group."""
        return int(dist.get_world_size()) if self.is_initialized else 1

    @property
    def group(self) -> object:
        """Paddle's default group; the backend itself if there is none."""
        return dist.get_group(0) if self.is_initialized else self

    def gather_into(self, joined: np.ndarray, mine: np.ndarray) -> None:
        """Write every rank's `mine` into `joined`."""
        _call(dist.stream.all_gather, _tensor(joined), _tensor(mine))

    def broadcast_into(self, array: np.ndarray, src: int) -> None:
        """Write rank `src`'s array into the other ranks' arrays."""
        _call(dist.broadcast, _tensor(array), src)

    def reduce_into(self, array: np.ndarray, op: str) -> None:
        """Replace the array of every rank by the reduction."""
        _call(dist.all_reduce, _tensor(array), getattr(dist.ReduceOp, _OPERATIONS[op]))

    def is_tensor(self, value: Any) -> bool:
        """Return whether `value` is a dense Paddle tensor."""
        return bool(isinstance(value, paddle.Tensor) and value.is_dense() and not value.is_dist())

    def to_host(self, tensor: Any) -> np.ndarray:
        """Return a tensor as a numpy array; bfloat16 becomes float32."""
        host = tensor.detach().cpu()
        array: np.ndarray = (
            host.astype("float32") if "bfloat16" in str(host.dtype) else host
        ).numpy()
        return array

    def from_host(self, array: np.ndarray, dtype: str, device: str) -> Any:
        """Return the array as a tensor on the CPU, or on the current GPU."""
        place = paddle.CUDAPlace(0) if "gpu" in device else paddle.CPUPlace()
        return paddle.to_tensor(array, place=place).astype(dtype)

    def dtype_and_device(self, tensor: Any) -> tuple[str, str]:
        """Return the names of dtype and device, for instance "float32" and "gpu"."""
        device = "gpu" if "gpu" in str(tensor.place) else "cpu"
        return str(tensor.dtype).removeprefix("paddle."), device


def _call(function: Callable[..., Any], *arguments: Any) -> None:
    refuse_inherited("paddle.distributed")
    try:
        function(*arguments)
    except RuntimeError as error:
        said = str(error).strip().splitlines()[-1]
        if "gloo" not in said:
            raise
        rank = re.search(r"pair_rank = (\d+)", said)
        raise lost_partner(function.__name__, [int(rank[1])] if rank else [], said) from error


def _tensor(array: np.ndarray) -> Any:
    """Return a tensor that shares the array's memory; of a read-only array, a copy."""
    if array.flags.writeable:
        return paddle.from_dlpack(array)
    return paddle.to_tensor(array, place=paddle.CPUPlace())
