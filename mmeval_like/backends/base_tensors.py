"""Backends whose library moves tensors: bytes and arrays travel as tensors in host memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from mmeval_like.backends.base_bytes import BytesDistBackend, Description
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["TensorDistBackend"]


class TensorDistBackend(BytesDistBackend):
    """A backend of a tensor library; a subclass has three collectives and four conversions.

    A subclass implements the identity (`is_initialized`, `rank`, `world_size`) and the abstract
    methods below. The collectives get contiguous one-dimensional numpy arrays in host memory, of
    at most `chunk` elements, and are called on initialised ranks only. The public methods take
    numpy arrays and the library's tensors; they return tensors with the same dtype, on the same
    kind of device, without gradients.
    """

    chunk: ClassVar[int] = 1 << 28
    """The largest number of elements in one call, since some libraries count in 32 bits."""

    # Collectives -------------------------------------------------------------------------------

    @abstractmethod
    def gather_into(self, joined: np.ndarray, mine: np.ndarray) -> None:
        """Write the equally long uint8 arrays `mine` of all ranks into `joined`, in rank order."""

    @abstractmethod
    def broadcast_into(self, array: np.ndarray, src: int) -> None:
        """Write rank `src`'s uint8 array, which may be read-only, into the other ranks' arrays."""

    @abstractmethod
    def reduce_into(self, array: np.ndarray, op: str) -> None:
        """Replace the array of every rank by the reduction; `op` is in `native_operations`."""

    # Conversions -------------------------------------------------------------------------------

    @abstractmethod
    def is_tensor(self, value: Any) -> bool:
        """Return whether `value` is a tensor of the library whose elements are in plain memory."""

    @abstractmethod
    def to_host(self, tensor: Any) -> np.ndarray:
        """Return a tensor as a numpy array; a dtype that numpy lacks becomes a wider one."""

    @abstractmethod
    def from_host(self, array: np.ndarray, dtype: str, device: str) -> Any:
        """Return the array as a tensor of this dtype on this device, or on the CPU without it."""

    @abstractmethod
    def dtype_and_device(self, tensor: Any) -> tuple[str, str]:
        """Return the names that `from_host` takes; the device's kind ends at its first colon."""

    # Bytes -------------------------------------------------------------------------------------

    def all_gather_bytes(self, data: Buffer) -> Sequence[Buffer]:
        """Return every rank's `data`, of the same length everywhere, in rank order."""
        if not self.is_initialized:
            return [bytearray(data)]
        mine = np.frombuffer(data, np.uint8)
        joined = np.empty((self.world_size, mine.size), np.uint8)
        if 0 < mine.size <= self.chunk:
            self.gather_into(joined.reshape(-1), mine)
        else:
            for part in self._parts(mine.size):
                gathered = np.empty(len(joined) * mine[part].size, np.uint8)
                self.gather_into(gathered, mine[part])
                joined[:, part] = gathered.reshape(len(joined), -1)
        return [row.data for row in joined]

    def broadcast_bytes(self, data: Buffer | None, length: int, src: int = 0) -> Buffer:
        """Return rank `src`'s `data` on every rank."""
        if not self.is_initialized:
            return data or b""
        whole = np.empty(length, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        for part in self._parts(length):
            self.broadcast_into(whole[part], src)
        return whole.data if data is None else data

    def reduce_flat(self, array: np.ndarray, op: str, dst: int | None) -> np.ndarray | None:
        """Combine flat arrays element by element."""
        result = array.copy()
        for part in self._parts(array.size if self.is_initialized else 0):
            self.reduce_into(result[part], op)
        return result if dst in (None, self.rank) else None

    def sum_in_place(self, array: np.ndarray) -> None:
        """Replace a flat array of int64 by the sum of the ranks' arrays."""
        for part in self._parts(array.size if self.is_initialized else 0):
            self.reduce_into(array[part], "sum")

    def _parts(self, size: int) -> Iterator[slice]:
        return (slice(start, start + self.chunk) for start in range(0, size, self.chunk))

    # Tensors -----------------------------------------------------------------------------------

    def accepts(self, array: Any) -> bool:
        """Return whether `array` is a numpy array, or a tensor that `is_tensor` accepts."""
        return isinstance(array, np.ndarray) or self.is_tensor(array)

    def describe(self, array: Any) -> tuple[Description, Buffer] | None:
        """Return an array or a tensor as a description and its memory."""
        if not self.is_tensor(array):
            return super().describe(array)
        described = super().describe(self.to_host(array))
        assert described is not None
        dtype, device = self.dtype_and_device(array)
        return (*described[0], dtype, device.partition(":")[0]), described[1]

    def rebuild(self, description: Description, data: Buffer, *, copy: bool) -> Any:
        """Return the array, or the tensor on the kind of device that it came from."""
        host = super().rebuild(description[:2], data, copy=copy)
        return host if len(description) == 2 else self.from_host(host, *description[2:])

    def all_reduce(self, array: Any, op: str = "sum") -> Any:
        """Combine equally shaped arrays or tensors, element by element."""
        return self._like(super().all_reduce(self._host(array), op), array)

    def reduce(self, array: Any, dst: int = 0, op: str = "sum") -> Any | None:
        """Combine arrays as `all_reduce` does; return the result on rank `dst`, None on others."""
        reduced = self.all_reduce(array, op)
        return reduced if self.rank == dst else None

    def reduce_scatter(self, arrays: Sequence[Any], op: str = "sum") -> Any:
        """Return, on rank r, the reduction of element r of all ranks' lists."""
        reduced = super().reduce_scatter([self._host(array) for array in arrays], op)
        return self._like(reduced, arrays[self.rank])

    def _host(self, array: Any) -> Any:
        return self.to_host(array) if self.is_tensor(array) else array

    def _like(self, reduced: Any, array: Any) -> Any:
        if not self.is_tensor(array):
            return reduced
        return self.from_host(reduced, *self.dtype_and_device(array))
