"""`--lock` writes the request before the run; `--locked` checks the run against it."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like._samples.ids import distinct, read_ids
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.cli.class_names import as_classes
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.inputs import unpacked
from mmeval_like.cli.matching import read_assignment
from mmeval_like.cli.readers import blaming, open_tables
from mmeval_like.cli.readers.inspection import inspect_all
from mmeval_like.cli.records import read_json, request_of, write_record
from mmeval_like.cli.require import check_percentages, parse_condition
from mmeval_like.cli.targets import check_targets
from mmeval_like.cli.terminal import tell
from mmeval_like.records.claim import describe_ids, describe_metric
from mmeval_like.records.verify import other_metrics
from mmeval_like.tables.column_matching import fitting

__all__ = ["departures", "hold", "read_lock", "write_lock"]

FORMAT = "mmeval_like-lock/1"
_OF_RESULTS = ("json", "csv", "report", "record", "state")  # a file of options may name them


def write_lock(options: argparse.Namespace) -> None:
    """Write the metrics, options, requirements and digest of the ids, without scoring.

    Predictions need not exist yet: only the column of `--ids` is read from the files. If a file is
    asked for that only a score would fill, a line says that it was not written.

    Raises:
        InputError: A metric cannot be constructed, or a file cannot be read.
    """
    check_targets({"--lock": options.lock}, dict.fromkeys(options.files, "one of the files"))
    conditions = [parse_condition(text) for text in options.require]
    asked = {
        "metrics": options.metric,
        "columns": {},
        "by": [text.split(",") for text in options.by],
        "ids": options.ids,
        "size": options.size,
        "interval": None if options.interval is None else repr(options.interval),
        "cluster": options.cluster,
        "classes": as_classes(options.classes),
        "annotations": None,
    }
    if options.unscored is not None or options.unscored_column:
        asked["unscored"] = [str(options.unscored or "refuse"), *options.unscored_column]
    request = request_of(asked, None)
    assigned = map(read_assignment, options.column)
    columns = {request.naming.name(argument): names for argument, names in assigned}
    total: Any = request.start(NonDist())
    check_percentages(conditions, {name: one.ranges for name, one in total.members.items()})
    lock = {
        "format": FORMAT,
        "metrics": {name: describe_metric(one) for name, one in total.members.items()},
        "request": _compared(asked) | ({"columns": columns} if columns else {}),
        "ids": None if options.ids is None else _ids_of(options.files, options.ids),
        "require": options.require,
    }
    write_record(options.lock, lock)
    absent = [f"--{name} {file}" for name in _OF_RESULTS if (file := getattr(options, name))]
    if absent:
        tell(f"--lock scores nothing: not written: {', '.join(absent)}")


def _ids_of(patterns: Sequence[str], ids: str) -> dict[str, Any]:
    found = []
    with unpacked(patterns, None) as files:
        tables = open_tables(files)
        inspect_all(tables, [ids], keys=[ids])
        for table in tables:
            with blaming(table.path):
                for start, stop in table.units():
                    for batch in table.read(start, stop, [ids]):
                        table.check_filled(batch, ids)
                        found.append(read_ids(batch.columns[ids], len(batch.columns[ids])))
    if not found:
        raise InputError("--lock: there are no ids in the files")
    return describe_ids(distinct(np.concatenate(found))[0])


def read_lock(path: str) -> tuple[dict[str, Any], str]:
    """Return a lock, and the SHA-256 of its file.

    Raises:
        InputError: The file is not a lock.
    """
    lock = read_json(path)
    if not isinstance(lock, dict) or lock.get("format") != FORMAT or not _is_whole(lock):
        raise InputError(f"{path}: not a lock written by `score --lock`")
    return lock, hashlib.sha256(Path(path).read_bytes()).hexdigest()


def hold(path: str, claim: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a lock, after checking that a claim conforms to the lock.

    Args:
        path: The file of the lock.
        claim: The claim of a record.

    Raises:
        InputError: The claim differs from the lock; the error says where.
    """
    lock, digest = read_lock(path)
    for text in departures(lock, claim):
        raise InputError(f"--locked {path}: {text}")
    return digest


def departures(lock: Mapping[str, Any], claim: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences of a claim from its lock."""
    asked = _compared(claim["request"])
    names = [*asked, *(["unscored"] if "unscored" in lock["request"].keys() - asked else [])]
    pairs = [(name, lock["request"].get(name), asked.get(name)) for name in names]
    for name, locked, now in [*pairs, ("ids", lock["ids"], claim.get("ids"))]:
        if locked != now:
            yield f"{name} was {locked}, and is now {now}"
    read = claim["request"]["columns"]
    for argument, columns in lock["request"].get("columns", {}).items():
        now = read.get(argument, [])
        if [one for name in columns for one in fitting(name, now) or [name]] != now:
            yield f"the column of {argument} was {','.join(columns)}, and is now {','.join(now)}"
    yield from map(str, other_metrics(lock["metrics"], claim["metrics"]))


def _is_whole(lock: Mapping[str, Any]) -> bool:
    """Return whether a lock has all its parts, with the right types."""
    types = {"metrics": dict, "request": dict, "require": list, "ids": dict | None}
    if not all(name in lock and isinstance(lock[name], kind) for name, kind in types.items()):
        return False
    texts = [*lock["require"], *(one for some in _columns_of(lock) for one in some)]
    for one in lock["metrics"].values():
        parts = one if isinstance(one, dict) else {}
        texts += [parts.get("class"), parts.get("identity")]
    return all(isinstance(text, str) for text in texts)


def _columns_of(lock: Mapping[str, Any]) -> list[Any]:
    found = lock["request"].get("columns", {})
    listed = [*found.values()] if isinstance(found, dict) else [found]
    return [some if isinstance(some, list) else [None] for some in listed]


def _compared(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a request that are known before there are predictions."""
    names = ("by", "ids", "size", "interval", "cluster", "classes")
    rule = {"unscored": asked["unscored"]} if asked.get("unscored") else {}
    return {name: asked[name] for name in names} | rule
