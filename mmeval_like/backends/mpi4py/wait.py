"""Waiting for MPI with a time limit, and a way out of a job that cannot go on."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from typing import Any

from mpi4py import MPI

from mmeval_like.errors import lost_partner
from mmeval_like.launchers import detect_launcher

__all__ = ["check_order", "wait"]

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

_abandoned: list[Any] = []  # requests given up, and all that MPI may still write into
_waiting: set[int] = set()  # the ids of requests that a thread waits for


def check_order() -> None:
    """Raise `SyncTimeoutError` if an earlier collective was given up: begin no other one then."""
    if _abandoned:
        raise lost_partner("an earlier MPI collective, given up or interrupted")


def wait(
    request: Any, size: int, timeout: float | None, comm: Any = None, into: Any = None
) -> None:
    """Wait for a non-blocking collective.

    Once a time limit was exceeded, or the wait was interrupted, the order of messages is unknown.
    When the process ends it then ends the whole job with exit code 1. Otherwise MPI's own end would
    wait for the missing rank for ever.

    Args:
        request: The collective.
        size: The bytes that it brings here or takes from here.
        timeout: Seconds; None for no limit.
        comm: The communicator, if nobody else sends messages in it: then the ranks that gave
            up tell each other, and the error names the missing ones.
        into: What MPI writes into besides the request's own buffers.

    Raises:
        SyncTimeoutError: The limit was exceeded, here or elsewhere.
        BaseException: What a signal's handler raised, such as KeyboardInterrupt.
    """
    started, tests = time.monotonic(), 0
    # Another thread than the program's own leaves the core to it.
    busy = _BUSY_TESTS if threading.current_thread() is threading.main_thread() else 0
    _waiting.add(id(request))
    try:
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
        _abandoned.append((request, into))
        raise
    finally:
        _waiting.remove(id(request))


def _missing(comm: Any) -> list[int]:
    """Tell the other ranks, and return those from whom nothing is heard."""
    missing = [rank for rank in range(comm.size) if rank != comm.rank]
    _abandoned.extend(comm.Isend([b"", MPI.BYTE], rank, _LOST) for rank in missing)
    until = time.monotonic() + _PATIENCE
    while missing and time.monotonic() < until:
        missing = [rank for rank in missing if not comm.Iprobe(rank, _LOST)]
        time.sleep(1e-3)
    return missing


@atexit.register  # handlers run in reverse order: threads had their time to finish by then
def _abort_if_unfinished() -> None:
    if not _abandoned and not _waiting:
        return
    if _waiting:
        text = "a compute_async() that other ranks did not finish ends the job of MPI"
        print(f"mmeval_like: {text}", file=sys.stderr)
    time.sleep(_LAST_WORDS)
    sys.stdout.flush()
    sys.stderr.flush()
    MPI.COMM_WORLD.Abort(1)
