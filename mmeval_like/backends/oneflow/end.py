"""Ending a rank that waits in OneFlow forever, or that failed while others wait for it.

A thread in one of OneFlow's collectives cannot be interrupted. After a failure of this rank,
OneFlow's exit handler waits for ranks that never come. In both cases the only way out is to end
the process; OneFlow then ends the other ranks within about ten seconds.
"""

from __future__ import annotations

import atexit
import faulthandler
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from mmeval_like.errors import lost_partner

__all__ = ["leave_after_failure", "limited"]


@contextmanager
def limited(operation: str, timeout: float | None) -> Iterator[None]:
    """End this process if the block takes longer than `timeout` seconds; None: no limit."""
    timer = threading.Timer(timeout or threading.TIMEOUT_MAX, _give_up, [operation, timeout])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _give_up(operation: str, timeout: float) -> NoReturn:
    error = lost_partner(f"{operation}, given up after {timeout:g} s", detail="this rank ends")
    try:
        print(f"mmeval_like: {type(error).__name__}: {error}", file=sys.__stderr__, flush=True)
        faulthandler.dump_traceback()
    finally:
        _leave(1)


def leave_after_failure() -> None:
    """Ensure that this process ends when an exception or `sys.exit(1)` ends the program.

    Call it once, after the import of OneFlow: exit handlers run in reverse order.
    """
    given: Any = None
    inner = sys.exit  # OneFlow's own function, which also records the code

    def exit_(code: Any = None) -> NoReturn:
        nonlocal given
        given = code
        inner(code)

    def leave() -> None:
        failed = given not in (None, 0)
        if failed or hasattr(sys, "last_value"):  # an exception that the interpreter printed
            _leave(given if failed and isinstance(given, int) else 1)

    sys.exit = exit_
    atexit.register(leave)


def _leave(code: int) -> NoReturn:
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:  # also if a stream is closed
        os._exit(code)
