"""Waiting for MPI with a time limit, and a way out of a job that cannot go on."""

from __future__ import annotations

import atexit
import os
import sys
import time
from typing import Any

from mpi4py import MPI

from mmeval_like.errors import lost_partner
from mmeval_like.launchers import detect_launcher

__all__ = ["wait"]

# With a core for each rank, waiting at full speed for the first fraction of a millisecond makes
# small exchanges fastest; with fewer cores, leaving the core to another rank at once does.
_place = detect_launcher()
_BUSY_TESTS = 2000 if not _place or _place.local_size <= (os.cpu_count() or 1) else 100

_abandoned: list[Any] = []  # requests given up: MPI may still write into their buffers


def wait(request: Any, timeout: float | None) -> None:
    """Wait for a non-blocking collective.

    Once a time limit was exceeded the order of messages is unknown: every further call raises,
    and when the process ends it ends the whole job with exit code 1. Otherwise MPI's own end
    would wait for the missing rank for ever.

    Args:
        request: The collective.
        timeout: Seconds; None for no limit.

    Raises:
        SyncTimeoutError: The limit was exceeded, now or in an earlier call.
    """
    if _abandoned:
        _abandoned.append(request)
        raise lost_partner("an earlier MPI collective")
    started, tests = time.monotonic(), 0
    while not request.Test():
        tests += 1
        if tests < _BUSY_TESTS:
            continue
        if timeout is not None and time.monotonic() - started > timeout:
            _abandoned.append(request)
            atexit.register(_abort)
            raise lost_partner(f"MPI collective, given up after {timeout:g} s")
        time.sleep(1e-5)


def _abort() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    MPI.COMM_WORLD.Abort(1)
