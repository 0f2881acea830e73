"""paddle.distributed on CPU tensors (gloo)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import paddle
import paddle.distributed as dist

from mmeval_like.backends.base_bytes import BytesDistBackend, Description
from mmeval_like.errors import lost_partner
from mmeval_like.packing import Buffer

__all__ = ["PaddleDist"]

_OPERATIONS = {"sum": "SUM", "product": "PROD", "min": "MIN", "max": "MAX"}
_CHUNK = 1 << 28  # elements that one call carries; some counts are 32 bits wide
_PADDED = 1 << 18  # bytes up to which one padded all-gather beats a broadcast from each rank


class PaddleDist(BytesDistBackend):
    """The ranks of Paddle's default group, when it is a group of CPUs (gloo).

    numpy arrays and Paddle tensors are taken; tensors come back on the kind of device that
    they came from, without gradients. A rank that ends, or does not call within gloo's
    timeout, makes the others raise `SyncTimeoutError`.

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
        """The rank in Paddle's group, 0 without one."""
        return int(dist.get_rank()) if self.is_initialized else 0

    @property
    def world_size(self) -> int:
        """The number of ranks in Paddle's group, 1 without one."""
        return int(dist.get_world_size()) if self.is_initialized else 1

    # Bytes -------------------------------------------------------------------------------------

    def all_gather_bytes(self, data: Buffer) -> Sequence[Buffer]:
        """Return every rank's `data`, of the same length everywhere, in rank order."""
        mine = np.frombuffer(data, np.uint8)
        joined = np.empty((self.world_size, mine.size), np.uint8)
        if self.world_size == 1:
            joined[0] = mine
            return [joined[0].data]
        for part in _chunks(mine.size):
            sent = _tensor(mine[part])
            gathered = paddle.empty([len(joined) * (part.stop - part.start)], "uint8")
            _call(dist.stream.all_gather, gathered, sent)
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
        if self.world_size == 1:
            return data or b""
        whole = np.empty(length, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        for part in _chunks(length):
            tensor = _tensor(whole[part])
            _call(dist.broadcast, tensor, src)
            if data is None:
                whole[part] = tensor.numpy()
        return whole.data if data is None else data

    def reduce_flat(self, array: np.ndarray, op: str, dst: int | None) -> np.ndarray | None:
        """Combine flat arrays element by element."""
        result = array.copy()
        for part in _chunks(array.size if self.world_size > 1 else 0):
            tensor = _tensor(array[part])
            _call(dist.all_reduce, tensor, getattr(dist.ReduceOp, _OPERATIONS[op]))
            result[part] = tensor.numpy()
        return result if dst in (None, self.rank) else None

    # Tensors -----------------------------------------------------------------------------------

    def accepts(self, array: Any) -> bool:
        """Whether it is a numpy array or a dense Paddle tensor."""
        return isinstance(array, np.ndarray) or (isinstance(array, paddle.Tensor) and _dense(array))

    def describe(self, array: Any) -> tuple[Description, Buffer] | None:
        """Return an array or a dense tensor as a description and its memory."""
        if not isinstance(array, paddle.Tensor) or not _dense(array):
            return super().describe(array)
        described = super().describe(_to_host(array))
        assert described is not None
        (code, shape), data = described
        return (code, shape, _dtype(array), str(array.place)), data

    def rebuild(self, description: Description, data: Buffer, *, copy: bool) -> Any:
        """Return the array, or the tensor on the kind of device that it came from."""
        host = super().rebuild(description[:2], data, copy=copy)
        return host if len(description) == 2 else _from_host(host, *description[2:])

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


def _call(function: Callable[..., Any], *arguments: Any) -> None:
    try:
        function(*arguments)
    except RuntimeError as error:
        said = str(error).strip().splitlines()[-1]
        if "gloo" not in said:
            raise
        rank = re.search(r"pair_rank = (\d+)", said)
        raise lost_partner(function.__name__, [int(rank[1])] if rank else [], said) from error


def _chunks(size: int) -> list[slice]:
    return [slice(start, min(start + _CHUNK, size)) for start in range(0, size, _CHUNK)]


def _tensor(array: np.ndarray) -> Any:
    return paddle.to_tensor(array, place=paddle.CPUPlace())


def _dense(tensor: Any) -> bool:
    return bool(tensor.is_dense() and not tensor.is_dist())


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("paddle.")


def _to_host(array: Any) -> Any:
    """Return a numpy array to compute with; bfloat16 as float32."""
    if not isinstance(array, paddle.Tensor):
        return array
    host = array.detach().cpu()
    return (host.astype("float32") if _dtype(host) == "bfloat16" else host).numpy()


def _from_host(host: np.ndarray, dtype: str, place: str) -> Any:
    kind = paddle.CUDAPlace(0) if "gpu" in place else paddle.CPUPlace()
    return paddle.to_tensor(host, place=kind).astype(dtype)


def _like(host: Any, array: Any) -> Any:
    if host is None or not isinstance(array, paddle.Tensor):
        return host
    return _from_host(host, _dtype(array), str(array.place))
