"""Records and saved states of `score`, which all ranks compute and rank 0 writes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

from mmeval_like._base.threads import start
from mmeval_like._core.together import together
from mmeval_like._samples import checkpoint
from mmeval_like.backends import BaseDistBackend
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.cli import report
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.matching import classes_of, gaps_of, texts_of
from mmeval_like.cli.option_values import policy
from mmeval_like.cli.readers import blaming
from mmeval_like.cli.request import Request
from mmeval_like.cli.specs import parse_spec
from mmeval_like.cli.terminal import escaped
from mmeval_like.records.canonical import canonical
from mmeval_like.records.claim import source_digest
from mmeval_like.records.digest import shown
from mmeval_like.records.recorded import Recorded
from mmeval_like.tables.arguments import Naming
from mmeval_like.tables.unscored import marks_of

__all__ = [
    "described",
    "hashed",
    "hashing",
    "is_state",
    "make_record",
    "read_json",
    "read_state",
    "record_of_state",
    "request_of",
    "shard_names",
    "write_record",
    "write_state",
    "written_marks",
]

_BLOCK = 4 << 20


def shard_names(paths: Sequence[str]) -> list[str]:
    """Return the names of files without folders, made unique.

    Example:
        >>> shard_names(["a/preds.csv", "b/preds.csv", "more.csv"])
        ['preds.csv', 'preds.csv (2)', 'more.csv']
    """
    names: list[str] = []
    for path in paths:
        name = Path(path).name.encode("utf-8", "backslashreplace").decode()
        same = sum(one == name or one.startswith(f"{name} (") for one in names)
        names.append(f"{name} ({same + 1})" if same else name)
    return names


def hashing(request: Request, backend: BaseDistBackend) -> Future[dict[int, dict[str, Any]]]:
    """Begin to hash this rank's share of the files, and the package, in the background."""
    paths = [table.path for table in request.tables]
    mine = range(backend.rank, len(paths), backend.world_size)
    begun: Future[dict[int, dict[str, Any]]] = Future()

    def work() -> None:
        try:
            source_digest()
            begun.set_result({index: hashed(paths[index]) for index in mine})
        except Exception as error:
            begun.set_exception(error)

    start(Thread(target=work, daemon=True))  # a command that fails does not wait for it
    return begun


def hashed(path: str) -> dict[str, Any]:
    """Return the size of a file, and its SHA-256."""
    digest, size = hashlib.sha256(), 0
    with blaming(path), open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return {"bytes": size, "sha256": digest.hexdigest()}


def make_record(
    request: Request,
    total: Recorded,
    backend: BaseDistBackend,
    begun: Future[dict[int, dict[str, Any]]],
    made: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the record of a request that was computed; every rank must call it."""
    told = together(backend, lambda: (begun.result(), total.shards))
    shards: dict[str, tuple[int, np.ndarray]] = {}
    hashes: dict[int, dict[str, Any]] = {}
    for found, of_rank in told:
        hashes |= found
        for name, (count, lanes) in of_rank.items():
            before = shards.get(name, (0, np.zeros_like(lanes)))
            shards[name] = (before[0] + count, before[1] + lanes)
    files = []
    for index, name in enumerate(shard_names([table.path for table in request.tables])):
        count, lanes = shards.setdefault(name, (0, np.zeros(2, np.int64)))
        files.append({"name": name, "rows": count, "digest": shown(lanes), **hashes[index]})
    return total.record(described(request), shards, {"files": files, **made})


def record_of_state(request: Request, total: Recorded) -> dict[str, Any]:
    """Return the record of a saved state that was computed; it has no hashes of files."""
    files = [
        {"name": name, "rows": count, "digest": shown(lanes)}
        for name, (count, lanes) in total.shards.items()
    ]
    return total.record(described(request), made={"files": files})


def described(request: Request) -> dict[str, Any]:
    """Return the request without paths, as in a claim."""
    texts = [spec.text for spec in request.specs]
    annotations = None
    if request.annotations is not None:
        name = Path(request.annotations).name
        texts = [text.replace(request.annotations, name) for text in texts]
        annotations = {"name": name, "sha256": hashed(request.annotations)["sha256"]}
    asked = {
        "metrics": texts,
        "columns": {name: list(columns) for name, columns in request.columns.items()},
        "by": [list(family) for family in request.by],
        "ids": request.ids,
        "size": request.size,
        "interval": None if request.interval is None else repr(request.interval),
        "cluster": request.cluster,
        "classes": request.classes,
        "annotations": annotations,
    }
    if request.unscored is not None:
        rule = "refuse" if request.refuses else request.unscored
        asked["unscored"] = [str(rule), *written_marks(request.marks)]
    return asked


def written_marks(marks: Mapping[str, Sequence[str]]) -> list[str]:
    """Return columns that say why rows have no score as `--unscored-column` takes them."""
    return [f"{name}={','.join(some)}" if some else name for name, some in marks.items()]


def request_of(asked: Mapping[str, Any], annotations: str | None) -> Request:
    """Return the request that `described` describes, without files.

    Raises:
        InputError: The description is damaged, or its metrics cannot be constructed.
    """
    try:
        specs = [parse_spec(text) for text in asked["metrics"]]
        if asked["annotations"] is not None:
            if annotations is None:
                raise InputError(f"--annotations {asked['annotations']['name']} is needed")
            specs = [spec.annotated(annotations) for spec in specs]
        meta = {"classes": asked["classes"]} if asked["classes"] else None
        rule, *given = asked.get("unscored") or [None]
        rule = None if rule is None else policy(rule)
        metrics = [spec.make(meta) for spec in specs]
        columns, naming = dict(asked["columns"]), Naming.of(metrics)
        return Request(
            tables=[],
            specs=specs,
            naming=naming,
            columns=columns,
            texts=texts_of(metrics, naming, columns),
            gaps=gaps_of(metrics, naming, columns),
            by=[tuple(family) for family in asked["by"]],
            ids=asked["ids"],
            size=asked["size"],
            dataset_meta=meta,
            conditions=[],
            guessed={},
            of_classes=classes_of(metrics, naming),
            interval=None if asked["interval"] is None else float(asked["interval"]),
            cluster=asked["cluster"],
            annotations=annotations,
            recorded=True,
            unscored="drop" if rule == "refuse" else rule,
            marks=marks_of(given),
            refuses=rule == "refuse",
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"the request in it is damaged: {error!r}") from error


def write_record(path: str, record: Mapping[str, Any]) -> None:
    """Write a record in the form of RFC 8785; "-" means standard output, with a newline.

    If the output is a terminal, control characters are escaped, as JSON allows.

    Raises:
        InputError: The file cannot be written.
    """
    text = canonical(record).decode()
    report.write_text(path, f"{escaped(text)}\n" if path == "-" else text)


def write_state(path: str, request: Request, total: Recorded, backend: BaseDistBackend) -> None:
    """Save the merged samples of all ranks; every rank must call it.

    Raises:
        InputError: The file cannot be written, on rank 0.
    """
    told = together(backend, total.state_dict)

    def save() -> None:
        if backend.rank > 0:
            return
        whole: Any = request.start(NonDist())
        for found in told:
            part: Any = request.start(NonDist())
            part.load_state_dict(found)
            whole.merge(part)
        facts: dict[str, Any] = {"request": described(request)}
        if request.ranges:
            facts["ranges"] = {name: list(found) for name, found in request.ranges.items()}
        try:
            checkpoint.write(path, whole.state_dict() | facts)
        except OSError as error:
            raise InputError(f"--state {path}: {error.strerror or error}") from error

    together(backend, save)


def is_state(path: str) -> bool:
    """Return whether a file is a saved state, by its name or its first bytes.

    Example:
        >>> is_state("monday.safetensors"), is_state("preds.csv")
        (True, False)
    """
    if path.endswith(".safetensors") or not os.path.isfile(path):
        return path.endswith(".safetensors")
    with blaming(path), open(path, "rb") as file:
        head = file.read(9)
    return head[8:] == b"{" and int.from_bytes(head[:8], "little") < os.path.getsize(path)


def read_state(path: str, annotations: str | None = None) -> tuple[Request, Recorded]:
    """Return the request and the samples of a saved state.

    Raises:
        InputError: The file cannot be read, or was not written by `score --state`.
    """
    with blaming(path):
        try:
            found = checkpoint.read(path)
        except ValueError as error:
            raise InputError(str(error)) from error
        if "request" not in found:
            raise InputError(f"{path}: not a state written by `score --state`")
        request = request_of(found["request"], annotations)
        made_of, given = (one["annotations"] for one in (found["request"], described(request)))
        if made_of and made_of["sha256"] != given["sha256"]:
            raise InputError(f"{path}: was made with annotations other than {annotations}")
        for name, (each, ends) in found.get("ranges", {}).items():
            request.ranges[name] = bool(each), [float(end) for end in ends]
        total: Any = request.start(NonDist())
        try:
            total.load_state_dict(found)
        except ValueError as error:
            raise InputError(f"{path}: {error}") from error
    return request, total


def read_json(path: str) -> Any:
    """Return the content of a JSON file.

    Raises:
        InputError: The file cannot be read, or is not JSON.
    """
    with blaming(path):
        text = Path(path).read_bytes()
        try:
            return json.loads(text.decode(), object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: not a record or a lock, which are JSON ({error})") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the dict of pairs; raise ValueError if a name is repeated."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r:.50} occurs twice in one object")
    return found
