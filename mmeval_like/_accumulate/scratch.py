"""Memory for what is computed in between: fresh pages cost more than the arithmetic on them."""

from __future__ import annotations

from math import prod
from threading import local

import numpy as np
import numpy.typing as npt

__all__ = ["scratch"]

_LARGEST = 1 << 18  # numbers that a thread keeps, twice; 2 MiB each


class _Kept(local):
    def __init__(self) -> None:
        self.blocks = [np.empty(0), np.empty(0)]


_kept = _Kept()


def scratch(shape: tuple[int, ...], which: int = 0) -> npt.NDArray[np.float64]:
    """Return an array of float64, not initialised, which holds until this thread asks again.

    Args:
        shape: Its shape.
        which: 0 or 1; a thread has two of them at a time.
    """
    size = prod(shape)
    if size > _LARGEST:
        return np.empty(shape)
    if size > _kept.blocks[which].size:
        _kept.blocks[which] = np.empty(size)
    return _kept.blocks[which][:size].reshape(shape)
