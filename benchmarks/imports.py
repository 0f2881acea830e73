"""What importing the package costs, as a multiple of `import numpy`.

python -m benchmarks.imports [--rounds 20]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

BASE = "import numpy"
# What a program writes, and what is timed: each in an interpreter of its own.
PROGRAMS = {
    "`import mmeval_like`": "import mmeval_like",
    "`from mmeval_like import BaseMetric`": "from mmeval_like import BaseMetric",
    "`from mmeval_like import Accuracy`": "from mmeval_like import Accuracy",
    "`from mmeval_like import *`, all names": "from mmeval_like import *",
}


def measure(rounds: int = 20) -> dict[str, float]:
    """Return the seconds of numpy's import, and of each program the ratio to them.

    The time of an empty interpreter is taken off both; a ratio is the median over rounds.
    """
    ratios: dict[str, list[float]] = {title: [] for title in PROGRAMS}
    numpy = []
    with tempfile.TemporaryDirectory() as cache:
        for program in PROGRAMS.values():
            seconds(program, cache)  # compiles what is imported, as an installation does
        for _ in range(rounds):
            empty = seconds("pass", cache)
            numpy.append(seconds(BASE, cache) - empty)
            for title, program in PROGRAMS.items():
                ratios[title].append((seconds(f"{BASE}; {program}", cache) - empty) / numpy[-1])
    found = {title: statistics.median(values) for title, values in ratios.items()}
    return {BASE: statistics.median(numpy), **found}


def seconds(program: str, cache: str) -> float:
    """Return how long an interpreter takes to start, run the program and end.

    Args:
        program: What it runs.
        cache: The folder of the compiled modules.
    """
    environment = os.environ | {"PYTHONPYCACHEPREFIX": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    return time.perf_counter() - start


def table(found: dict[str, float]) -> str:
    """Return the table of the benchmarks page."""
    rows = [f"| {title} | {found[title]:.2f} |" for title in PROGRAMS]
    last = f"| `import numpy` itself | {1e3 * found[BASE]:.0f} ms |"
    return "\n".join(["| | times `import numpy` |", "|---|---|", *rows, last])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    print(table(measure(parser.parse_args().rounds)))
