"""Sorting many floats: several times faster than by comparing them."""

from __future__ import annotations

import numpy as np

__all__ = ["falling"]


def falling(scores: np.ndarray) -> np.ndarray:
    """Return the order of falling scores, int64 (n,); equal ones stay as they are.

    numpy sorts integers of 16 bits digit by digit. The bits of a float, where the negative
    ones are turned over, rise with its value: two or four such sorts do.

    Args:
        scores: float32 or float64 (n,), without nan.

    Example:
        >>> falling(np.array([0.5, -1.0, 0.5, 2.0])).tolist()
        [3, 0, 2, 1]
    """
    unsigned = np.dtype(f"u{scores.itemsize}").type
    keys = (0 - scores).view(unsigned)  # 0 - 0.0 and 0 - -0.0 are the same
    sign = unsigned(1 << (8 * scores.itemsize - 1))
    keys = np.where(keys & sign, ~keys, keys | sign)
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    for shift in range(16, 8 * scores.itemsize, 16):
        digits = (keys >> unsigned(shift)).astype(np.uint16).take(order)
        order = order.take(np.argsort(digits, kind="stable"))
    return order
