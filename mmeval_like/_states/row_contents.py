"""The content of rows, which determines their order where the order of arrival must not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from mmeval_like._states.rows import Ragged, Rows

__all__ = ["content", "content_order"]

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def content_order(columns: Sequence[Rows]) -> np.ndarray:
    """Return the places of rows in an order that depends only on their content.

    Args:
        columns: The rows of several states, one for each sample.

    Example:
        >>> content_order([["b", "a", "c"]]).tolist()
        [1, 0, 2]
    """
    keys: list[np.ndarray] = []
    for rows in columns:
        if isinstance(rows, np.ndarray) and rows.ndim <= 2 and rows.dtype.kind in "biuf":
            keys += [*rows.reshape(len(rows), -1).T]
            continue
        entries: Any = rows.split() if isinstance(rows, Ragged) else rows
        contents = [content(entry) for entry in entries]
        number = {each: place for place, each in enumerate(sorted(set(contents)))}
        keys.append(np.array([number[each] for each in contents], np.int64))
    return np.lexsort(keys)


def content(entry: Any) -> bytes:
    """Return bytes that are equal for entries of equal content, such as copies from other ranks.

    Pickles can differ for equal entries: they depend on shared objects and on the order of sets.

    Example:
        >>> content({"b": 1, "a": 2}) == content({"a": 2, "b": 1})
        True
        >>> content(1) == content(1.0)
        False
    """
    try:
        return _content(entry)
    except MemoryError:
        raise
    except Exception:  # an object that cannot be decomposed is represented by its type
        return _name(type(entry))


def _content(entry: Any) -> bytes:
    kind = type(entry)
    if kind in _PLAIN:
        return _joined(kind, [repr(entry).encode(errors="backslashreplace")])
    if isinstance(entry, np.ndarray | np.generic) and not entry.dtype.hasobject:
        parts = [entry.dtype.str.encode(), repr(entry.shape).encode(), entry.tobytes()]
        return _joined(np.ndarray if isinstance(entry, np.ndarray) else np.generic, parts)
    if kind in (list, tuple):
        return _joined(kind, map(_content, entry))
    if kind in (set, frozenset):
        return _joined(kind, sorted(map(_content, entry)))
    if kind is dict:
        pairs = ((_content(key), _content(value)) for key, value in entry.items())
        return _joined(kind, (part for pair in sorted(pairs) for part in pair))
    if isinstance(entry, type) or hasattr(entry, "__qualname__"):
        return _joined(type, [_name(entry)])
    return _joined(object, _parts_of(entry.__reduce_ex__(4)))


def _parts_of(reduced: Any) -> Iterator[bytes]:
    """Yield the contents of the parts that an object would be rebuilt from."""
    for part in (reduced,) if isinstance(reduced, str) else reduced:
        yield _content([*part] if isinstance(part, Iterator) else part)


def _joined(kind: type, parts: Iterable[bytes]) -> bytes:
    """Return the parts, each after its length, so that different parts give different bytes."""
    return kind.__name__.encode() + b"".join(b"%d:%b" % (len(part), part) for part in parts)


def _name(entry: Any) -> bytes:
    return f"{entry.__module__}.{entry.__qualname__}".encode()
