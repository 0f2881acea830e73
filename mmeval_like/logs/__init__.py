"""Reading the scores of single samples from logs of harnesses that evaluate language models.

Each module supports one harness. No harness is imported, and no code in logs is run: logs are data
files, such as JSON or a zip file of JSON.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mmeval_like.logs.files import beginning
from mmeval_like.logs.log import LEFT_OUT, PARTLY, Aggregate, Log, LogError, Scores

__all__ = [
    "FORMATS",
    "LEFT_OUT",
    "PARTLY",
    "Aggregate",
    "Log",
    "LogError",
    "Scores",
    "guess",
    "read_log",
]

FORMATS = {
    "lm-eval": "lm_eval",
    "inspect": "inspect_ai",
    "lighteval": "lighteval",
    "helm": "helm",
    "trainer": "trainer",
}
"""By the name of a harness, the module that reads its logs."""


def read_log(path: str | Path, format: str | None = None) -> Log:
    """Return the scores of all samples in the log of a harness.

    Args:
        path: A file that the harness wrote, also compressed (.gz), or a folder of them.
        format: "lm-eval" (samples_*.jsonl, written with --log_samples, and the results_*.json
            in the same folder), "inspect" (.eval and .json), "lighteval" (details_*.parquet,
            written with --save-details, and results_*.json), "helm" (per_instance_stats.json, and
            stats.json in the same folder) or "trainer" (predictions of transformers' Trainer, saved
            by numpy.savez, and *_results.json in the same folder). None: guessed from the content.

    Returns:
        The log; the `table` of each of its scores can be passed to `mmeval_like.score`.

    Raises:
        LogError: A file is not such a log, or is damaged.
        OSError: A file cannot be read.
        ValueError: The format is unknown.

    Example:
        >>> read_log("nowhere.eval")
        Traceback (most recent call last):
        FileNotFoundError: ...
    """
    found = format or guess(path)
    if found is None:
        raise LogError(f"{path}: not a log of {' or '.join(FORMATS)}, by its content")
    if found not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    log: Log = _reader(found).read(Path(path))
    return log


def guess(path: str | Path) -> str | None:
    """Return the format of a file, or of the files in a folder, by content; None: unknown."""
    given = Path(path)
    files: Sequence[Path] = sorted(given.iterdir()) if given.is_dir() else [given]
    for file in files:
        start = beginning(file)
        for name in FORMATS:
            if start and _reader(name).is_log(file, start):
                return name
    return None


def _reader(name: str) -> Any:
    return importlib.import_module(f"mmeval_like.logs.{FORMATS[name]}")
