"""How a rank ends that waits in OneFlow for ever, or that failed while others wait for it.

A thread in one of OneFlow's collectives cannot be interrupted, and OneFlow's own end of a
process waits for ranks that will never come when this one has failed. Both leave nothing but
to end the process; OneFlow then ends the other ranks by itself, within about ten seconds.
"""

from __future__ import annotations

import atexit
import faulthandler
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from mmeval_like.errors import lost_partner

__all__ = ["Watch", "leave_after_failure"]


class Watch:
    """Ends the process when a collective takes longer than the timeout.

    Args:
        timeout: Seconds; None to wait for ever.
    """

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._running: tuple[str, float] | None = None
        self._thread: threading.Thread | None = None

    @contextmanager
    def over(self, operation: str) -> Iterator[None]:
        """Watch what the block does."""
        if self._timeout is not None:
            self._running = operation, time.monotonic() + self._timeout
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            self._running = None

    def _watch(self) -> None:
        assert self._timeout is not None
        while True:
            running = self._running
            # What begins while this thread sleeps has more time than it sleeps.
            left = self._timeout if running is None else running[1] - time.monotonic()
            if running is not None and left <= 0:
                _give_up(running[0], self._timeout)
            time.sleep(left)


def _give_up(operation: str, timeout: float) -> NoReturn:
    error = lost_partner(f"{operation}, given up after {timeout:g} s", detail="this rank ends")
    print(f"mmeval_like: {type(error).__name__}: {error}", file=sys.__stderr__, flush=True)
    faulthandler.dump_traceback()
    _leave(1)


def leave_after_failure() -> None:
    """See to it that this process ends when an exception or `sys.exit(1)` ends the program.

    Call it once, after the import of OneFlow: exit handlers run in reverse order.
    """
    given: Any = None
    inner = sys.exit  # OneFlow's own, which notes the code as well

    def exit_(code: Any = None) -> NoReturn:
        nonlocal given
        given = code
        inner(code)

    def leave() -> None:
        if given not in (None, 0):
            _leave(given if isinstance(given, int) else 1)
        if getattr(sys, "last_value", None) is not None:  # what the interpreter printed
            _leave(1)

    sys.exit = exit_
    atexit.register(leave)


def _leave(code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
