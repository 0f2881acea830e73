"""Runs of HELM: a folder with per_instance_stats.json and stats.json.

The first has, for each instance, trial and perturbation, a list of statistics: their name, the
split, and the sum and the count of their values, mostly of one value. The second has the harness's
own aggregates with the same names: for each trial, the mean over its instances, then the mean over
trials. A trial is a run with other examples in the prompt. This module was written from files of
crfm-helm 0.5.16; https://crfm-helm.readthedocs.io explains the terms.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from mmeval_like.logs.files import beginning, read_json, reading
from mmeval_like.logs.log import LEFT_OUT, Aggregate, Log, LogError, Scores

__all__ = ["is_log", "read"]

_SAMPLES, _TOTALS = "per_instance_stats.json", "stats.json"
# Counts that are not scores.
_NO_SCORES = re.compile(
    r"(num|finish_reason|inference|training|estimated)_.*|batch_size|max_prob|prompt_truncated"
)
_UNEVEN = "mean over trials of unequal numbers of samples"


def is_log(path: Path, start: bytes) -> bool:
    """Return whether the beginning of a file looks like this harness's."""
    return _has_samples(start) or all(
        key in start for key in (b'"sum_squared"', b'"count"', b'"split"')
    )


def read(path: Path) -> Log:
    """Return the scores of a run, given its folder or one of its two files.

    Raises:
        LogError: A file is not such a log, or is damaged, or there are no scores of instances.
    """
    folder = path if path.is_dir() else path.parent
    file = path
    if path.is_dir() or not _has_samples(beginning(path)):
        found = _beside(folder, _SAMPLES)
        if found is None:
            raise LogError(f"{path}: its folder has no {_SAMPLES}, the scores of instances")
        file = found
    totals = _beside(folder, _TOTALS)
    remarks = [] if totals else [f"{file}: no {_TOTALS} in its folder to compare with"]
    with reading(file):
        columns: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
        planned: dict[str, dict[str, None]] = {}
        named: dict[str, str] = {}
        for instance in read_json(file):
            for stat in instance["stats"]:
                planned.setdefault(_kind(stat["name"]), {})[instance["instance_id"]] = None
                named.setdefault(_key(stat["name"]), stat["name"]["name"])
                if stat["count"] and not _NO_SCORES.fullmatch(stat["name"]["name"]):
                    own = columns.setdefault(_key(stat["name"]), {})
                    own.setdefault(instance["instance_id"], []).append(stat)
        if not columns:
            raise LogError(f"{file}: it has no scores of samples")
        theirs = _theirs(totals)
        task = _task(folder)
        blank = {name: None for key, name in named.items() if key not in columns}
        blank_names = [name for name in blank if not _NO_SCORES.fullmatch(name)]
        names = {key: json.loads(key) for key in columns}
        scores = [_scores(task, names[key], theirs.get(key), own, planned[_kind(names[key])])
                  for key, own in columns.items()]  # fmt: skip
    if totals:
        remarks.append(
            f"{len(theirs.keys() & columns.keys())} of {len(theirs)} numbers in {_TOTALS} are "
            f"means of scores; the others count tokens and seconds, or combine several scores"
            + ", or are of no sample"
            * bool(blank_names)
        )
    if blank_names:
        shown = ", ".join(blank_names[:5]) + ", ..." * (len(blank_names) > 5)
        remarks.append(f"{file}: no sample has a score called {shown}")
    return Log("helm", [str(file)], scores, remarks)


def _theirs(totals: Path | None) -> dict[str, Any]:
    """Return the means that the harness wrote, by the name of the statistic."""
    if totals is None:
        return {}
    with reading(totals):
        return {_key(one["name"]): one.get("mean") for one in read_json(totals)}


def _has_samples(start: bytes) -> bool:
    return all(key in start for key in (b'"instance_id"', b'"train_trial_index"', b'"stats"'))


def _beside(folder: Path, name: str) -> Path | None:
    """Return a file of a run, which may be compressed; None if it does not exist."""
    files = (folder / name, folder / f"{name}.gz")
    return next((file for file in files if file.exists()), None)


def _key(name: Mapping[str, Any]) -> str:
    """Return the name of a statistic, with its split and perturbation, as one string."""
    return json.dumps(name, sort_keys=True)


def _kind(name: Mapping[str, Any]) -> str:
    """Return the split and the perturbation of a statistic, as one string."""
    return _key({**name, "name": ""})


def _task(folder: Path) -> str:
    """Return the name of a run, from its description, or else that of its folder."""
    file = _beside(folder, "run_spec.json")
    if file is None:
        return folder.absolute().name
    with reading(file):
        return str(read_json(file)["name"])


def _scores(
    task: str,
    name: Mapping[str, Any],
    theirs: float | None,
    own: Mapping[str, Sequence[Mapping[str, Any]]],
    planned: Iterable[str],
) -> Scores:
    """Return the values of one statistic; an instance with several trials has their mean.

    Args:
        task: The name of the run.
        name: The name of the statistic.
        theirs: The harness's mean.
        own: The statistics of each instance that has them.
        planned: The instances of the same split and perturbation.
    """
    absent = [one for one in planned if one not in own]
    values = [
        Fraction(sum(_sum(stat) for stat in several), sum(s["count"] for s in several))
        for several in own.values()
    ]
    even = len(Counter(sum(s["count"] for s in several) for several in own.values())) == 1
    return Scores(
        task,
        name["name"],
        ", ".join(_parts(name)),
        [*map(float, values), *[LEFT_OUT] * len(absent)],
        [*own, *absent],
        aggregates=[Aggregate("mean", "mean" if even else _UNEVEN, theirs)],
        exact=[*values, *[LEFT_OUT] * len(absent)],
        reasons=[*[None] * len(own), *["no score"] * len(absent)],
        dataset=re.sub(r"(?<=[:,])model=[^,]*,?", "", task).rstrip(":,"),
    )


def _sum(stat: Mapping[str, Any]) -> Fraction:
    """Return the sum of a statistic; a string, whose exponent could be huge, is rejected."""
    if not isinstance(stat["sum"], int | float):
        raise TypeError(f"a sum is a number, got {stat['sum']!r:.40}")
    return Fraction(stat["sum"])


def _parts(name: Mapping[str, Any]) -> Iterator[str]:
    """Yield the split of a statistic, and the perturbation of its instances."""
    for part in ("split", "sub_split"):
        if name.get(part):
            yield str(name[part])
    perturbation = name.get("perturbation") or {}
    if perturbation:
        own = perturbation.keys() - {"name", "computed_on", "robustness", "fairness"}
        details = [f"{key}={perturbation[key]}" for key in sorted(own)]
        yield " ".join([str(perturbation.get("name", "")), *details])
