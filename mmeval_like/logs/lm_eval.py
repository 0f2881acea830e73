"""Logs of lm-eval, the Language Model Evaluation Harness, written with `--log_samples`.

Each task has a file samples_<task>_<time>.jsonl, with a line for each question and filter:
`doc_id`, `doc`, `filter`, the names of the scores in `metrics`, and each score by name. The file
results_<time>.json has the harness's own aggregates, by task and `<score>,<filter>`, and in
`configs` the aggregation of each score. This module was written from logs of lm-eval 0.4.13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mmeval_like.logs.files import read_json, read_lines, reading
from mmeval_like.logs.log import (
    LEFT_OUT,
    Aggregate,
    Log,
    LogError,
    Scores,
    digest,
    fields_of,
    no_score,
)

__all__ = ["is_log", "read"]

_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
_RESULTS = re.compile(r"results_(\d{4}-\d\d-\d\dT[\d.-]+)\.json")

_INVALID = "[invalid]"

# The aggregation of a score if its task does not specify one.
_USUAL = {
    "perplexity": "perplexity",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
    "mcc": "matthews_corrcoef",
    **{name: name for name in ("f1", "bleu", "chrf", "ter")},
}


def is_log(path: Path, start: bytes) -> bool:
    """Return whether the beginning of a file looks like this harness's."""
    line = start.partition(b"\n")[0]
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        return all(key in line for key in (b'"doc_id"', b'"filtered_resps"'))
    return all(key in start for key in (b'"results"', b'"alias"')) and b'"group_subtasks"' in start


def read(path: Path) -> Log:
    """Return the scores of a file of samples, or of all such files of a file of results.

    Raises:
        LogError: A file is not such a log, or is damaged, or there are no samples.
    """
    folder = path if path.is_dir() else path.parent
    names = sorted(folder.glob("*.jsonl*")) if folder.exists() else []
    files = [file for file in names if _SAMPLES.match(file.name)]
    times = sorted({_time(_SAMPLES, file) for file in files})
    if path.is_dir() and times:
        files = [file for file in files if _time(_SAMPLES, file) == times[-1]]
    elif _RESULTS.match(path.name):
        files = [file for file in files if _time(_SAMPLES, file) == _time(_RESULTS, path)]
    else:
        files = [path]
    if not files:
        raise LogError(f"{path}: no samples in its folder; lm-eval writes them with --log_samples")
    remarks = []
    if path.is_dir() and len(times) > 1:
        remarks.append(f"{path} has {len(times)} runs: this is the last one, {times[-1]}")
    written = _results_file(files[0])
    results = read_json(written) if written else {}
    if not results:
        remarks.append(f"{files[0]}: no results_*.json in its folder to compare with")
    scores = [one for file in files for one in _of_task(file, written, results)]
    with reading(written or files[0]):
        scores += [*_of_groups(scores, results)]
    return Log("lm-eval", [*map(str, files)], scores, remarks)


def _time(pattern: re.Pattern[str], file: Path) -> str:
    match = pattern.match(file.name)
    return match[match.re.groups] if match else ""


def _results_file(samples: Path) -> Path | None:
    """Return the results file of the run that wrote these samples; None if it does not exist."""
    time = _time(_SAMPLES, samples)
    for name in (f"results_{time}.json", f"results_{time}.json.gz"):
        file = samples.parent / name
        if time and file.exists():
            return file
    return None


def _of_task(file: Path, written: Path | None, results: Mapping[str, Any]) -> list[Scores]:
    match = _SAMPLES.match(file.name)
    task = match[1] if match else file.name.partition(".")[0]
    with reading(written or file):
        config = results.get("configs", {}).get(task, {})
        numbers = dict(results.get("results", {}).get(task, {}))
        rules = {
            entry["metric"]: entry.get("aggregation") or _usual(entry["metric"])
            for entry in config.get("metric_list") or []
        }
        better = dict(results.get("higher_is_better", {}).get(task, {}))
        planned = dict(results.get("n-samples", {}).get(task, {})).get("effective")
        if not all(isinstance(rule, str) for rule in rules.values()):
            raise TypeError("the names of aggregations must be strings")
    with reading(file):
        columns: dict[tuple[str, str], list[dict[str, Any]]] = {}
        seen: set[tuple[Any, ...]] = set()
        for line in read_lines(file):
            key = line["filter"], line["doc_id"], digest([line["doc"], line.get("target")])
            if key in seen:
                raise LogError(f"{file}: doc_id {key[1]} occurs twice with the filter {key[0]!r}")
            seen.add(key)
            for name in line["metrics"]:
                if not (isinstance(name, str) and isinstance(line["filter"], str)):
                    raise TypeError("the names of scores and filters must be strings")
                columns.setdefault((name, line["filter"]), []).append(line)
        if not columns:
            raise LogError(f"{file}: it has no scores of samples")
        return [
            Scores(
                task,
                name,
                "" if part == "none" else part,
                [line[name] for line in lines] + [LEFT_OUT] * len(absent),
                [line["doc_id"] for line in lines] + absent,
                {field: cells + [None] * len(absent) for field, cells in _fields(lines).items()},
                _aggregates(name, part, rules.get(name, _usual(name)), numbers),
                asked=[digest([line["doc"], line.get("target")]) for line in lines]
                + [""] * len(absent),
                higher_is_better=_truth(better.get(name)),
                reasons=[_reason(line, name) for line in lines] + ["absent"] * len(absent),
            )
            for (name, part), lines in columns.items()
            for absent in [_absent(lines, planned)]
        ]


def _of_groups(scores: Sequence[Scores], results: Mapping[str, Any]) -> Iterator[Scores]:
    """Yield the scores of those groups of tasks whose tasks all have scores."""
    inside = results.get("group_subtasks", {})
    for group, numbers in (results.get("groups") or {}).items():
        tasks = _tasks(group, inside)
        for key, number in numbers.items():
            name, _, part = key.partition(",")
            of_tasks = {
                s.task: s for s in scores if (s.name, s.part or "none") == (name, part or "none")
            }
            if not part or name.endswith("_stderr") or not set(tasks) <= set(of_tasks):
                continue
            members = [of_tasks[task] for task in tasks]
            yield Scores(
                group,
                name,
                members[0].part,
                [value for one in members for value in one.values],
                [f"{one.task}/{i}" for one in members for i in one.ids],
                {"task": [one.task for one in members for _ in one.values]},
                [
                    Aggregate("mean", "mean of all", _number(number), "task"),
                    Aggregate(
                        "stderr", "pooled", _number(numbers.get(f"{name}_stderr,{part}")), "task"
                    ),
                ],
                is_group=True,
                reasons=[why for one in members for why in one.lacking("drop")],
            )


def _tasks(group: str, inside: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the tasks of a group, including those of the groups in it.

    Raises:
        ValueError: A task or a group occurs twice, or a group contains itself; lm-eval does not run
            such groups.
    """
    found, seen, left = [], set(), [group]
    while left:
        one = left.pop()
        if one in seen:
            raise ValueError(f"{one!r} is twice in the group {group!r}, or in itself")
        seen.add(one)
        members = inside.get(one)
        if members:
            left += reversed(members)
        else:
            found.append(one)
    return found


def _reason(line: Mapping[str, Any], name: str) -> str | None:
    """Return why a question has no score, which may count nevertheless; None if it has one."""
    found = line.get("filtered_resps")
    if isinstance(found, list) and found and all(one == _INVALID for one in found):
        return "unparseable"  # a regular expression found no answer; it counts as a wrong one
    return "no score" if no_score(line[name]) else None


def _absent(lines: Sequence[Mapping[str, Any]], planned: Any) -> list[int]:
    """Return the questions that were planned, and that are not in the file."""
    known = {line["doc_id"] for line in lines}
    if not isinstance(planned, int) or len(known) >= planned or not known <= {*range(planned)}:
        return []
    return [one for one in range(planned) if one not in known]


def _usual(name: str) -> str:
    return _USUAL.get(name, "mean")


def _fields(lines: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the fields of the questions, as columns."""
    return fields_of([line["doc"] if isinstance(line["doc"], dict) else {} for line in lines])


def _aggregates(name: str, part: str, rule: str, numbers: Mapping[str, Any]) -> list[Aggregate]:
    """Return the harness's aggregate of a score, and its standard error."""
    found = [Aggregate(rule, rule, _number(numbers.get(f"{name},{part}")))]
    error = _number(numbers.get(f"{name}_stderr,{part}"))
    if error is not None:
        found.append(Aggregate("stderr", "stderr" if rule == "mean" else "bootstrap", error))
    return found


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
