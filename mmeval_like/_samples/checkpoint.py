"""Samples as arrays and JSON values, and as files that never contain code."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from mmeval_like._base.atomic_files import put
from mmeval_like._base.integers import narrowed, widened
from mmeval_like._samples import tensor_file
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store

__all__ = [
    "DIGEST",
    "begun_digest",
    "check_complete",
    "from_dict",
    "pack",
    "read",
    "read_facts",
    "to_dict",
    "unpack",
    "write",
    "writer",
]

# From 3 on scores may come with counts, from 4 on a file says which rank wrote it, and from 5 on
# integers are narrowed.
_FORMAT = 5
_READ = (3, 5)
_RANK, _RANKS = "rank", "ranks"
_METADATA = "mmeval_like"  # the key in a file's metadata; it shows that `save` wrote the file
DIGEST, _DIGEST_SIZE = "digest", 16
_PATIENCE = 10.0  # seconds to wait for the lock of a file
_COMPLEX = "complex"  # complex arrays are stored as pairs of floats; this lists their names
_NARROWED = "narrowed"  # the shape, and the place of the first integer, of each narrowed array
_FEW = 1 << 20  # larger arrays are stored whole, so that no file becomes much larger in memory


def to_dict(metric: str, stores: Sequence[Store], parts: Sequence[Part]) -> dict[str, Any]:
    """Return parts as a flat dict of arrays, which share no memory with them, and JSON values.

    Args:
        metric: What the parts belong to; compared when they are loaded.
        stores: Stores of the states that the parts have.
        parts: One per store.

    Raises:
        TypeError: An object is neither a number, a string, an array nor a container of these.
        ValueError: An object is nested too deeply, or contains itself.
    """
    found: dict[str, Any] = {"format": _FORMAT, "metric": metric}
    for index, (store, part) in enumerate(zip(stores, parts, strict=True)):
        for key, value in part.to_dict(store.states_of(part.clustered)).items():
            found[f"{index}/{key}"] = value.copy() if _is_array(value) else _encoded(value)
    return found


def from_dict(
    found: Mapping[str, Any],
    metric: str,
    stores: Sequence[Store],
    source: str | PathLike[str] = "state_dict",
) -> list[Part]:
    """Return the parts, one per store, that `to_dict` was given.

    Args:
        found: The dict; the parts share no memory with it.
        metric: What the parts must belong to.
        stores: The stores that the parts are for.
        source: What to call the dict in errors.

    Raises:
        ValueError: The metric or the format differs, or entries are missing or malformed.
    """
    if not isinstance(found, Mapping):
        raise ValueError(f"{source} must be a dict that state_dict() returned, got {found!r:.50}")
    version = found.get("format")
    if not isinstance(version, int) or version < 1:
        raise ValueError(f"{source} is not a saved metric")
    if version not in _READ:
        remedy = "upgrade it" if version > _FORMAT else "save it again"
        raise ValueError(
            f"{source} has format {version}, this version of mmeval-like reads {_READ[0]} to "
            f"{_FORMAT}: {remedy}"
        )
    if found.get("metric") != metric:
        raise ValueError(f"{source} was saved by {found.get('metric')}, this is {metric}")
    try:
        return [_part(found, f"{index}/", store) for index, store in enumerate(stores)]
    except MemoryError:
        raise
    except Exception as error:  # a state may raise any error for arrays that it did not write
        raise ValueError(f"{source} is damaged: {error!r}") from error


def _part(found: Mapping[str, Any], prefix: str, store: Store) -> Part:
    own = {
        key.removeprefix(prefix): list(map(_decode, value))
        if isinstance(value, list)
        else np.array(value)
        for key, value in found.items()
        if key.startswith(prefix)
    }
    part = store.part_of(own)
    return part.check(store.states_of(part.clustered))


# Objects: JSON has no tuples, no arrays, and no dicts with keys other than strings. Such an
# object is written as a dict with one key, which names the kind of the object.


def _encoded(entries: list[Any]) -> list[Any]:
    try:
        return list(map(_encode, entries))
    except RecursionError:
        raise ValueError("objects that are nested too deeply cannot be saved") from None


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


def pack(found: Mapping[str, Any]) -> bytes:
    """Return the dict from `to_dict` as the contents of a file."""
    facts = {key: value for key, value in found.items() if not _is_array(value)}
    arrays = {key: value for key, value in found.items() if _is_array(value)}
    facts[_COMPLEX] = [key for key, value in arrays.items() if value.dtype.kind == "c"]
    facts[_NARROWED] = {}
    for key, value in arrays.items():
        if value.dtype == np.int64 and value.size <= _FEW:
            first, arrays[key] = narrowed(value)
            facts[_NARROWED][key] = [[*value.shape], first]
            continue
        stored = np.asarray(value, value.dtype.newbyteorder("<"), order="C")
        pairs = stored.dtype.kind == "c"
        arrays[key] = stored[..., None].view(f"<f{stored.itemsize // 2}") if pairs else stored
    text = json.dumps(facts, separators=(",", ":"))
    return tensor_file.written(arrays, {_METADATA: text, DIGEST: _digest(text, arrays)})


def write(
    path: str | PathLike[str], found: Mapping[str, Any], rank: int = 0, ranks: int = 1
) -> None:
    """Write the dict from `to_dict` to a file, together with the rank.

    Raises:
        ValueError: The file was saved by another rank of the same number of ranks.
        OSError: As for `put`.
    """
    data = pack({**found, _RANK: rank, _RANKS: ranks})
    if not os.path.lexists(path):
        with suppress(FileExistsError):  # another rank was faster
            put(path, data, new=True)
            return
    with _alone(path):
        _check_writer(path, rank, ranks)
        put(path, data)


@contextmanager
def _alone(path: str | PathLike[str]) -> Iterator[None]:
    """Lock the file at a path, where that is possible.

    Ranks that would replace the same file do so one after the other: the second one gets the lock
    of a file that has been replaced, and then finds the file of the first one at the path. A lock
    that a program keeps for itself delays a save, but does not stop it.
    """
    with ExitStack() as stack:
        with suppress(ImportError, OSError):  # Windows, or a file system without locks
            import fcntl

            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            stack.callback(os.close, descriptor)
            end = time.monotonic() + _PATIENCE
            while time.monotonic() < end:
                with suppress(BlockingIOError):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                time.sleep(0.01)
        yield


def _check_writer(path: str | PathLike[str], rank: int, ranks: int) -> None:
    """Raise ValueError if a file was saved by another rank of the same number of ranks."""
    other = writer(path)
    if other is not None and other != (rank, ranks) and other[1] == ranks:
        raise ValueError(
            f"{path} has the samples of rank {other[0]} of {ranks}, and this is rank {rank}: every "
            f"rank needs its own path, for instance f'part-{{rank}}.safetensors'; delete the "
            f"file if it is of an earlier run"
        )


def writer(path: str | PathLike[str]) -> tuple[int, int] | None:
    """Return the rank that wrote a file, and the number of ranks; None if these are unknown."""
    try:
        if not os.path.isfile(path):  # reading a pipe would take its contents
            return None
        with open(path, "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            facts = json.loads(json.loads(file.read(size))["__metadata__"][_METADATA])
        rank, ranks = facts[_RANK], facts[_RANKS]
        return (rank, ranks) if type(rank) is type(ranks) is int else None
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        MemoryError,
        OverflowError,
        RecursionError,
    ):
        return None  # any existing file is replaced


def check_complete(paths: Sequence[str | PathLike[str]], read: Sequence[int]) -> None:
    """Refuse a list of files that lacks files of a run, or has a file twice.

    Args:
        paths: The files.
        read: The indices of the files whose ranks are compared.

    Raises:
        ValueError: Files of other ranks are missing, or a file is given twice.
    """
    names = [os.fspath(path) for path in paths]
    count = len(set(names))
    found = [(names[index], writer(names[index])) for index in read]
    known = [(path, *by) for path, by in found if by is not None]
    for path, rank, ranks in known:
        if ranks > count:
            raise ValueError(
                f"{path} was saved by rank {rank} of {ranks}, and the list has {count} "
                f"file(s): the samples of {ranks - count} rank(s) are missing; pass the files of "
                f"all ranks, each saved to its own path, or add samples with ids="
            )
    if count < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"{twice} is given twice, and its samples have no ids: they would count twice"
        )
    if len(known) < len(names):  # not all are compared, or visible on this machine
        return
    for path, rank, ranks in known:
        numbers = Counter(one for _, one, of in known if of == ranks)
        lacking = [one for one in range(ranks) if numbers[one] < numbers[rank]]
        if lacking:
            raise ValueError(
                f"{path} was saved by rank {rank} of {ranks}, and the list lacks the file of rank "
                f"{lacking[0]} of {ranks}: pass all files of a run, and no files that an earlier "
                f"run left, or add samples with ids="
            )


def read(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the dict of a file that `write` wrote.

    Raises:
        ValueError: The file is truncated, was changed, or is not a saved metric.
        OSError: The file cannot be read.
    """
    return unpack(Path(path).read_bytes(), path)


def unpack(data: bytes, source: str | PathLike[str]) -> dict[str, Any]:
    """Return the dict that `pack` was given.

    Args:
        data: What `pack` returned.
        source: What to call the data in errors.

    Raises:
        ValueError: The data is truncated, was changed, or is not a saved metric.
    """
    try:
        given = data if isinstance(data, bytes) else bytes(memoryview(data))
        arrays, texts = tensor_file.parsed(given)
        if texts[DIGEST] != _digest(texts[_METADATA], arrays):
            raise ValueError("its contents have changed since it was saved")
        facts, paired, places = read_facts(texts)
        for key in paired:
            arrays[key] = arrays[key].view(f"<c{arrays[key].itemsize * 2}")[..., 0]
        for key, (shape, first) in places.items():
            arrays[key] = widened(first, arrays[key], shape)
        contents: dict[str, Any] = facts | arrays
        return contents
    except MemoryError:
        raise
    except Exception as error:  # any error of the parser for an invalid file
        raise ValueError(f"{source} is truncated or not a saved metric: {error!r}") from error


def read_facts(texts: Mapping[str, str]) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
    """Return the JSON values of a file, and what is stored in another form than it has.

    Returns:
        The values; the names of the complex arrays, which are stored as pairs; and by the name of
        each array that is narrowed its shape and the place of the first integer.

    Raises:
        ValueError, KeyError, TypeError: The texts are not those of `pack`.
    """
    facts = json.loads(texts[_METADATA])
    paired, places = facts.pop(_COMPLEX), facts.pop(_NARROWED, {})
    for key, (shape, _) in places.items():
        if math.prod(shape) > _FEW:
            raise ValueError(f"{key!r} has the shape {shape}")
    return facts, paired, places


def _digest(text: str, arrays: Mapping[str, np.ndarray]) -> str:
    """Return a digest of all contents, so that a damaged file is detected."""
    digest = begun_digest({_METADATA: text}, {key: (a.dtype, a.shape) for key, a in arrays.items()})
    for key in sorted(arrays):
        digest.update(arrays[key].reshape(-1).view(np.uint8).data)
    found: str = digest.hexdigest()
    return found


def begun_digest(
    texts: Mapping[str, str], forms: Mapping[str, tuple[np.dtype[Any], Sequence[int]]]
) -> Any:
    """Return a digest, to be updated with the bytes of the arrays in the order of their names.

    Args:
        texts: The texts of a file.
        forms: The dtype and the shape of each array.
    """
    digest = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    shapes = [[key, forms[key][0].str, forms[key][1]] for key in sorted(forms)]
    for head in (texts[_METADATA], json.dumps(shapes)):
        digest.update(len(head.encode()).to_bytes(8, "little") + head.encode())
    return digest


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)
