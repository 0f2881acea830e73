"""Logs of Inspect: .eval files, which are zip files of JSON, and .json files.

The header has the scorers, the way in which repeats of a sample were reduced, and the harness's own
aggregates. Each sample has an id, an epoch (the number of the repeat), metadata, and a score for
each scorer, whose value is a number, a letter, or a dict of these. This module was written from
logs of inspect-ai 0.3.285, which leaves out samples without a score, such as those that ended with
an error, and scores that are nan, and counts values that stand for no number, such as a text, as 0;
https://inspect.aisi.org.uk/eval-logs.html and https://inspect.aisi.org.uk/scorers.html describe
them.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from mmeval_like.logs.files import beginning, read_json, reading, unzipped
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

__all__ = ["is_log", "read", "reduced"]

# The values of letters: correct, incorrect, partially correct, no answer.
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MEANS = ("accuracy", "mean")

_UNPARSEABLE = "unparseable"


def is_log(path: Path, start: bytes) -> bool:
    """Return whether the beginning of a file looks like Inspect's."""
    if start[:2] == b"PK":
        with unzipped(path) as members:
            return "header.json" in members or "_journal/start.json" in members
    return all(key in start for key in (b'"version"', b'"status"', b'"eval"', b'"task_id"'))


def read(path: Path) -> Log:
    """Return the scores of a log, or of all logs in a folder.

    Raises:
        LogError: A file is not such a log, or is damaged, or the evaluation did not finish.
    """
    if path.is_dir():
        files = sorted([*path.glob("*.eval"), *path.glob("*.json*")])
        logs = [read(file) for file in files if is_log(file, beginning(file))]
        if not logs:
            raise LogError(f"{path}: no log of Inspect in this folder")
        names = [file for log in logs for file in log.files]
        return Log("inspect", names, [one for log in logs for one in log.scores])
    if path.name.removesuffix(".gz").endswith(".json"):
        header = read_json(path)
        samples = header.get("samples") or []
    else:
        with unzipped(path) as members:
            if "header.json" not in members:
                raise LogError(f"{path}: no header.json: the evaluation has not finished")
            header = members["header.json"]()
            samples = [read() for name, read in members.items() if name.startswith("samples/")]
    with reading(path):
        if not samples or not header.get("results"):
            status = header.get("status")
            raise LogError(f"{path}: no samples with results in it; its status is {status!r}")
        twice = Counter((str(s["id"]), s["epoch"]) for s in samples).most_common(1)
        if twice[0][1] > 1:
            key, epoch = twice[0][0]
            raise LogError(f"{path}: the sample {key!r} occurs twice in epoch {epoch}")
        order = {str(key): n for n, key in enumerate(header["eval"]["dataset"]["sample_ids"] or [])}
        samples += [*_absent(header, samples)]
        samples.sort(key=lambda s: (s["epoch"], order.get(str(s["id"]), math.inf)))
        scores = [
            _scores(header["eval"]["task"], one, samples) for one in header["results"]["scores"]
        ]
    return Log("inspect", [str(path)], scores)


def _scores(task: str, one: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> Scores:
    """Return the values of one scorer, with repeats reduced by the harness's reducer."""
    by_id: dict[str, list[Mapping[str, Any]]] = {}
    for sample in samples:
        by_id.setdefault(str(sample["id"]), []).append(sample)
    reduce = partial(reduced, one.get("reducer") or "mean")
    firsts = [min(several, key=_is_absent) for several in by_id.values()]  # only these have fields
    fields = fields_of([sample.get("metadata") or {} for sample in firsts])
    left_out = _left_out(one, samples)
    values: list[Any] = []
    reasons: list[str | None] = []
    repeats = []
    for several in by_id.values():
        pairs = [_score(sample, one, left_out) for sample in several]
        counted = [score for score, why in pairs if why in (None, _UNPARSEABLE)]
        value = reduce(counted) if counted else None
        whys = [why for _, why in pairs if why is not None]
        values.append(LEFT_OUT if value is None else value)
        repeats.append([score if why is None else None for score, why in pairs])
        if value is None:
            reasons.append([*whys, "too few repeats"][0])
        else:
            reasons.append(_UNPARSEABLE if {*repeats[-1]} == {None} else None)
    return Scores(
        task,
        one["name"],
        one.get("reducer") or "",
        [value if value is LEFT_OUT else float(value) for value in values],
        [sample["id"] for sample in firsts],
        fields,
        [_aggregate(metric, fields) for metric in one["metrics"].values()],
        exact=values,
        asked=[
            digest([_words(sample.get("input")), sample.get("target")]) if "input" in sample else ""
            for sample in firsts
        ],
        higher_is_better=_higher_is_better(one),
        reasons=reasons,
        repeats=repeats,
        reduce=reduce,
    )


def _score(
    sample: Mapping[str, Any], one: Mapping[str, Any], left_out: bool
) -> tuple[Any, str | None]:
    """Return a sample's score, as the log has it, and the reason why it is none, or None.

    Args:
        sample: The sample.
        one: The scorer.
        left_out: Whether the harness left out scores of samples that ended with an error.
    """
    score = (sample.get("scores") or {}).get(one["scorer"])
    if score is not None and not (left_out and sample.get("error")):
        value = score["value"]
        if isinstance(value, Mapping):
            value = value.get(one["name"])
        if not no_score(value):
            return value, _UNPARSEABLE if _number(value) is None else None
    choices = (sample.get("output") or {}).get("choices") or [{}]
    if _is_absent(sample):
        return None, "absent"
    if sample.get("error"):
        return None, "error"
    if sample.get("limit") and score is None:
        return None, "limit"
    if choices[0].get("stop_reason") == "content_filter":
        return None, "refusal"
    return None, "no score"


def _left_out(one: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the harness left out scores of samples with an error.

    Some versions of it wrote such scores without counting them.
    """
    scored = [s for s in samples if one["scorer"] in (s.get("scores") or {})]
    fine = sum(not sample.get("error") for sample in scored)
    return len(scored) > fine == one.get("scored_samples")


def _absent(header: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """Yield the samples that the evaluation should have, and that are not in the log."""
    ids = header["eval"]["dataset"].get("sample_ids") or []
    epochs = (header["eval"].get("config") or {}).get("epochs") or 1
    if header["results"].get("total_samples") != len(ids) * epochs:
        return
    known = {(str(sample["id"]), sample["epoch"]) for sample in samples}
    for epoch in range(1, epochs + 1):
        for one in ids:
            if (str(one), epoch) not in known:
                yield {"id": one, "epoch": epoch, "absent": True}


def _is_absent(sample: Mapping[str, Any]) -> bool:
    return bool(sample.get("absent"))


def _words(asked: Any) -> Any:
    """Return a question without the ids of messages, which differ in every run."""
    if not isinstance(asked, list):
        return asked
    return [
        [one.get("role"), one.get("content")] if isinstance(one, Mapping) else one for one in asked
    ]


def _higher_is_better(one: Mapping[str, Any]) -> bool | None:
    """Return True for a share of correct answers; None otherwise: the log does not say."""
    names = {metric["name"].rpartition("/")[2] for metric in one["metrics"].values()}
    return True if "accuracy" in names else None


def _number(value: Any) -> Fraction | None:
    """Return a score as a number; None if it stands for none.

    Raises:
        OverflowError: The number is infinite.
    """
    if isinstance(value, int | float | Fraction):
        return Fraction(value)
    text = value if isinstance(value, str) else ""
    if text in _LETTERS or text.lower() in _WORDS:
        return Fraction(_LETTERS.get(text, _WORDS.get(text.lower(), 0.0)))
    try:
        return Fraction(float(text))
    except (ValueError, OverflowError):
        return None


def reduced(reducer: str, scores: Sequence[Any]) -> Fraction | None:
    """Return the value of a sample, reduced from its repeats; None if there are too few of them.

    Args:
        reducer: The name of the harness's reducer.
        scores: Numbers, or what stands for them in a log, such as "C"; anything else counts as 0.
            The mode is that of the scores as they are: "I" and "N" are two, although both are 0. A
            fraction, which fills a missing score, counts as one of the others of this value.

    Raises:
        LogError: The reducer is unknown here.

    Example:
        >>> reduced("pass_at_2", [1, 0, 0]), reduced("pass_at_2", [1])
        (Fraction(2, 3), None)
        >>> reduced("mode", ["I", "N", "C", "C"]), reduced("mode", ["I", "C", Fraction(1)])
        (Fraction(1, 1), Fraction(1, 1))
    """
    if reducer == "mode":
        ranked = [score for score, _ in Counter(map(_hashable, scores)).most_common()]
        known = [score for score in ranked if not isinstance(score, Fraction)]
        named = [
            next((other for other in known if _number(other) == score), score)
            if isinstance(score, Fraction)
            else _hashable(score)
            for score in scores
        ]
        scores = [Counter(named).most_common(1)[0][0]]
    exact = [_number(score) or Fraction(0) for score in scores]
    k = re.fullmatch(r"(pass_at|pass_k|at_least)_(\d+)", reducer)
    if k is None:
        ways: dict[str, Any] = {
            "mean": statistics.mean,
            "median": statistics.median,
            "max": max,
            "mode": max,  # of the one that is left
        }
        if reducer not in ways:
            raise LogError(f"the reducer {reducer!r} for repeated samples is unknown here")
        return Fraction(ways[reducer](exact))
    n, c, least = len(exact), sum(value >= 1 for value in exact), int(k[2])
    if k[1] == "at_least":
        return Fraction(c >= least)
    if n < least:
        return None
    if k[1] == "pass_k":
        return Fraction(math.comb(c, least), math.comb(n, least))
    return 1 - Fraction(math.comb(n - c, least), math.comb(n, least))


def _hashable(score: Any) -> Any:
    return score if isinstance(score, str | int | float | Fraction) else str(score)


def _aggregate(metric: Mapping[str, Any], fields: Mapping[str, Sequence[Any]]) -> Aggregate:
    """Return an aggregate of the harness; `fields` are the samples'."""
    name, parameters = metric["name"].rpartition("/")[2], metric.get("params") or {}
    value = metric["value"]
    if metric.get("group") != "grouped":
        return Aggregate(name, _rule(name), value, parameters.get("cluster"))
    inner, key = parameters["metric"]["name"].rpartition("/")[2], parameters["group_key"]
    of_all = parameters.get("all", "samples")
    shown = f"{inner}, {name}"
    if of_all and name == parameters.get("all_label", "all"):
        if of_all == "groups":
            return Aggregate(shown, f"{_rule(inner)} of groups", value, key)
        return Aggregate(shown, _rule(inner), value)
    template = parameters.get("name_template", "{group_name}")
    groups = {template.replace("{group_name}", str(one)): str(one) for one in fields.get(key, ())}
    return Aggregate(shown, _rule(inner), value, where=(key, groups.get(name, name)))


def _rule(name: str) -> str:
    return "mean" if name in _MEANS else name
