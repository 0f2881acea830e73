"""Files that were damaged on their way."""

from __future__ import annotations

import numpy as np

__all__ = ["damaged"]


def damaged(content: bytes, rng: np.random.Generator, *, cut: float, changes: int) -> bytes:
    """Return content that lost its end, with a probability, or in which bytes changed."""
    found = bytearray(content)
    if rng.random() < cut:
        del found[int(rng.integers(len(found))) :]
    else:
        for place in rng.integers(0, len(found), changes):
            found[place] ^= int(rng.integers(1, 256))
    return bytes(found)
