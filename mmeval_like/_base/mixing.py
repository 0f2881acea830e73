"""Mixing of 64-bit words, so that every bit depends on all others.

Source: the finaliser of splitmix64 (G. L. Steele, D. Lea and C. H. Flood, Fast splittable
pseudorandom number generators, OOPSLA 2014).
"""

from __future__ import annotations

import numpy as np

__all__ = ["STEP", "finalised", "mixed"]

STEP = np.uint64(0x9E3779B97F4A7C15)
"""The increment of splitmix64 from one state to the next."""


def mixed(words: np.ndarray) -> np.ndarray:
    """Return the outputs of splitmix64 after the states `words` (uint64), computed in place.

    Example:
        >>> mixed(np.zeros(1, np.uint64)).tolist()
        [16294208416658607535]
    """
    words += STEP
    return finalised(words)


def finalised(words: np.ndarray) -> np.ndarray:
    """Return words (uint64) after the finaliser, computed in place."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words
