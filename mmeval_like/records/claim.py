"""The two parts of a record: the claim, and how the record was made."""

from __future__ import annotations

import hashlib
import math
import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from mmeval_like._base.account import Account, account_of
from mmeval_like._base.keys import WHOLE
from mmeval_like._core.metric import BaseMetric
from mmeval_like._core.result import Result, entries
from mmeval_like._intervals.interval import Interval
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.results import Results, ids_and_rows_of
from mmeval_like.records.canonical import digest_of
from mmeval_like.records.digest import shown
from mmeval_like.records.ranges import ranges_of
from mmeval_like.records.sketch import sketch_of

__all__ = [
    "FORMAT",
    "Found",
    "Shards",
    "account_in",
    "check_unchanged",
    "claim_of",
    "describe_ids",
    "describe_metric",
    "made_now",
    "record_of",
    "source_digest",
    "stated_claim",
]

FORMAT = "mmeval_like-record/1"
Shards: TypeAlias = Mapping[str, "tuple[int, np.ndarray]"]
_MOST = 256  # lists with more numbers are recorded by their digest


@dataclass(frozen=True)
class Found:
    """The facts in a record about its samples.

    Attributes:
        count: The number of samples.
        rows: The sum of the samples' hashes; with ids also the SHA-256 of the hashes in the order
            of the ids, and data from which two records find the samples that differ.
        ids: The kind of the ids, and the SHA-256 of the ascending ids; None: no ids.
        states: By statistic and state, the SHA-256 of each additive state whose bits do not depend
            on the processor.
    """

    rows: dict[str, Any]
    count: int
    ids: dict[str, str] | None
    states: dict[str, dict[str, str]]

    @classmethod
    def of(
        cls, rows: Results, own: Sequence[Results], states: Sequence[Mapping[str, State]]
    ) -> Found:
        """Return the facts from the merged results of the digest and of the metrics' statistics."""
        ids, of_rows = None, dict[str, Any](digest=shown(rows.rows))
        if (kept := ids_and_rows_of(rows)) is not None:
            known, hashes = kept[0], np.asarray(kept[1]["rows"])
            ids = describe_ids(known)
            of_rows["sha256"] = hashlib.sha256(hashes.astype("<u8").tobytes()).hexdigest()
            of_rows["sketch"] = sketch_of(known, hashes)
            if (ranges := ranges_of(known, hashes)) is not None:
                of_rows["ranges"] = ranges
        found = {
            str(place): {
                name: _state_digest(results, name)
                for name, state in of_statistic.items()
                if state.additive
            }
            for place, (results, of_statistic) in enumerate(zip(own, states, strict=True))
        }
        return cls(of_rows, len(rows), ids, {k: v for k, v in found.items() if v})


def _state_digest(results: Results, name: str) -> str:
    """Return the SHA-256 of an additive state; exact sums are hashed as fractions."""
    value: Any = getattr(results, name)
    array = np.asarray(value)
    try:
        exact = np.asarray(results.exact(name), object)
        text = ",".join(str(Fraction(one)) for one in exact.reshape(-1).tolist())
        return hashlib.sha256(text.encode()).hexdigest()
    except KeyError:  # not a float sum
        pass
    except (OverflowError, ValueError):  # infinite, or nan
        text = ",".join(map(repr, array.reshape(-1).tolist()))
        return hashlib.sha256(text.encode()).hexdigest()
    if array.dtype.kind == "O":  # an integer beyond int64
        return hashlib.sha256(str(value).encode()).hexdigest()
    head = f"{array.shape}".encode()
    return hashlib.sha256(head + array.astype("<i8").tobytes()).hexdigest()


def describe_ids(ids: np.ndarray) -> dict[str, str]:
    """Return the kind and the SHA-256 of distinct ids, ascending, as `read_ids` returns them."""
    texts = ids.ndim > 1
    data = ids.astype(">u8" if texts else "<i8").tobytes()
    return {"kind": "texts" if texts else "integers", "sha256": hashlib.sha256(data).hexdigest()}


def describe_metric(metric: BaseMetric) -> dict[str, Any]:
    """Return the description of a metric: class, options, and whether its bits are reproducible.

    Example:
        >>> from mmeval_like import Accuracy
        >>> found = describe_metric(Accuracy(topk=(1, 5)))
        >>> found["class"], "topk=[1, 5]" in found["identity"], found["exact"]
        ('Accuracy', True, True)
    """
    identity = metric.plan.identity.text
    for path in _paths(metric.plan.options()):
        identity = identity.replace(repr(path), repr(os.path.basename(path)))
    others = {"higher_is_better_of": dict(metric.higher_is_better_of)}
    return {
        "class": type(metric).__qualname__,
        "identity": identity,
        "exact": metric.processor_dependent is None,
        "higher_is_better": metric.higher_is_better,
        **(others if metric.higher_is_better_of else {}),
        "ranges": {key: [repr(end) for end in ends] for key, ends in metric.ranges.items()},
    }


def _paths(value: Any) -> Iterator[str]:
    """Yield the absolute paths in options; a record contains only their names."""
    if isinstance(value, str) and os.path.isabs(value):
        yield value
    elif isinstance(value, Mapping):
        yield from _paths([*value.values()])
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _paths(entry)


def claim_of(
    metrics: Mapping[str, Any],
    request: Mapping[str, Any],
    result: Result,
    found: Found,
    shards: Shards,
    alone: str | None,
    sliced: bool,
) -> dict[str, Any]:
    """Return the claim of an evaluation.

    Args:
        metrics: The results of `describe_metric`, by name.
        request: Other facts of the request.
        result: What `compute` returned.
        found: The facts about the samples.
        shards: The shards of all ranks; left out unless they contain all samples.
        alone: The name of the metric, if `result` has the values of one metric that is not in a
            collection.
        sliced: Whether `result` has slices.
    """
    report = result.report
    samples: dict[str, Any] = {"count": found.count}
    if report is not None:
        names = ("seen", "unique", "missing", "duplicated", "differing")
        samples |= {name: getattr(report, name) for name in names}
    if result.unscored:
        samples["unscored"] = result.unscored
        if sliced:
            samples["slices"] = dict(_slices(result.accounts))
    claim: dict[str, Any] = {
        "format": FORMAT,
        "metrics": dict(metrics),
        "request": dict(request),
        "samples": samples,
        "rows": found.rows,
        "values": dict(_values(result, alone, sliced)),
    }
    if found.states:
        claim["states"] = found.states
    if found.ids is not None:
        claim["ids"] = found.ids
    if shards and _contain_all(shards, samples.get("seen", result.samples), found):
        claim["shards"] = sorted([str(count), shown(lanes)] for count, lanes in shards.values())
    return claim


def _slices(accounts: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the number of samples of each slice, and by reason of those without a score."""
    for which, several in accounts.items():
        one = account_of(several)
        if which != WHOLE and one is not None:
            yield _clean(which), {"count": one.planned, "unscored": {**one.unscored}}


def account_in(claim: Mapping[str, Any], which: str) -> Account | None:
    """Return the account of a slice; None: the claim does not say how many samples it has.

    The command line counts them as a member of the metrics.
    """
    samples, counted = claim["samples"], claim["values"].get(which, {}).get("samples", {})
    found = samples if which == WHOLE else samples.get("slices", {}).get(which)
    if found is None and "samples" in counted and counted["samples"]["text"].isdecimal():
        found = {"count": int(counted["samples"]["text"])}
    return None if found is None else Account(found["count"], found.get("unscored", {}))


def _contain_all(shards: Shards, seen: int | None, found: Found) -> bool:
    """Whether shards contain the samples that were seen; a sample counts once although seen twice.

    Their numbers could be equal by chance.
    """
    counts, lanes = zip(*shards.values(), strict=True)
    alike = seen != found.count or shown(np.sum(lanes, axis=0)) == found.rows["digest"]
    return sum(counts) == seen and alike


def _values(result: Result, alone: str | None, sliced: bool) -> Iterator[tuple[str, Any]]:
    """Yield all numbers with their intervals and bounds, by slice and metric."""
    parts = (result, result.intervals, result.accounts or {})
    slices, of_slices, accounts = parts if sliced else ({WHOLE: one} for one in parts)
    for which, values in slices.items():
        several = (values, of_slices.get(which, {}), accounts.get(which, {}))
        members, known, own = several if alone is None else ({alone: one} for one in several)
        yield (
            _clean(which),
            {
                name: _numbers(found, known.get(name, {}), own.get(name))
                for name, found in members.items()
            },
        )


def _numbers(values: Any, intervals: Mapping[str, Any], accounts: Any) -> dict[str, Any]:
    known = {"/".join(path): one for path, one in entries(intervals, None)}
    limits = [
        {"/".join(path): one for path, one in entries(_limits(accounts, end), None)}
        for end in (0, 1)
    ]
    ends = {f"{key}_{end}" for key in intervals for end in ("low", "high")}
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key in ends:
            continue
        if isinstance(value, np.ndarray | list | tuple) and np.size(_sized(value)) > _MOST:
            found[_clean(key)] = {"text": f"{np.size(_sized(value))} numbers", **_long(value)}
            continue
        for path, entry in entries({key: value}, None):
            name = "/".join(path)
            found[_clean(name)] = _number(entry) | _interval(known.get(name))
            found[_clean(name)] |= {
                end: repr(limit[name])
                for end, limit in zip(("worst", "best"), limits, strict=True)
                if name in limit
            }
    return found


def _limits(accounts: Any, end: int) -> dict[str, Any]:
    """Return one end of the bounds in an account, or in accounts by name; empty: there are none."""
    if isinstance(accounts, Mapping):
        return {name: _limits(one, end) for name, one in accounts.items()}
    return {} if accounts is None else {key: ends[end] for key, ends in accounts.bounds.items()}


def _sized(value: Any) -> np.ndarray:
    return np.asarray(value) if isinstance(value, np.ndarray) else np.empty(len(value))


def _long(value: Any) -> dict[str, str]:
    text = ",".join(_number(entry)["text"] for _, entry in entries(value, None))
    return {"sha256": hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()}


def _number(value: Any) -> dict[str, Any]:
    if isinstance(value, float):
        return {"text": repr(value), "hex": value.hex()}
    return {"text": _clean(value if isinstance(value, str) else repr(value))}


def _interval(one: Interval | None) -> dict[str, Any]:
    if one is None:
        return {}
    return {
        "low": one.low.hex(),
        "high": one.high.hex(),
        "standard_error": one.standard_error.hex(),
        "level": repr(one.level),
        "method": one.method,
        "unit": one.unit,
        "units": one.units,
        "effective": "nan" if math.isnan(one.effective) else one.effective.hex(),
        "thin": one.thin,
    }


def _clean(text: str) -> str:
    """Return a string that UTF-8 can encode."""
    return text.encode("utf-8", "backslashreplace").decode()


def made_now(world: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about the making of a record now: time, versions, source, ranks."""
    return {
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "versions": {
            "mmeval_like": sys.modules[__name__.partition(".")[0]].__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "source": source_digest(),
        "world": dict(world),
    }


@cache
def source_digest() -> str:
    """Return the SHA-256 of the files of this package: their names, sizes and contents."""
    folder, digest = Path(__file__).parents[1], hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        content = file.read_bytes()
        name = file.relative_to(folder).as_posix()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def record_of(claim: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a claim."""
    return {"id": digest_of(claim), "claim": dict(claim), "made": dict(made)}


def stated_claim(record: Mapping[str, Any], name: str = "record") -> Mapping[str, Any]:
    """Return the claim of a record.

    Args:
        record: The record.
        name: The name of the argument, for the error.

    Raises:
        ValueError: It is not a record.
    """
    claim = record.get("claim") if isinstance(record, Mapping) else None
    if not isinstance(claim, Mapping):
        raise ValueError(
            f"{name} is not a record, or damaged: it has no claim; pass what `record()` of a "
            f"Recorded metric returned, got {record!r:.100}"
        )
    return claim


def check_unchanged(record: Mapping[str, Any]) -> None:
    """Raise unless a record has a known format and an unchanged claim.

    Raises:
        ValueError: The format is unknown, the claim was changed, or `record` is not a record.
    """
    stated_claim(record)
    try:
        form, known, found = record["claim"]["format"], record["id"], digest_of(record["claim"])
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"not a record, or damaged: {error!r}") from error
    if form != FORMAT:
        raise ValueError(f"the record has the format {form!r:.50}; this version reads {FORMAT!r}")
    if known != found:
        raise ValueError("the record was changed: its id is not the SHA-256 of its claim")
