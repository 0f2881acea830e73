"""A report's page: how long it takes to write once the numbers are there.

python -m benchmarks.page [--rounds 5]

Ten million rows of 100 classes in 20 slices are scored by six metrics with intervals, and by the
recall of every class and the confusion matrix. Then `report` writes the page, with nine pictures.
The first `report` in an interpreter also imports matplotlib and jinja2. The times are processor
times, so that other programs on the machine do not count.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mmeval_like as mm

__all__ = ["measure", "table"]

_ROWS, _CLASSES, _SLICES, _BATCH = 10_000_000, 100, 20, 1_000_000


def scored() -> tuple[mm.Sliced, mm.Result]:
    """Metrics of all rows, and what they computed."""
    sure: dict[str, Any] = {"interval": 0.95}
    options = {"task": "multiclass", "num_classes": _CLASSES, **sure}
    metrics = mm.Sliced(
        {
            "accuracy": mm.Accuracy(**sure),
            "precision": mm.Precision(**options),
            "recall": mm.Recall(**options),
            "f1": mm.FBetaScore(**options),
            "kappa": mm.CohenKappa(_CLASSES, **sure),
            "mcc": mm.MatthewsCorrCoef(_CLASSES, **sure),
            "recalls": mm.Recall(average=None, **options),
            "matrix": mm.ConfusionMatrix(_CLASSES),
        },
        by="place",
    )
    rng = np.random.default_rng(0)
    for _ in range(_ROWS // _BATCH):
        labels = rng.integers(0, _CLASSES, _BATCH)
        other = rng.integers(0, _CLASSES, _BATCH)
        predictions = np.where(rng.random(_BATCH) < 0.7, labels, other)
        metrics.add(predictions, labels, by={"place": rng.integers(0, _SLICES, _BATCH)})
    return metrics, metrics.compute()


def once() -> dict[str, float]:
    """Seconds of the first and of the second page, and the size of a page in bytes."""
    warnings.simplefilter("ignore")
    metrics, result = scored()
    spent = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        for _ in range(2):
            before = time.process_time()
            mm.report(metrics, path, result)
            spent.append(time.process_time() - before)
        return {"first": spent[0], "again": spent[1], "bytes": path.stat().st_size}


def measure(rounds: int = 5) -> dict[str, float]:
    """The medians of several interpreters."""
    command = [sys.executable, "-m", "benchmarks.page", "--once"]
    # Threads of BLAS that wait for work would count.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    found = []
    for _ in range(rounds):
        done = subprocess.run(command, check=True, capture_output=True, env=environment)
        found.append(json.loads(done.stdout))
    return {key: statistics.median(one[key] for one in found) for key in found[0]}


def table(found: dict[str, float]) -> str:
    """Return the table of the benchmarks page."""
    return "\n".join(
        [
            "| `report` of 10,000,000 rows, 100 classes, 20 slices | |",
            "|---|---|",
            f"| the first in an interpreter, with imports | {found['first']:.2f} s |",
            f"| another one | {found['again']:.2f} s |",
            f"| size of the page | {found['bytes'] / 1000:,.0f} kB |",
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--once", action="store_true", help="measure here, and print JSON")
    arguments = parser.parse_args()
    print(json.dumps(once()) if arguments.once else table(measure(arguments.rounds)))
