"""Whose turn it is to exchange messages: one thread of a rank at a time, while it is in step."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from mmeval_like.backends.base import BaseDistBackend

__all__ = ["Turn", "turn_of"]


class Turn:
    """A rank's turn in a group, which a thread holds while it exchanges messages there.

    The messages of two threads could arrive in another order on other ranks.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._interrupted = False

    def __enter__(self) -> Turn:
        """Wait for the turn.

        Raises:
            RuntimeError: An earlier exchange of this rank was interrupted.
        """
        self._lock.acquire()
        if self._interrupted:
            self._lock.release()
            raise RuntimeError(
                "an earlier compute() was interrupted on this rank between two of its messages, "
                "and the other ranks wait for the second one. What was added is still there: "
                "save() keeps it. To go on, start the program again, or make a new group of ranks."
            )
        return self

    def __exit__(self, *exception: object) -> None:
        """Let the next thread have it."""
        self._lock.release()

    @contextmanager
    def between_messages(self) -> Iterator[None]:
        """Note where an interrupt, such as KeyboardInterrupt, leaves the other ranks waiting.

        An `Exception` is told to the other ranks, so that all are in step after it.
        """
        try:
            yield
        except BaseException as error:
            self._interrupted |= not isinstance(error, Exception)
            raise


# One for each group and rank: the ranks of a group may be threads.
_turns: WeakKeyDictionary[object, dict[int, Turn]] = WeakKeyDictionary()
_making_lock = threading.RLock()


def _release_in_child() -> None:
    _turns.clear()  # the threads that held them stayed in the parent
    _making_lock.release()


os.register_at_fork(
    before=_making_lock.acquire,
    after_in_parent=_making_lock.release,
    after_in_child=_release_in_child,
)


def turn_of(backend: BaseDistBackend) -> Turn:
    """Return this rank's turn in the backend's group."""
    with _making_lock:
        turns = _turns.setdefault(backend.group, {})
        if backend.rank not in turns:
            turns[backend.rank] = Turn()
        return turns[backend.rank]
