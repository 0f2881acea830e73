"""A check that there is memory, before a library is called that cannot do without."""

from __future__ import annotations

import numpy as np

__all__ = ["check_room"]


def check_room(size: int) -> None:
    """Allocate and free this number of bytes.

    Some libraries in C++ and Rust end the process, or panic, if an allocation fails.

    Raises:
        MemoryError: There is no memory for them.

    Example:
        >>> check_room(1000)
    """
    np.empty(size, np.uint8)
