"""Threads that interrupt each other between any two steps."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

__all__ = ["at_once"]


def at_once(*functions: Callable[[], object]) -> None:
    """Run each function in a thread, with frequent switches; raise the exception of any thread."""
    failed: list[BaseException] = []

    def call(function: Callable[[], object]) -> None:
        try:
            function()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=call, args=(function,)) for function in functions]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if failed:
        raise failed[0]
