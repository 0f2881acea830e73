"""The format of a saved file: arrays by name, and texts about them, as safetensors has them.

The first 8 bytes are the length of the header, little-endian. The header is JSON: for each array
its dtype, its shape and where its bytes begin and end behind the header, and "__metadata__" with
the texts. The bytes of the arrays follow, little-endian and in C order, without gaps.

Source: https://huggingface.co/docs/safetensors
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["header", "parsed", "written"]

_METADATA = "__metadata__"
_ALIGNED = 8  # the header's length is a multiple of this, so that numpy reads the arrays in place
_DTYPES = {"BOOL": np.dtype("?")} | {
    name + str(8 * size): np.dtype(f"<{name.lower()}{size}")
    for name in "IUF"
    for size in (1, 2, 4, 8)
    if (name, size) != ("F", 1)
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def written(arrays: Mapping[str, np.ndarray], texts: Mapping[str, str]) -> bytes:
    r"""Return the contents of a file.

    Args:
        arrays: Little-endian arrays of bool, integers or floats, of any shape, in C order.
        texts: The metadata.

    Raises:
        TypeError: An array has another dtype.

    Example:
        >>> data = written({"a": np.array([[1, 2]], np.int8)}, {"b": "c"})
        >>> data[:8], data[8:30], data[-2:], parsed(data)
        (b'P\x00\x00\x00\x00\x00\x00\x00', b'{"__metadata__":{"b":"', b'\x01\x02', ({'a':
        array([[1, 2]], dtype=int8)}, {'b': 'c'}))
    """
    header: dict[str, Any] = {_METADATA: dict(texts)}
    pieces, start = [], 0
    for name in sorted(arrays, key=lambda name: (-arrays[name].itemsize, name)):
        array = arrays[name]
        stored = _NAMES.get(array.dtype)
        if stored is None:
            raise TypeError(f"only numeric arrays are saved, got {array.dtype} for {name!r}")
        pieces.append(array.reshape(-1).view(np.uint8).data)
        offsets = [start, start + array.nbytes]
        header[name] = {"dtype": stored, "shape": [*array.shape], "data_offsets": offsets}
        start += array.nbytes
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    head += b" " * (-len(head) % _ALIGNED)
    return b"".join([len(head).to_bytes(8, "little"), head, *pieces])


def parsed(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return the arrays and the texts of a file; the arrays are copies.

    Raises:
        ValueError, KeyError, TypeError: The data is no such file.
    """
    places, texts = header(data)
    arrays = {
        name: np.ndarray(shape, dtype, data, start).copy()
        for name, (dtype, shape, start, _) in places.items()
    }
    return arrays, texts


def header(
    data: bytes,
) -> tuple[dict[str, tuple[np.dtype[Any], list[int], int, int]], dict[str, str]]:
    """Return the dtype, the shape, and where the bytes begin and end of each array; and the texts.

    Raises:
        ValueError, KeyError, TypeError: The data is no such file.
    """
    behind = 8 + int.from_bytes(data[:8], "little")
    if not 8 < behind <= len(data):
        raise ValueError(f"{len(data)} bytes, with a header of {behind - 8}")
    entries = json.loads(data[8:behind])
    texts = entries.pop(_METADATA)
    places, end = {}, behind
    for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
        dtype, shape = _DTYPES[entry["dtype"]], entry["shape"]
        if any(type(size) is not int or size < 0 for size in shape):
            raise ValueError(f"the shape of {name!r} is {shape}")
        start, end = end, end + math.prod(shape) * dtype.itemsize
        if entry["data_offsets"] != [start - behind, end - behind] or end > len(data):
            raise ValueError(f"the bytes of {name!r} are not at {entry['data_offsets']}")
        places[name] = dtype, shape, start, end
    if end != len(data):
        raise ValueError(f"{len(data) - end} bytes belong to no array")
    return places, texts
