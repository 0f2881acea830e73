"""Arrays and lists by name, as bytes: the form in which a rank sends its samples."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like._base.integers import narrowed, widened
from mmeval_like.backends.wire import lists, packing
from mmeval_like.backends.wire.packing import Buffer

__all__ = ["pack_named", "unpack_named"]

_ARRAY, _INTEGERS, _LIST = range(3)
_ENTRY = struct.Struct("<BHq")  # kind, length of the name, length of the content


def pack_named(found: Mapping[str, np.ndarray | list[Any]]) -> list[Buffer]:
    """Return the pieces of a self-delimiting form; only lists use pickle.

    Arrays of int64 travel without leading and trailing zeros, in the narrowest dtype that holds
    their values: the limbs of a sum are mostly zeros, and counts are mostly small.

    Raises:
        TypeError: An array is not numeric.
        Exception: pickle raised it, since an object cannot be pickled.

    Example:
        >>> data = b"".join(pack_named({"a": np.array([0, 0, 7]), "b": ["x", None]}))
        >>> unpack_named(memoryview(data), 0)[0]
        {'a': array([0, 0, 7]), 'b': ['x', None]}
    """
    pieces: list[Buffer] = [struct.pack("<q", len(found))]
    for name, value in found.items():
        if isinstance(value, list):
            kind, content = _LIST, packing.dump_pieces(lists.pack_list(value))
        elif value.dtype == np.int64:
            kind, content = _INTEGERS, _pack_integers(value)
        else:
            kind, content = _ARRAY, packing.pack_array(value)
        encoded = name.encode()
        length = sum(memoryview(piece).nbytes for piece in content)
        pieces += [_ENTRY.pack(kind, len(encoded), length), encoded, *content]
    return pieces


def unpack_named(data: memoryview, offset: int) -> tuple[dict[str, Any], int]:
    """Return the arrays and lists that `pack_named` packed at `offset`, and the end offset.

    Raises:
        ValueError: `data` is malformed.
    """
    try:
        (number,) = struct.unpack_from("<q", data, offset)
        offset += 8
        found: dict[str, Any] = {}
        for _ in range(number):
            kind, width, length = _ENTRY.unpack_from(data, offset)
            start = offset + _ENTRY.size + width
            name = bytes(data[start - width : start]).decode()
            offset = start + length
            if length < 0 or offset > len(data):
                raise ValueError(f"{offset - len(data)} bytes of {name!r} are missing")
            content = data[start:offset]
            if kind == _LIST:
                found[name] = lists.unpack_list(packing.loads(content))
            else:
                unpack = _unpack_integers if kind == _INTEGERS else _unpack_array
                found[name] = unpack(content)
    except struct.error as error:
        raise ValueError(f"malformed packed arrays: {error}") from error
    return found, offset


def _unpack_array(data: memoryview) -> np.ndarray:
    return packing.unpack_array(data, 0)[0]


def _pack_integers(array: np.ndarray) -> list[Buffer]:
    first, window = narrowed(array)
    shape = struct.pack(f"<{array.ndim + 2}q", array.ndim, *array.shape, first)
    return [shape, *packing.pack_array(window)]


def _unpack_integers(data: memoryview) -> np.ndarray:
    (ndim,) = struct.unpack_from("<q", data)
    *shape, first = struct.unpack_from(f"<{ndim + 1}q", data, 8)
    window, _ = packing.unpack_array(data, 8 * (ndim + 2))
    return widened(first, window, shape)
