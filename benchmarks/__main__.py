"""Every benchmark beside other packages, at 1, 2 and 4 ranks; writes docs/benchmarks.md.

    python -m benchmarks [--rounds 40] [--docs docs] [--only TASK --results FILE] [--quick]

`--quick` runs every part with few samples and two rounds, to see that all of them work; give it
another `--docs`, since its numbers mean nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import (
    additive,
    cli,
    collectives,
    detection,
    detection_dealt,
    detection_mmeval,
    imports,
    language,
    page,
    peers,
    slices,
    states,
    text,
)
from benchmarks.cost_model import write_cost_model
from benchmarks.report import write_report

ROOT = Path(__file__).resolve().parents[1]
# Task, ranks, and what else the worker is told.
RUNS: list[tuple[str, int, list[str]]] = [
    ("update", 1, []),
    *(("sync", ranks, []) for ranks in (1, 2, 4)),
    *(
        ("objects", ranks, ["--only", name])
        for ranks in (2, 4)
        for name in ("mmeval_like", "mmeval")
    ),
    *(("same", ranks, []) for ranks in (1, 2, 3, 4, 8)),
    ("cost", 1, []),
    *(("crossover", ranks, []) for ranks in (2, 4, 8)),
    *(("ranking", ranks, []) for ranks in (2, 4)),
    *(("dealt", ranks, []) for ranks in (1, 2, 4)),
    *(("begun", ranks, []) for ranks in (1, 2, 4)),
]
# These start their own ranks, or need none.
OTHERS = {
    "detection": detection,
    "detection_dealt": detection_dealt,
    "detection_mmeval": detection_mmeval,
    "text": text,
    "language": language,
    "collectives": collectives,
    "cli": cli,
    "imports": imports,
    "additive": additive,
    "slices": slices,
    "states": states,
    "page": page,
    "peers": peers,
}

QUICK: dict[str, dict[str, Any]] = {
    "detection": {"ranks": (1, 2), "images": 50},
    "detection_dealt": {"ranks": (1, 2), "images": 500},
    "detection_mmeval": {"images": 20},
    "text": {"samples": 100},
    "language": {"worlds": (1,), "rounds": 1},
    "collectives": {"mebibytes": 1},
    "cli": {"rows": 100_000, "rounds": 1},
    "imports": {"rounds": 1},
    "additive": {"rounds": 1},
    "slices": {"rounds": 1},
    "states": {"rounds": 1, "slices": 200},
    "page": {"rounds": 1},
    "peers": {"only": ("Accuracy", "Mean", "AUROC"), "seconds": 0.1},
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where the pages go")
    parser.add_argument("--results", type=Path, help="keep what was measured, as JSON lines")
    parser.add_argument("--only", help="a task; the others are taken from --results")
    parser.add_argument("--quick", action="store_true", help="few samples, and two rounds")
    arguments = parser.parse_args()
    rounds = 2 if arguments.quick else arguments.rounds
    found = _read(arguments.results)
    for task, ranks, options in RUNS:
        key = " ".join([task, str(ranks), *options])
        if arguments.only not in (None, task):
            continue
        start = time.monotonic()
        found[key] = run(task, ranks, [*options, "--rounds", str(rounds)])
        print(f"{key}: {time.monotonic() - start:.0f} s", flush=True)
        _write(arguments.results, found)
    for task, module in OTHERS.items():
        if arguments.only in (None, task):
            start = time.monotonic()
            found[task] = module.measure(**QUICK[task] if arguments.quick else {})
            print(f"{task}: {time.monotonic() - start:.0f} s", flush=True)
            _write(arguments.results, found)
    write_report(arguments.docs / "benchmarks.md", found)
    write_cost_model(arguments.docs / "cost-model.md", found)


def run(task: str, ranks: int, options: list[str]) -> dict[str, Any]:
    """Run one task on so many ranks; return what rank 0 printed."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*torchrun, "--nproc-per-node", str(ranks), "-m", "benchmarks.worker", task, *options]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=3600,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if done.returncode or not lines:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}")
    found: dict[str, Any] = json.loads(lines[0].removeprefix("RESULT "))
    return found


def _write(path: Path | None, found: dict[str, Any]) -> None:
    if path is not None:
        path.write_text(json.dumps(found, indent=1))


def _read(path: Path | None) -> dict[str, Any]:
    if path is None or not path.exists():
        return {}
    found: dict[str, Any] = json.loads(path.read_text())
    return found


if __name__ == "__main__":
    main()
