"""Every metric takes the arrays of every library, with the bits of numpy: the matrix's table."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.helpers import require_installed
from tests.helpers.array_libraries import LIBRARIES
from tests.helpers.launch import run_ranks
from tests.helpers.results import ARRAYS, FAILED, PASSED, UNSUPPORTED, record
from tests.metric_cases import CASES

WORKER = Path(__file__).with_name("array_worker.py")


@pytest.mark.parametrize("metric", CASES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_metric_takes_arrays_of(library: str, metric: str) -> None:
    """The value from a library's arrays is the value from numpy's, bit by bit."""
    require_installed(*LIBRARIES[library])
    outcome, reason = run_library(library)[metric]

    row = metric.partition(",")[0]  # the variants of a metric share a row
    record(ARRAYS, row, library, outcome, reason if outcome == UNSUPPORTED else "")
    if outcome == UNSUPPORTED:
        pytest.skip(f"not supported: {reason}")
    assert outcome == PASSED, reason


@cache
def run_library(library: str) -> dict[str, tuple[str, str]]:
    """Try all metrics in one process: each one's outcome and the reason."""
    with TemporaryDirectory(prefix="arrays-") as folder:
        report = Path(folder) / "report.jsonl"
        program = (WORKER, library, report)
        env = {"JAX_ENABLE_X64": "1"}  # JAX rounds float64 to float32 by default
        ranks = run_ranks("plain", 1, *program, timeout=240, env=env, check=False)
        lines = report.read_text().splitlines() if report.exists() else []
    found = dict.fromkeys(CASES, (FAILED, f"not reached: {ranks}"))
    for line in map(json.loads, lines):
        found[line["metric"]] = line["outcome"], line["reason"]
    return found
