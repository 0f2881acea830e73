"""Arrays of int64 without the zeros at both ends, in the narrowest dtype that holds the others."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["narrowed", "widened"]


def narrowed(array: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the place of the first integer that is not 0, and the integers up to the last one.

    The limbs of an exact sum are mostly zeros, and counts are mostly small.

    Args:
        array: Integers of int64, of any shape; they are read in C order.

    Example:
        >>> first, window = narrowed(np.array([0, 0, 7, 0, 300, 0]))
        >>> first, window.tolist(), window.dtype
        (2, [7, 0, 300], dtype('int16'))
        >>> widened(first, window, [2, 3]).tolist()
        [[0, 0, 7], [0, 300, 0]]
    """
    flat = array.reshape(-1)
    used = flat != 0
    first = int(used.argmax()) if used.any() else len(flat)
    window = flat[first : len(flat) - int(used[::-1].argmax())] if first < len(flat) else flat[:0]
    bits = max(int(window.max(initial=0)), -1 - int(window.min(initial=0))).bit_length()
    width = 1 if bits < 8 else 2 if bits < 16 else 4 if bits < 32 else 8
    return first, window.astype(f"<i{width}")


def widened(first: int, window: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Return the array of int64 that `narrowed` was given.

    Args:
        first: The place of the first integer of the window.
        window: The integers, (n,).
        shape: The shape of the array.

    Raises:
        ValueError: The window does not fit into the shape.
    """
    size = math.prod(shape)
    if not 0 <= first <= size or first + len(window) > size:
        raise ValueError(f"{len(window)} integers at {first} do not fit into shape {[*shape]}")
    flat = np.zeros(size, np.int64)
    flat[first : first + len(window)] = window
    return flat.reshape(shape)
