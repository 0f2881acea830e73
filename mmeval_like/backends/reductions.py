"""Rewriting reductions that a library lacks or gets wrong as reductions that all get right.

Libraries differ in the element types that they reduce, in the meaning of operations on booleans,
and in whether `min` and `max` propagate nan. Sums and products of int8, uint8, int32, int64,
float32 and float64, and all operations on these integers, are right in every library; `rewrite`
uses only these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["Rewritten", "rewrite"]

# numpy's operations on booleans, as operations on bytes that are 0 or 1.
_ON_BOOLEANS = {"sum": "max", "product": "min", "band": "min", "bor": "max"}


@dataclass(frozen=True)
class Rewritten:
    """A rewritten reduction of a flat array.

    Attributes:
        array: A contiguous one-dimensional array of one of the element types above; read-only.
        op: The operation to apply.
        restore: Converts the reduced array to flat values of the original dtype.
    """

    array: np.ndarray
    op: str
    restore: Callable[[np.ndarray], np.ndarray]


def rewrite(array: np.ndarray, op: str) -> Rewritten | None:
    """Return an equivalent reduction that every library gets right.

    The result has the dtype of `array`; nan propagates through `min` and `max`;
    float16 is summed and multiplied in float32 and rounded once.

    Args:
        array: Any array; for the bitwise operations, neither floats nor complex numbers.
        op: One of `OPERATIONS`.

    Returns:
        The rewritten reduction; None if there is no equivalent (products of complex numbers, long
        doubles), so that the arrays must be gathered and combined with `OPERATIONS`.

    Example:
        >>> import numpy as np
        >>> rewritten = rewrite(np.array([[True, False]]), "sum")
        >>> rewritten.array, rewritten.op
        (array([1, 0], dtype=uint8), 'max')
        >>> rewritten.restore(np.array([1, 1], np.uint8))
        array([ True,  True])
    """
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "biufc":
        return None
    native = array.dtype.newbyteorder("=")
    flat = np.ascontiguousarray(array, native).reshape(-1)
    back: Callable[[np.ndarray], np.ndarray]
    if kind == "b":
        flat, op = flat.view(np.uint8), _ON_BOOLEANS.get(op, op)
        back = _view_as(native)
    elif kind == "c":
        if op != "sum" or size > 16:
            return None
        flat, back = flat.view(f"f{size // 2}"), _view_as(native)
    elif size > 8:
        return None
    elif kind == "f" and op in ("min", "max"):
        flat, back = _ordered_keys(flat, op), _from_ordered_keys(native)
    elif kind == "u" and size > 1 and op in ("min", "max"):
        top = native.type(1 << (8 * size - 1))
        flat, back = (flat ^ top).view(f"i{size}"), lambda keys: keys.view(native) ^ top
    # In two's complement, signed and unsigned sums have the same bits.
    elif kind == "u" and size > 1:
        flat, back = flat.view(f"i{size}"), _view_as(native)
    else:
        back = _view_as(native)
    narrow = flat.dtype
    if narrow.itemsize == 2:
        flat = flat.astype(np.float32 if narrow.kind == "f" else np.int32)

    def restore(reduced: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # a sum beyond float16 is infinite
            values = back(reduced.astype(narrow, copy=False))
        return values.astype(array.dtype, copy=False)

    return Rewritten(flat, op, restore)


def _view_as(dtype: np.dtype) -> Callable[[np.ndarray], np.ndarray]:
    return lambda reduced: reduced.view(dtype)


def _ordered_keys(floats: np.ndarray, op: str) -> np.ndarray:
    """Return integers that sort as the floats do; nan is the largest for max, else the smallest."""
    integer = np.dtype(f"i{floats.dtype.itemsize}")
    bits = floats.view(integer)
    # A negative float is smaller the larger its magnitude is.
    keys = np.where(bits < 0, bits ^ np.iinfo(integer).max, bits)
    extremes = np.iinfo(integer)
    keys[np.isnan(floats)] = extremes.max if op == "max" else extremes.min
    return keys


def _from_ordered_keys(dtype: np.dtype) -> Callable[[np.ndarray], np.ndarray]:
    def back(keys: np.ndarray) -> np.ndarray:
        bits = np.where(keys < 0, keys ^ np.iinfo(keys.dtype).max, keys)
        return bits.view(dtype)

    return back
