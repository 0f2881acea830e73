"""Waiting for MPI with a time limit, and ending a job that cannot continue."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from mpi4py import MPI

from mmeval_like._base.launchers import detect_launcher
from mmeval_like.errors import lost_partner

__all__ = ["check_order", "unfinished", "wait"]

# If each rank has a core, small exchanges are fastest if the first fraction of a millisecond is a
# busy wait; if there are fewer cores, they are fastest if a rank yields its core at once.
_place = detect_launcher()
_BUSY_TESTS = 2000 if not _place or _place.local_size <= (os.cpu_count() or 1) else 100

# MPI moves data only while a rank polls for its arrival. A small message needs a few polls; a rank
# that waits long polls less and less often, and leaves the cores to others.
_SMALL = 1 << 16
_NAP = 1e-5
_LONGEST_NAP = 1e-3

_LOST = 0x6D6D  # the tag of an empty message to the other ranks: "I gave up waiting"
_PATIENCE = 2.0  # seconds for the other surviving ranks to send this message too
_LAST_WORDS = 0.5  # seconds for the other surviving ranks to print their errors

_abandoned: list[Any] = []  # unfinished collectives, with all buffers that MPI may still write into
_waiting: set[object] = set()  # one mark for each collective that a thread waits for
_beside = threading.Event()  # whether a thread other than the main thread gave one up
_PID = os.getpid()


def unfinished() -> bool:
    """Return whether a collective was given up, after which the order of messages is unknown."""
    return bool(_abandoned)


def check_order() -> None:
    """Raise `SyncTimeoutError` if an earlier collective was given up, so that none may follow."""
    if unfinished():
        raise lost_partner("an earlier MPI collective, given up or interrupted")


def wait(begin: Callable[[], Any], size: int, timeout: float | None, comm: Any = None) -> None:
    """Begin a non-blocking collective, and wait for it.

    After a timeout or an interrupted wait, the order of messages is unknown. The process then ends
    the whole job with exit code 1 when it ends, because MPI_Finalize would wait for the missing
    rank forever.

    Args:
        begin: Begins the collective and returns its request; it holds the buffers.
        size: The number of bytes that this rank receives or sends in it.
        timeout: Seconds; None for no limit.
        comm: The communicator, if it carries no other messages: the ranks that gave up then
            inform each other, and the error names the missing ranks.

    Raises:
        SyncTimeoutError: The limit was exceeded, here or elsewhere.
        BaseException: A signal handler raised it, for instance KeyboardInterrupt.
    """
    started, tests = time.monotonic(), 0
    # A thread other than the main thread leaves the core to the main thread.
    busy = _BUSY_TESTS if threading.current_thread() is threading.main_thread() else 0
    mark, begun = object(), [begin]  # kept together with the request if the collective is given up
    _waiting.add(mark)
    try:
        request = begin()
        begun.append(request)
        while not request.Test():
            tests += 1
            if tests < busy:
                continue
            waited = time.monotonic() - started
            if timeout is not None and (waited > timeout or (comm and comm.Iprobe(tag=_LOST))):
                missing = _missing(comm) if comm is not None else []
                raise lost_partner(f"MPI collective, given up after {waited:.3g} s", missing)
            time.sleep(_NAP if size > _SMALL else min(max(_NAP, waited / 32), _LONGEST_NAP))
    except BaseException:  # an interrupt, too, leaves the collective unfinished
        _abandoned.append(begun)
        if threading.current_thread() is not threading.main_thread():
            _beside.set()
        raise
    finally:
        _waiting.remove(mark)


def _missing(comm: Any) -> list[int]:
    """Inform the other ranks, and return those that do not answer."""
    missing = [rank for rank in range(comm.size) if rank != comm.rank]
    _abandoned.extend(comm.Isend([b"", MPI.BYTE], rank, _LOST) for rank in missing)
    until = time.monotonic() + _PATIENCE
    while missing and time.monotonic() < until:
        missing = [rank for rank in missing if not comm.Iprobe(rank, _LOST)]
        time.sleep(1e-3)
    return missing


@atexit.register  # handlers run in reverse order, so threads have finished if they could
def _abort_if_unfinished() -> None:
    if not (_abandoned or _waiting) or os.getpid() != _PID:  # a fork is not a rank of the job
        return
    try:
        if _waiting or _beside.is_set():
            text = "a compute_async() that other ranks did not finish ends the job of MPI"
            print(f"mmeval_like: {text}", file=sys.stderr)
        time.sleep(_LAST_WORDS)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:  # also if a stream is closed or a signal interrupts: MPI_Finalize would hang
        MPI.COMM_WORLD.Abort(1)
