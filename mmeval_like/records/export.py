"""Exports of records: Every Eval Ever, Hugging Face's evaluation results, in-toto.

Facts that a record does not contain, such as the model's name, are passed in; errors name required
facts that are missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like.records.claim import account_in, check_unchanged
from mmeval_like.records.statement import statement

__all__ = ["FORMS", "exported"]

PREDICATE = "urn:mmeval-like:record:1"


class _Facts(dict[str, str]):
    """The facts given in addition to the record; errors name all that are missing."""

    def need(self, *names: str) -> None:
        missing = [name for name in names if name not in self]
        if missing:
            raise ValueError(f"a record does not contain {', '.join(missing)}: give them")

    def known(self, **named: str) -> dict[str, str]:
        """Return the given facts under new names."""
        return {key: self[name] for key, name in named.items() if name in self}


def exported(record: Mapping[str, Any], to: str, facts: Mapping[str, str]) -> Any:
    """Return a record in another format, as values for JSON or YAML.

    Args:
        record: What `Recorded.record` returned.
        to: "eee" (Every Eval Ever, schema 0.3.0), "hf" (a list for a file of `.eval_results/`) or
            "in-toto" (a Statement v1 whose predicate is the claim, not signed yet).
        facts: The facts that the record does not contain, by name. "eee" needs `model` (org/name),
            `dataset`, `organization`, `relationship` (first_party, third_party, collaborative or
            other); "hf" needs `dataset` and `task`. Also `url`, `source` and `revision` for "hf";
            `evaluation`, `hf_repo`, `hf_split`, `deployment` (self_deployed, externally_managed)
            and `availability` (open_weights, closed_weights) for "eee"; `predicate` for "in-toto".

    Raises:
        ValueError: The format is unknown; facts are missing, which the error names; a fact or its
            value does not exist in the format; for "in-toto" the record has no files; or `record`
            is not a record, or is damaged or changed.
    """
    if to not in FORMS:
        raise ValueError(f"to must be one of {', '.join(FORMS)}, got {to!r}")
    for name, value in facts.items():
        if name not in _FACTS[to]:
            raise ValueError(f"it has no place for {name!r}, only for {', '.join(_FACTS[to])}")
        if name in _WORDS and value not in _WORDS[name]:
            raise ValueError(f"{name} must be one of {', '.join(_WORDS[name])}, got {value!r}")
    check_unchanged(record)
    try:
        return FORMS[to](record, _Facts(facts))
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"not a record, or damaged: {error!r}") from error


def _in_toto(record: Mapping[str, Any], facts: _Facts) -> dict[str, Any]:
    files = [one for one in record["made"].get("files", []) if "sha256" in one]
    return statement(files, facts.get("predicate", PREDICATE), record["claim"])


def _hf(record: Mapping[str, Any], facts: _Facts) -> list[dict[str, Any]]:
    facts.need("dataset", "task")
    found = []
    for _, which, name, key, one in _numbers(record):
        dataset = {"id": facts["dataset"], "task_id": facts["task"]}
        if which != WHOLE:
            dataset["task_id"] += f" {which}"
        entry: dict[str, Any] = {
            "dataset": dataset | facts.known(revision="revision"),
            "value": float.fromhex(one["hex"]),
            "date": record["made"]["time"].partition("T")[0],
            "notes": f"{name} {key}, {_said(record, which, one)}",
        }
        source = facts.known(url="url", name="source")
        found.append(entry | ({"source": source} if source else {}))
    return found


def _said(record: Mapping[str, Any], which: str, one: Mapping[str, Any]) -> str:
    parts = [f"record {record['id']}"]
    if (account := account_in(record["claim"], which)) is not None:
        of_interval = _is_known(one) and one["unit"] == "sample"
        count = one["units"] if of_interval else account.planned
        parts = [f"n = {count}", *filter(None, [account.said()]), *parts]
    if "worst" in one:
        parts = [f"from {float(one['worst']):.4g} to {float(one['best']):.4g}", *parts]
    said = ", ".join(parts)
    if not _is_known(one):
        return said
    low, high = (float.fromhex(one[end]) for end in ("low", "high"))
    level = 100 * float(one["level"])
    return f"{level:g} % interval {low:.4g} to {high:.4g}, {one['method']}, {said}"


def _eee(record: Mapping[str, Any], facts: _Facts) -> dict[str, Any]:
    facts.need("model", "dataset", "organization", "relationship")
    made, claim = record["made"], record["claim"]
    stamp = str(int(_epoch(made["time"])))
    name = facts.get("evaluation", facts["dataset"])
    data: dict[str, Any] = {"dataset_name": facts["dataset"], "source_type": "other"}
    count = claim["samples"]["count"]
    if "hf_repo" in facts:
        data |= {"source_type": "hf_dataset", "samples_number": count}
        data |= facts.known(hf_repo="hf_repo", hf_split="hf_split")
    else:
        data["additional_details"] = {"samples_number": str(count)}
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{name}/{facts['model']}/{stamp}",
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": facts["organization"],
            "evaluator_relationship": facts["relationship"],
        },
        "eval_library": {
            "name": "mmeval_like",
            "version": made["versions"]["mmeval_like"],
            "additional_details": {
                "record_id": record["id"],
                "rows_digest": claim["rows"]["digest"],
            },
        },
        "model_info": {
            "name": facts["model"],
            "id": facts["model"],
            "additional_details": {
                "deployment_type": facts.get("deployment", "unknown"),
                "model_availability": facts.get("availability", "unknown"),
            },
        },
        "evaluation_results": [
            _result(record, metric, which, member, key, one, data)
            for metric, which, member, key, one in _numbers(record)
        ],
    }


def _of_key(by_pattern: Mapping[str, Any], key: str, otherwise: Any) -> Any:
    """Return what a metric of a record says of a key: the first pattern that matches."""
    fitting = (one for pattern, one in by_pattern.items() if fnmatchcase(key, pattern))
    return next(fitting, otherwise)


def _result(
    record: Mapping[str, Any],
    metric: Mapping[str, Any],
    which: str,
    member: str,
    key: str,
    one: Mapping[str, Any],
    data: Mapping[str, Any],
) -> dict[str, Any]:
    name = " ".join([*([which] if which != WHOLE else []), member, key])
    least, most = _of_key(metric["ranges"], key, ("-inf", "inf"))
    better = _of_key(metric.get("higher_is_better_of", {}), key, metric["higher_is_better"])
    config = {
        "metric_id": f"mmeval_like.{metric['class']}",
        "metric_name": key,
        "metric_parameters": {"identity": metric["identity"]},
        "lower_is_better": better is False,
        "score_type": "continuous",
        "min_score": _end(float(least)),
        "max_score": _end(float(most)),
    }
    ends = {end: one[end] for end in ("worst", "best") if end in one}
    account = account_in(record["claim"], which)
    unscored = {} if account is None else account.unscored
    counts = {f"unscored {reason}": str(count) for reason, count in unscored.items()}
    details: dict[str, Any] = {
        "score": float.fromhex(one["hex"]),
        "details": {"hex": one["hex"], **ends, **counts},
    }
    if _is_known(one):
        details["uncertainty"] = {
            "standard_error": {
                "value": float.fromhex(one["standard_error"]),
                "method": one["method"],
            },
            "confidence_interval": {
                "lower": float.fromhex(one["low"]),
                "upper": float.fromhex(one["high"]),
                "confidence_level": float(one["level"]),
                "method": one["method"],
            },
        }
        if account is not None:
            of_samples = one["unit"] == "sample"
            details["uncertainty"]["num_samples"] = one["units"] if of_samples else account.planned
    return {
        "evaluation_result_id": f"{record['id'][:16]}/{name}",
        "evaluation_name": name,
        "source_data": dict(data),
        "metric_config": config,
        "score_details": details,
    }


def _end(value: float) -> float | str:
    """Return the end of a range as a JSON value."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _is_known(one: Mapping[str, Any]) -> bool:
    """Return whether a number has an interval with both ends."""
    ends = [one.get(name, "nan") for name in ("low", "high", "standard_error")]
    return all(math.isfinite(float.fromhex(end)) for end in ends)


def _epoch(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def _numbers(record: Mapping[str, Any]) -> list[tuple[Any, str, str, str, Mapping[str, Any]]]:
    """Return all floats: the metric, the slice, the metric's name, the key, the number."""
    claim = record["claim"]
    return [
        (claim["metrics"][member], which, member, key, one)
        for which, members in claim["values"].items()
        for member, numbers in members.items()
        for key, one in numbers.items()
        if "hex" in one and math.isfinite(float.fromhex(one["hex"]))
    ]


_FACTS = {
    "eee": (
        *("model", "dataset", "organization", "relationship", "evaluation", "hf_repo", "hf_split"),
        *("deployment", "availability"),
    ),
    "hf": ("dataset", "task", "url", "source", "revision"),
    "in-toto": ("predicate",),
}
_WORDS = {
    "relationship": ("first_party", "third_party", "collaborative", "other"),
    "deployment": ("self_deployed", "externally_managed"),
    "availability": ("open_weights", "closed_weights"),
}
FORMS: dict[str, Callable[[Mapping[str, Any], _Facts], Any]] = {
    "eee": _eee,
    "hf": _hf,
    "in-toto": _in_toto,
}
