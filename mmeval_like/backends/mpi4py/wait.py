"""Waiting for MPI with a time limit, and a way out of a job that cannot go on."""

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

# With a core for each rank, waiting at full speed for the first fraction of a millisecond makes
# small exchanges fastest; with fewer cores, leaving the core to another rank at once does.
_place = detect_launcher()
_BUSY_TESTS = 2000 if not _place or _place.local_size <= (os.cpu_count() or 1) else 100

# MPI moves data only while a rank asks whether the data has arrived. A small message needs a few
# such questions; a rank that waits long asks less and less often, and leaves the cores to others.
_SMALL = 1 << 16
_NAP = 1e-5
_LONGEST_NAP = 1e-3

_LOST = 0x6D6D  # the tag of an empty message to the other ranks: "I gave up waiting"
_PATIENCE = 2.0  # seconds for the other survivors to say so as well
_LAST_WORDS = 0.5  # seconds for the other survivors to print their errors

_abandoned: list[Any] = []  # what was begun and given up, with all that MPI may still write into
_waiting: set[object] = set()  # a mark for each collective that a thread waits for
_beside = threading.Event()  # whether a thread other than the program's gave one up
_PID = os.getpid()


def unfinished() -> bool:
    """Return whether a collective was given up: the order of messages is unknown since then."""
    return bool(_abandoned)


def check_order() -> None:
    """Raise `SyncTimeoutError` if an earlier collective was given up: begin no other one then."""
    if unfinished():
        raise lost_partner("an earlier MPI collective, given up or interrupted")


def wait(begin: Callable[[], Any], size: int, timeout: float | None, comm: Any = None) -> None:
    """Begin a non-blocking collective, and wait for it.

    Once a time limit was exceeded, or the wait was interrupted, the order of messages is unknown.
    When the process ends it then ends the whole job with exit code 1. Otherwise MPI's own end would
    wait for the missing rank for ever.

    Args:
        begin: Begins the collective and returns its request; it holds the buffers.
        size: The bytes that it brings here or takes from here.
        timeout: Seconds; None for no limit.
        comm: The communicator, if it carries no other messages: then the ranks that gave
            up inform each other, and the error names the missing ones.

    Raises:
        SyncTimeoutError: The limit was exceeded, here or elsewhere.
        BaseException: A signal's handler raised it, for instance KeyboardInterrupt.
    """
    started, tests = time.monotonic(), 0
    # Another thread than the program's own leaves the core to it.
    busy = _BUSY_TESTS if threading.current_thread() is threading.main_thread() else 0
    mark, begun = object(), [begin]  # kept together with the request where it is given up
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


@atexit.register  # handlers run in reverse order: threads had their time to finish by then
def _abort_if_unfinished() -> None:
    if not (_abandoned or _waiting) or os.getpid() != _PID:  # a fork has no part in the job
        return
    try:
        if _waiting or _beside.is_set():
            text = "a compute_async() that other ranks did not finish ends the job of MPI"
            print(f"mmeval_like: {text}", file=sys.stderr)
        time.sleep(_LAST_WORDS)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:  # also where a stream is closed, or a signal interrupts: MPI's own end would hang
        MPI.COMM_WORLD.Abort(1)
