"""Sums of products of counts, which may exceed int64, and of weights, rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.writing.exact import ExactSum

__all__ = ["dot", "squares_of", "total"]


def total(counts: np.ndarray) -> Any:
    """Return an integer, or the correctly rounded sum of weights."""
    if counts.dtype.kind != "f":
        return int(counts.sum())
    found = ExactSum()
    found.add(counts)
    return found.value()


def dot(left: np.ndarray, right: np.ndarray) -> Any:
    """Return the sum of products: an integer, however large, or a rounded sum of weights.

    Example:
        >>> dot(np.array([2**40, 3]), np.array([2**40, 5])) == 2**80 + 15
        True
    """
    if left.dtype.kind == "f":
        return total(left * right)
    number = total(left)
    if number * int(right.max(initial=0)) < 2**63:
        return int(np.dot(left, right))
    if number >= 2**47:
        return int((left.astype(object) * right.astype(object)).sum())
    return (dot(left, right >> 16) << 16) + dot(left, right & 0xFFFF)


def squares_of(counts: np.ndarray, values: np.ndarray) -> int:
    """Return the sum of squares of integers below 2^47, each occurring as often as `counts` says.

    Example:
        >>> squares_of(np.array([2, 1]), np.array([3, 2**40])) == 2 * 9 + 2**80
        True
    """
    high, low = values >> 16, values & 0xFFFF  # products of these fit in int64
    first, both, last = (dot(counts, a * b) for a, b in ((high, high), (high, low), (low, low)))
    return int((first << 32) + (both << 17) + last)
