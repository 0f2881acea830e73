"""Reusable memory for intermediate results; fresh pages cost more than the arithmetic."""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

__all__ = ["Scratch"]

_LARGEST, _MOST = 1 << 18, 4  # floats of a block that is kept (2 MiB); the number of kept blocks
_kept: list[npt.NDArray[np.float64]] = []


class Scratch:
    """Uninitialised float64 arrays of these shapes, for the duration of a `with` block.

    A block of memory has only one user at a time, even among threads and signal handlers: each
    user pops its block from a list, which is atomic.

    Example:
        >>> with Scratch((2, 3), (4,)) as (table, row):
        ...     table.shape, row.shape
        ((2, 3), (4,))
    """

    __slots__ = ("_memory", "_shapes")

    def __init__(self, *shapes: tuple[int, ...]) -> None:
        self._shapes = shapes

    def __enter__(self) -> list[npt.NDArray[np.float64]]:
        sizes = [prod(shape) for shape in self._shapes]
        try:
            memory = _kept.pop()
        except IndexError:
            memory = np.empty(0)
        if memory.size < (size := sum(sizes)):
            memory = np.empty(size)
        self._memory, end, arrays = memory, 0, []
        for shape, size in zip(self._shapes, sizes, strict=True):
            arrays.append(memory[end : end + size].reshape(shape))
            end += size
        return arrays

    def __exit__(self, *error: object) -> None:
        if self._memory.size <= _LARGEST and len(_kept) < _MOST:
            _kept.append(self._memory)
