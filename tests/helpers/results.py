"""The results file: what a test run did, a JSON line each, for the support matrix."""

import json
import os
from pathlib import Path

RESULTS = "MMEVAL_LIKE_RESULTS"  # the file to append to; unset: nothing is recorded

PASSED = "passed"
FAILED = "failed"
UNSUPPORTED = "not supported"
ARRAYS = "Metrics and array libraries"  # a section of the matrix


def record(section: str, row: str, column: str, outcome: str, reason: str = "") -> None:
    """Append one cell of one table of the support matrix.

    Args:
        section: The table's heading, such as "mpi4py, MPICH, mpiexec". No versions: the runs of
            several environments meet in one cell.
        row: What was tried: an operation, a metric.
        column: Where it was tried: "4 ranks", "torch".
        outcome: `PASSED`, `FAILED` or `UNSUPPORTED`.
        reason: Why it is not supported, or what failed.
    """
    cell = {"section": section, "row": row, "column": column}
    _append({**cell, "outcome": outcome, "reason": reason})


def record_versions(versions: dict[str, str]) -> None:
    """Append the versions of what this environment measures with."""
    _append({"versions": versions})


def _append(line: dict[str, object]) -> None:
    if file := os.environ.get(RESULTS):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        with open(file, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
