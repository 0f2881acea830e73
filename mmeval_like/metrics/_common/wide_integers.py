"""Integers wider than 64 bits, as vectors of int64 that can be summed over ranks."""

from __future__ import annotations

import numpy as np

__all__ = ["DIGITS", "digits_of", "number_of"]

DIGITS = 3
"""The number of int64 that represent an integer."""

_BITS = 40  # per digit: an int64 holds the sum of 2^23 digits


def digits_of(number: int) -> np.ndarray:
    """Return an integer below 2^120 in magnitude as int64 (DIGITS,); the last has the sign."""
    low = [(number >> (_BITS * place)) & ((1 << _BITS) - 1) for place in range(DIGITS - 1)]
    return np.array([*low, number >> (_BITS * (DIGITS - 1))], np.int64)


def number_of(digits: np.ndarray) -> int:
    """Return the integer that a sum of such vectors represents.

    Example:
        >>> number_of(digits_of(2**99) + digits_of(-1)) == 2**99 - 1
        True
    """
    return sum(digit << (_BITS * place) for place, digit in enumerate(digits.tolist()))
