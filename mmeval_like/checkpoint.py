"""Samples so far as arrays and JSON values, and as files that never hold code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like.parts import Part
from mmeval_like.rows import Ragged, Rows
from mmeval_like.store import Store

__all__ = ["from_dict", "read", "to_dict", "write"]

_FORMAT = 1
_METADATA = "mmeval_like"  # the key in a file's metadata, and what shows that it is ours
_COMPLEX = "complex128"  # the names of these arrays, which the file format lacks: they are pairs


def to_dict(metric: str, stores: Sequence[Store], parts: Sequence[Part]) -> dict[str, Any]:
    """Return parts as a flat dict of arrays, which share no memory with them, and JSON values.

    Args:
        metric: What the parts belong to; compared when they are loaded.
        stores: Where they come from.
        parts: One per store.

    Raises:
        TypeError: Objects that are neither numbers, text, arrays nor containers of these.
    """
    found: dict[str, Any] = {"format": _FORMAT, "metric": metric}
    for index, (store, part) in enumerate(zip(stores, parts, strict=True)):
        found[f"{index}/count"], found[f"{index}/tail_count"] = part.count, part.tail_count
        if part.ids is not None:
            found[f"{index}/ids"] = part.ids
        for name, state in store.states.items():
            if state.ordered:
                _put(found, f"{index}/rows/{name}", part.ordered[name])
                continue
            found[f"{index}/folded/{name}"] = state.to_array(part.folded[name]).copy()
            if part.tail_count:
                _put(found, f"{index}/tail/{name}", part.tail[name])
    return found


def from_dict(
    found: Mapping[str, Any],
    metric: str,
    stores: Sequence[Store],
    source: str | PathLike[str] = "state_dict",
) -> list[Part]:
    """Return the parts, one per store, that `to_dict` was given.

    Args:
        found: The dict.
        metric: What the parts must belong to.
        stores: The stores they are for.
        source: What to call the dict in errors.

    Raises:
        ValueError: Another metric, a newer format, or missing or malformed entries.
    """
    version = found.get("format")
    if not isinstance(version, int) or version < 1:
        raise ValueError(f"{source} is not a saved metric")
    if version > _FORMAT:
        raise ValueError(
            f"{source} has format {version}, this version of mmeval-like reads up to {_FORMAT}: "
            f"upgrade it"
        )
    if found.get("metric") != metric:
        raise ValueError(f"{source} was saved by {found.get('metric')}, this is {metric}")
    try:
        return [_part(found, index, store) for index, store in enumerate(stores)]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ValueError(f"{source} is damaged: {error!r}") from error


def _part(found: Mapping[str, Any], index: int, store: Store) -> Part:
    count, tail_count = int(found[f"{index}/count"]), int(found[f"{index}/tail_count"])
    part = Part(count, {}, {}, tail_count, {}, None)
    if not 0 <= tail_count <= count:
        raise ValueError(f"{tail_count} of {count} rows")
    if f"{index}/ids" in found:
        part.ids = np.asarray(found[f"{index}/ids"])
        if part.ids.dtype != np.int64 or part.ids.shape != (count,):
            raise ValueError("ids do not fit the rows")
    for name, state in store.states.items():
        if state.ordered:
            part.ordered[name] = state.check(name, _get(found, f"{index}/rows/{name}", count))
            continue
        part.folded[name] = state.from_array(np.asarray(found[f"{index}/folded/{name}"]))
        if tail_count:
            rows = _get(found, f"{index}/tail/{name}", tail_count)
            part.tail[name] = state.check(name, rows)
    return part


def _put(found: dict[str, Any], key: str, rows: Rows) -> None:
    if isinstance(rows, list):
        found[key] = [_encode(entry) for entry in rows]
    elif isinstance(rows, Ragged):
        found[key], found[f"{key}/lengths"] = rows.values.copy(), rows.lengths.copy()
    else:
        found[key] = rows.copy()


def _get(found: Mapping[str, Any], key: str, count: int) -> Rows:
    rows: Rows
    if isinstance(found[key], list):
        rows = [_decode(entry) for entry in found[key]]
    elif f"{key}/lengths" in found:
        rows = Ragged(np.array(found[key]), np.array(found[f"{key}/lengths"]))
    else:
        rows = np.array(found[key])
    if len(rows) != count:
        raise ValueError(f"{key} has {len(rows)} rows instead of {count}")
    return rows


# Objects: JSON has no tuples, no arrays and no dicts but those of strings. These are marked by a
# dict of one key.


def _encode(value: Any) -> Any:
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, list):
        return [_encode(entry) for entry in value]
    if type(value) is tuple:
        return {"tuple": [_encode(entry) for entry in value]}
    if isinstance(value, dict):
        return {"dict": [[_encode(key), _encode(entry)] for key, entry in value.items()]}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "?biuf":
        array = np.asarray(value)
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        return {kind: [array.dtype.str, list(array.shape), array.tobytes().hex()]}
    raise TypeError(
        f"only numbers, text, arrays and lists, tuples and dicts of these can be saved, "
        f"got {type(value).__name__}"
    )


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(_decode(entry) for entry in content)
    if kind == "dict":
        return {_decode(key): _decode(entry) for key, entry in content}
    if kind not in ("array", "scalar"):
        raise ValueError(f"unknown kind of entry {kind!r}")
    dtype, shape, data = content
    if np.dtype(dtype).kind not in "?biuf":
        raise ValueError(f"unknown dtype {dtype!r}")
    array = np.frombuffer(bytes.fromhex(data), dtype).reshape(shape).copy()
    return array if kind == "array" else array[()]


# Files -------------------------------------------------------------------------------------


def write(path: str | PathLike[str], found: Mapping[str, Any]) -> None:
    """Write a dict of `to_dict` to a safetensors file, atomically and durably.

    Raises:
        OSError: The file cannot be written; what stood at `path` before still stands there.
    """
    from safetensors.numpy import save

    tensors = {key: np.ascontiguousarray(v) for key, v in found.items() if _is_array(v)}
    facts = {key: value for key, value in found.items() if not _is_array(value)}
    facts[_COMPLEX] = [key for key, value in tensors.items() if value.dtype == np.complex128]
    for key in facts[_COMPLEX]:
        tensors[key] = tensors[key][..., None].view(np.float64)
    path = Path(path)
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(beside, "wb") as file:
            file.write(save(tensors, {_METADATA: json.dumps(facts)}))
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    # The rename itself is on the disk only once the folder is.
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def read(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the dict of a file that `write` wrote.

    Raises:
        ValueError: A truncated file, or one that is none of ours.
        OSError: The file cannot be read.
    """
    from safetensors import SafetensorError, safe_open

    with open(path, "rb"):
        pass  # OSError here, in Python's own words, if there is no such file
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            facts = json.loads(metadata[_METADATA])
            contents: dict[str, Any] = facts | {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
            for key in contents.pop(_COMPLEX, []):
                contents[key] = contents[key].view(np.complex128)[..., 0]
            return contents
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is truncated or not a saved metric: {error!r}") from error


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)
