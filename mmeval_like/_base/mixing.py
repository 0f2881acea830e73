"""Words of 64 bits, mixed so that every bit depends on all others.

Source: the finaliser of splitmix64 (G. L. Steele, D. Lea and C. H. Flood, Fast splittable
pseudorandom number generators, OOPSLA 2014).
"""

from __future__ import annotations

import numpy as np

__all__ = ["STEP", "finalised", "mixed"]

STEP = np.uint64(0x9E3779B97F4A7C15)
"""What splitmix64 adds from one number to the next."""


def mixed(words: np.ndarray) -> np.ndarray:
    """Return the numbers of splitmix64 that follow words (uint64), which are changed in place.

    Example:
        >>> mixed(np.zeros(1, np.uint64)).tolist()
        [16294208416658607535]
    """
    words += STEP
    return finalised(words)


def finalised(words: np.ndarray) -> np.ndarray:
    """Return words (uint64) mixed, in place."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words
