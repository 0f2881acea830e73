"""A sort of many floats that is several times faster than a comparison sort."""

from __future__ import annotations

import numpy as np

__all__ = ["falling"]


def falling(scores: np.ndarray) -> np.ndarray:
    """Return the indices that sort scores in descending order, int64 (n,); the sort is stable.

    numpy sorts integers of 16 bits by radix sort. The bits of a float, inverted if it is negative,
    rise with its value, so two or four such sorts suffice.

    Args:
        scores: float32 or float64 (n,), without nan.

    Example:
        >>> falling(np.array([0.5, -1.0, 0.5, 2.0])).tolist()
        [3, 0, 2, 1]
    """
    unsigned = np.dtype(f"u{scores.itemsize}").type
    keys = (0 - scores).view(unsigned)  # 0 - 0.0 and 0 - -0.0 have the same bits
    sign = unsigned(1 << (8 * scores.itemsize - 1))
    keys = np.where(keys & sign, ~keys, keys | sign)
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    for shift in range(16, 8 * scores.itemsize, 16):
        digits = (keys >> unsigned(shift)).astype(np.uint16).take(order)
        order = order.take(np.argsort(digits, kind="stable"))
    return order
