"""The thread on which the ranks of one group compute while the program continues."""

from __future__ import annotations

import atexit
import ctypes
import threading
import time
import weakref
from functools import partial
from queue import SimpleQueue
from weakref import WeakKeyDictionary, WeakSet

from mmeval_like._base.at_fork import at_fork
from mmeval_like._base.threads import start
from mmeval_like._exchange.group_lock import GroupLock, lock_of
from mmeval_like._exchange.handle import Handle, Stopped
from mmeval_like.backends.base import BaseDistBackend, Group
from mmeval_like.backends.non_dist import NonDist

__all__ = ["Worker", "worker_of"]

_GRACE = 2.0  # seconds that the end of the process waits for ranks to compute what all have begun
_PATIENCE = 0.5  # seconds to wait for a stopped thread, whose current call cannot be interrupted


class Worker:
    """One rank's thread in one group: it runs computations one after another.

    Args:
        backend: Carries messages between the ranks of the group, separate from all others.
    """

    def __init__(self, backend: BaseDistBackend) -> None:
        self.backend = backend
        self._queue: SimpleQueue[Handle | None] = SimpleQueue()
        self._thread = threading.Thread(
            target=_run, args=(self._queue,), name="mmeval_like compute_async", daemon=True
        )
        start(self._thread)
        weakref.finalize(self, self._queue.put, None).atexit = False

    def submit(self, handle: Handle) -> None:
        """Compute a result after everything that was submitted before."""
        self._queue.put(handle)

    def finish(self) -> None:
        """Wait until everything submitted is done; nothing may be submitted afterwards."""
        self._queue.put(None)
        self._thread.join()

    def leave(self, until: float) -> None:
        """Finish what was submitted until the given time, leave the rest undone, and end.

        If a thread returns from a C++ library to Python while the interpreter ends, it is unwound,
        which aborts the process; the thread is therefore stopped before.
        """
        self._queue.put(None)
        self._thread.join(max(0.0, until - time.monotonic()))
        if self._thread.is_alive():
            number = ctypes.c_ulong(self._thread.ident or 0)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(number, ctypes.py_object(Stopped))
            self._thread.join(_PATIENCE)


def _run(queue: SimpleQueue[Handle | None]) -> None:
    try:
        while (handle := queue.get()) is not None:
            handle.run()
            del handle  # so that no samples stay alive while the thread waits for the next work
    except Stopped:
        while (handle := queue.get()) is not None:
            handle.stop()


# By group, then by rank: the ranks of a group may be threads.
_workers: WeakKeyDictionary[object, dict[int, Worker]] = WeakKeyDictionary()
_all: WeakSet[Worker] = WeakSet()
_left = threading.Event()  # set when the process is ending, and its workers have ended


def worker_of(backend: BaseDistBackend) -> Worker:
    """Return this rank's worker in the backend's group; the first call is collective.

    Raises:
        NotImplementedError: The backend cannot exchange messages from a second thread.
        RuntimeError: The process is ending.
    """
    if _left.is_set():
        raise RuntimeError(
            "this process is ending and cannot compute in the background: call compute() in exit "
            "handlers, not compute_async()"
        )
    group = backend.group
    workers = _workers.setdefault(group, {})
    if (worker := workers.get(backend.rank)) is not None:
        return worker
    # The ranks must be in no other exchange.
    lock = lock_of(backend)
    return lock.run(partial(_made, workers, backend, lock))


def _made(workers: dict[int, Worker], backend: BaseDistBackend, lock: GroupLock) -> Worker:
    """Return this rank's worker, which another thread may have made meanwhile."""
    if backend.rank not in workers:
        worker = workers[backend.rank] = Worker(_duplicate(backend, lock))
        _all.add(worker)
        if isinstance(backend.group, Group):
            backend.group.before_end.append(worker.finish)
        # Handlers run in reverse order: this one before that of the backend's library.
        atexit.unregister(_leave)
        atexit.register(_leave)
    return workers[backend.rank]


def _duplicate(backend: BaseDistBackend, lock: GroupLock) -> BaseDistBackend:
    """Return a backend of the same ranks for another thread; all ranks call this."""
    if backend.world_size == 1:
        return NonDist()
    lock.begin(lock.turn)
    try:
        twin = backend.duplicate()
    except (NotImplementedError, RuntimeError):  # before any message, or on every rank
        lock.end()
        raise
    lock.end()
    return twin


def _leave() -> None:
    _left.set()
    until = time.monotonic() + _GRACE
    for worker in [*_all]:
        worker.leave(until)


# The thread stays in the parent.
at_fork(after_in_child=_workers.clear)
at_fork(after_in_child=_all.clear)
