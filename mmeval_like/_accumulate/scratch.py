"""Memory for what is computed in between: fresh pages cost more than the arithmetic on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from math import prod

import numpy as np
import numpy.typing as npt

__all__ = ["scratch"]

_LARGEST, _MOST = 1 << 18, 4  # floats of a block that is kept, 2 MiB; and how many blocks are
_kept: list[npt.NDArray[np.float64]] = []


@contextmanager
def scratch(*shapes: tuple[int, ...]) -> Iterator[list[npt.NDArray[np.float64]]]:
    """Give arrays of float64 of these shapes, not initialised, for the length of a block.

    A block of memory has one user at a time, also among threads and in a signal handler that
    interrupts one: they take it off a list, which no other of them can do at the same time.
    """
    ends = [0, *accumulate(map(prod, shapes))]
    try:
        memory = _kept.pop()
    except IndexError:
        memory = np.empty(0)
    if memory.size < ends[-1]:
        memory = np.empty(ends[-1])
    try:
        yield [
            memory[start:end].reshape(shape)
            for start, end, shape in zip(ends, ends[1:], shapes, strict=False)
        ]
    finally:
        if memory.size <= _LARGEST and len(_kept) < _MOST:
            _kept.append(memory)
