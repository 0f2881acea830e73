"""How long it takes from no environment to the first number: with pip, and with uv if installed.

python -m benchmarks.first_number

The wheels lie in a folder before the time starts, as in a cache. The second column has the seconds
of processors, which depend little on what else the machine does.

The bound of 5 seconds holds with uv. pip takes 7 seconds of a processor or more: half of them
make the environment (pip is unpacked into it), and half compile numpy's and this package's modules.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROWS = "".join(
    f'{{"predictions": {found}, "labels": {label}}}\n'
    for found, label in [(0, 0), (1, 1), (2, 1), (2, 2)]
)


def timed(*command: str | Path, cwd: Path | None = None) -> tuple[float, float]:
    """Run a command; return its seconds, and those of processors."""
    before, started = os.times(), time.perf_counter()
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    words = [os.fspath(word) for word in command]
    subprocess.run(words, cwd=cwd, env=environment, check=True, stdout=subprocess.DEVNULL)
    after, seconds = os.times(), time.perf_counter() - started
    used = after.children_user - before.children_user
    return seconds, used + after.children_system - before.children_system


def steps(installer: str, wheels: Path, place: Path) -> dict[str, tuple[float, float]]:
    """Make an environment, install the wheel, and compute two numbers: what each step takes."""
    python, rows, program = place / "env/bin/python", place / "rows.jsonl", place / "first.py"
    rows.write_text(ROWS)
    snippet = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert snippet is not None
    program.write_text(snippet[1])
    offline = ("--quiet", "--no-index", "--find-links", wheels, "mmeval-like")
    if installer == "uv":
        environment: tuple[str | Path, ...] = ("uv", "venv", "--quiet", "--python", sys.executable)
        install: tuple[str | Path, ...] = ("uv", "pip", "install", "--python", python, *offline)
    else:
        environment = (sys.executable, "-m", "venv")
        install = (python, "-m", "pip", "install", *offline)
    score = (place / "env/bin/mmeval_like", "score", rows, "--metric", "accuracy")
    return {
        "the environment": timed(*environment, place / "env"),
        "the installation": timed(*install),
        "README's first program": timed(python, program, cwd=place),
        "`mmeval_like score`": timed(*score, cwd=place),
    }


def main() -> None:
    """Print what each step took."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        wheels = Path(name, "wheels")
        timed(sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", wheels, ROOT)
        for installer in ("pip", *(["uv"] if shutil.which("uv") else [])):
            folder = Path(name, installer)
            folder.mkdir()
            took = steps(installer, wheels, folder)
            print(f"\n| with {installer} | seconds | of a processor |\n|---|---|---|")
            for title, (seconds, used) in took.items():
                print(f"| {title} | {seconds:.1f} | {used:.1f} |")
            seconds, used = (sum(numbers) for numbers in zip(*[*took.values()][:3], strict=True))
            print(f"| **the first number** | {seconds:.1f} | {used:.1f} |")


if __name__ == "__main__":
    main()
