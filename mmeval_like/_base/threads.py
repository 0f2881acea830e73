"""Starting threads where memory may be short."""

from __future__ import annotations

import mmap
from threading import Thread

__all__ = ["start"]

_ROOM = 12 << 20  # bytes: 8 MiB for the stack, and what a new thread allocates first


def start(thread: Thread) -> None:
    """Start a thread, if there is memory for it.

    `Thread.start` waits until the thread runs, and so forever if it ends for lack of memory before.

    Raises:
        MemoryError: There is no memory for a thread.
        RuntimeError: The system starts no more threads.
    """
    try:
        mmap.mmap(-1, _ROOM).close()
    except OSError as error:
        raise MemoryError("a new thread needs more memory than there is") from error
    thread.start()
