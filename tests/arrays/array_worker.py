"""``array_worker.py LIBRARY REPORT``: does every metric take this library's arrays?

In a process of its own, because importing OneFlow rewrites the environment and replaces sys.exit.
"""

import json
import os
import sys
import traceback
from pathlib import Path

import numpy as np

from mmeval_like.testing import MetricCase, check_metric
from mmeval_like.testing.inputs import converters
from tests.helpers.results import FAILED, PASSED, UNSUPPORTED
from tests.metric_cases import CASES


def main(library: str, report: Path) -> None:
    """Leave one JSON line for each metric."""
    law = ["array_libraries"]
    with report.open("w", buffering=1) as lines:
        for name, case in CASES.items():
            outcome, reason = PASSED, ""
            try:
                if not case.array_inputs:
                    outcome, reason = UNSUPPORTED, "its samples are no arrays"
                elif library == "numpy":
                    check_metric(case, examples=3, only=["any_layout"])
                elif reason := refusal(library, case):
                    outcome = UNSUPPORTED
                else:
                    check_metric(case, examples=3, libraries=[library], only=law)
            except BaseException:
                outcome, reason = FAILED, traceback.format_exc()
            lines.write(json.dumps({"metric": name, "outcome": outcome, "reason": reason}) + "\n")
    os._exit(0)  # OneFlow's own way out may wait for others


def refusal(library: str, case: MetricCase) -> str:
    """Why the library itself cannot hold the case's samples, or ""."""
    for column in case.samples(np.random.default_rng(0), 4):
        if isinstance(column, np.ndarray):
            try:
                converters()[library](column)
            except Exception:
                return f"{library} makes no array of {column.dtype}"
    return ""


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
