"""Objects and arrays as bytes, without autograd graphs and shared storage."""

from __future__ import annotations

import io
import math
import pickle
import struct
import sys
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Buffer", "dump_pieces", "dumps", "loads", "pack_array", "unpack_array"]

Buffer: TypeAlias = bytes | bytearray | memoryview

_COUNT = struct.Struct("<q")


def dumps(obj: Any) -> bytes:
    """Pickle an object (protocol 5); the memory of its arrays is appended after the pickle.

    Only a torch tensor's own elements are sent, without the autograd graph and without the rest of
    the storage that a view shares with its batch. Tensors arrive on the CPU.

    Raises:
        Exception: pickle raised it, since the object cannot be pickled.

    Example:
        >>> loads(dumps({"a": [1, None, "é"]}))
        {'a': [1, None, 'é']}
    """
    return b"".join(dump_pieces(obj))


def dump_pieces(obj: Any) -> list[Buffer]:
    """Return the pieces that `dumps` joins; arrays are views of the object's memory."""
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    _Pickler(stream, protocol=5, buffer_callback=buffers.append).dump(obj)
    pickled = stream.getvalue()
    raws = [buffer.raw() for buffer in buffers]
    sizes = struct.pack(f"<{len(raws) + 2}q", len(raws), len(pickled), *(r.nbytes for r in raws))
    return [sizes, pickled, *raws]


def loads(data: Buffer) -> Any:
    """Return the object that `dumps` packed; it shares no memory with `data`."""
    view = memoryview(data)
    (count,) = _COUNT.unpack_from(view)
    sizes = struct.unpack_from(f"<{count + 1}q", view, _COUNT.size)
    start = _COUNT.size * (count + 2)
    pieces = []
    for size in sizes:
        pieces.append(view[start : start + size])
        start += size
    # Copies are writable and aligned, and do not keep the memory of the whole message alive.
    return pickle.loads(pieces[0], buffers=[bytearray(piece) for piece in pieces[1:]])


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(obj, torch.Tensor):
            return NotImplemented
        if obj.is_sparse or obj.is_quantized:
            return NotImplemented
        host = obj.detach().cpu().resolve_conj().resolve_neg().contiguous()
        name = str(host.dtype).removeprefix("torch.")
        # Bytes, because numpy lacks some of torch's types (bfloat16).
        raw = host.reshape(-1).view(torch.uint8).numpy()
        return _restore_tensor, (raw, name, tuple(host.shape))


def _restore_tensor(raw: np.ndarray, dtype: str, shape: tuple[int, ...]) -> Any:
    import torch

    return torch.from_numpy(raw).view(getattr(torch, dtype)).reshape(shape)


def _dtypes() -> dict[bytes, np.dtype]:
    found = [np.dtype(code).newbyteorder("<") for code in np.typecodes["All"]]
    return {dtype.str.encode(): dtype for dtype in found if dtype.kind in _KINDS}


_KINDS = "?biufc"
_DTYPES = _dtypes()  # the dtypes that are packed, by numpy's codes


def pack_array(array: np.ndarray) -> list[Buffer]:
    """Return the pieces of a self-delimiting form of a numeric array; no pickle is involved.

    Raises:
        TypeError: The dtype is not boolean, integer, float or complex.

    Example:
        >>> import numpy as np
        >>> data = b"".join(pack_array(np.array([[1.5, 2.5]])))
        >>> unpack_array(memoryview(data), 0)[0]
        array([[1.5, 2.5]])
    """
    if array.dtype.kind not in _KINDS:
        raise TypeError(f"only numeric arrays are packed, got dtype {array.dtype}")
    contiguous = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    code = contiguous.dtype.str.encode()
    head = struct.pack(f"<BB{array.ndim}q", len(code), array.ndim, *array.shape)
    return [head, code, contiguous.reshape(-1).view(np.uint8).data]


def unpack_array(data: memoryview, offset: int) -> tuple[np.ndarray, int]:
    """Return the array that `pack_array` packed at `offset`, and the end offset.

    Raises:
        ValueError: `data` does not hold such an array.
    """
    try:
        code_size, ndim = struct.unpack_from("<BB", data, offset)
        shape = struct.unpack_from(f"<{ndim}q", data, offset + 2)
        start = offset + 2 + 8 * ndim
        code = bytes(data[start : start + code_size])
        # Only known codes are accepted: np.dtype raises arbitrary errors for some strings.
        dtype = _DTYPES.get(code)
        if dtype is None or min(shape, default=0) < 0:
            raise ValueError(f"no array of dtype {code!r} and shape {shape} is packed")
        start += code_size
        end = start + dtype.itemsize * math.prod(shape)
        if end > len(data):
            raise ValueError(f"{end - len(data)} bytes are missing")
        array = np.empty(shape, dtype)
        array.reshape(-1).view(np.uint8)[:] = np.frombuffer(data[start:end], np.uint8)
    except (struct.error, ValueError) as error:
        raise ValueError(f"malformed packed array at byte {offset}: {error}") from error
    return array, end
