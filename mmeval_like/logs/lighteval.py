"""Logs of lighteval, written with `--save-details`.

Each task has a file details/<model>/<time>/details_<task>_<time>.parquet, with a row for each
question: the columns `doc` and `metric` are structures, the latter with each score by name. The
file results/<model>/results_<time>.json has the harness's own aggregates, and in `config_tasks` the
function that aggregates each score. This module was written from logs of lighteval 0.13.0;
https://huggingface.co/docs/lighteval/saving-and-reading-results describes their location.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mmeval_like._base.optional import needed_for
from mmeval_like.logs.files import read_json, reading
from mmeval_like.logs.log import Aggregate, Log, LogError, Scores, digest, fields_of, no_score

__all__ = ["is_log", "read"]

_COLUMNS = {"doc", "metric", "model_response"}
_ASKED = ("query", "choices", "gold_index")


def is_log(path: Path, start: bytes) -> bool:
    """Return whether a file is a log of this harness."""
    if not start.startswith(b"PAR1"):
        return all(key in start for key in (b'"config_general"', b'"model_name"'))
    try:
        return set(_parquet().read_schema(path).names) >= _COLUMNS
    except (OSError, ValueError, ModuleNotFoundError):
        return False


def read(path: Path) -> Log:
    """Return the scores of a file of details, of a folder of these, or of those of a result.

    Raises:
        LogError: A file is not such a log, or is damaged, or there are no details.
    """
    files = [path]
    if path.is_dir():
        files = sorted(path.glob("details_*.parquet"))
    elif path.suffix == ".json":
        time = path.stem.removeprefix("results_")
        folder = _other(path.parent, "results", "details") / time
        files = sorted(folder.glob("details_*.parquet"))
    if not files:
        raise LogError(f"{path}: no details; lighteval writes them with --save-details")
    written = _results_file(files[0])
    results = read_json(written) if written else {}
    remarks = () if results else (f"{files[0]}: no results_*.json, so nothing to compare with",)
    scores = [one for file in files for one in _of_task(file, written, results)]
    return Log("lighteval", [*map(str, files)], scores, remarks)


def _parquet() -> Any:
    with needed_for("a log of lighteval", "pip install 'mmeval-like[cli]'"):
        import pyarrow.parquet as parquet
    return parquet


def _other(folder: Path, here: str, there: str) -> Path:
    """Return the folder of the same model with the part `here` replaced by `there`."""
    parts = list(folder.absolute().parts)
    if here in parts:
        parts[len(parts) - 1 - parts[::-1].index(here)] = there
    return Path(*parts)


def _results_file(details: Path) -> Path | None:
    """Return the results file of the run that wrote these details; None if it does not exist."""
    time = details.absolute().parent.name
    file = _other(details.absolute().parent.parent, "details", "results") / f"results_{time}.json"
    return file if file.exists() else None


def _of_task(file: Path, written: Path | None, results: Mapping[str, Any]) -> list[Scores]:
    with reading(file):
        with _parquet().ParquetFile(file) as opened:  # threads may lack the memory to begin
            rows = opened.read(columns=["doc", "metric"], use_threads=False).to_pylist()
        if not rows:
            raise LogError(f"{file}: it has no scores of samples")
        task = rows[0]["doc"]["task_name"]
    with reading(written or file):
        config = results.get("config_tasks", {}).get(task, {})
        rules = {one["metric_name"]: one["corpus_level_fn"] for one in config.get("metrics", [])}
        better = {
            one["metric_name"]: one.get("higher_is_better") for one in config.get("metrics", [])
        }
        if not all(isinstance(rule, str) for rule in rules.values()):
            raise TypeError("the names of functions must be strings")
        numbers = dict(results.get("results", {}).get(task, {}))
    with reading(file):
        return [
            Scores(
                task,
                name,
                "",
                [row["metric"][name] for row in rows],
                [row["doc"]["id"] for row in rows],
                _fields(rows),
                _aggregates(name, rules.get(name, "mean"), numbers),
                dataset=re.sub(r"\|\d+$", "", task),  # without the number of examples in the prompt
                asked=[digest([row["doc"].get(key) for key in _ASKED]) for row in rows],
                higher_is_better=better.get(name) if isinstance(better.get(name), bool) else None,
                reasons=["no score" if no_score(row["metric"][name]) else None for row in rows],
            )
            for name in rows[0]["metric"]
        ]


def _fields(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the fields that the task added to the questions, as `specific`."""
    return fields_of([row["doc"].get("specific") or {} for row in rows])


def _aggregates(name: str, rule: str, numbers: Mapping[str, Any]) -> list[Aggregate]:
    """Return the harness's aggregate of a score, and its standard error."""
    found = [Aggregate(rule.partition("(")[0], rule, numbers.get(name))]
    error = numbers.get(f"{name}_stderr")
    if error is not None:
        found.append(Aggregate("stderr", "stderr" if rule == "mean" else "bootstrap", error))
    return found
