"""How slow the machine is just now: limits of time grow with it."""

import math
import subprocess
import sys
import time
from collections.abc import Callable

# Seconds in which a machine that runs nothing but the tests starts Python and imports numpy.
_USUAL = 0.3
_SLOWEST = 10.0  # a single measurement may be unlucky
_FRESH = 5.0  # seconds for which a measurement holds
_last = {"at": -math.inf, "took": 0.0}


def slowness() -> float:
    """Return how many times as long as usual this machine takes just now: 1 to 10."""
    started = time.monotonic()
    if started - _last["at"] > _FRESH:
        subprocess.run([sys.executable, "-c", "import numpy"], check=True)
        _last["at"] = time.monotonic()
        _last["took"] = _last["at"] - started
    return min(max(1.0, _last["took"] / _USUAL), _SLOWEST)


def patient(seconds: float) -> float:
    """Return the time that the machine needs now for what usually takes some seconds."""
    return seconds * slowness()


def in_time(done: Callable[[], bool], seconds: float) -> bool:
    """Whether it is done within some seconds, or within what the machine needs for them now."""
    return _within(done, seconds) or _within(done, patient(seconds) - seconds)


def _within(done: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not (is_done := done()) and time.monotonic() < until:
        time.sleep(0.01)
    return is_done
