"""How slow the machine is just now: limits of time are meant for an idle one, and grow with it."""

import math
import subprocess
import sys
import time
from collections.abc import Callable

_IDLE = 0.15  # seconds in which an idle machine starts Python and imports numpy
_FRESH = 5.0  # seconds for which a measurement holds
_last = {"at": -math.inf, "took": 0.0}


def slowness() -> float:
    """Return how many times as long as an idle machine this one takes just now, at least 1."""
    started = time.monotonic()
    if started - _last["at"] > _FRESH:
        subprocess.run([sys.executable, "-c", "import numpy"], check=True)
        _last["at"] = time.monotonic()
        _last["took"] = _last["at"] - started
    return max(1.0, _last["took"] / _IDLE)


def patient(seconds: float) -> float:
    """Return the time that this machine needs now for what an idle one does in some seconds."""
    return seconds * slowness()


def in_time(done: Callable[[], bool], seconds: float) -> bool:
    """Whether it is done within some seconds of an idle machine."""
    return _within(done, seconds) or _within(done, patient(seconds) - seconds)


def _within(done: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not (is_done := done()) and time.monotonic() < until:
        time.sleep(0.01)
    return is_done
