"""The side of one checkout: runs the checks, and writes what they saw."""

from __future__ import annotations

import fnmatch
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from . import kit, lacking, special, wrappers
from .seeing import Sight

__all__ = ["main"]

_ROOMS = (kit, wrappers, special, lacking)


def main(checkout: str, output: str, only: str, share: int, shares: int) -> None:
    """Run every shares-th group of checks, and write what they saw as JSON."""
    import mmeval_like

    place = Path(mmeval_like.__file__).resolve()
    if Path(checkout).resolve() not in place.parents:
        raise SystemExit(f"the package comes from {place}, and not from {checkout}")
    checks: dict[str, Any] = {}
    seconds: dict[str, float] = {}
    groups = [group for room in _ROOMS for group in room.groups()]
    groups = [(name, run) for name, run in groups if fnmatch.fnmatchcase(name, only)]
    for name, run in groups[share::shares]:
        start = time.perf_counter()
        run(Sight(name, checks))
        seconds[name] = time.perf_counter() - start
    Path(output).write_text(json.dumps({"checks": checks, "seconds": seconds}), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # threads of worlds whose ranks wait for each other do not hold the process


if __name__ == "__main__":
    raise SystemExit("start it by `python -m tests.net`")
