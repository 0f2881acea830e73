"""Canonical JSON (RFC 8785), for values without floats.

Numbers in records are integers below 2^53, or strings, so that no reader rounds them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["EXACT", "canonical", "digest_of"]

EXACT = 2**53
"""Integers in records are below it, so that no reader rounds them."""


def canonical(value: Any) -> bytes:
    """Return the canonical form of a value: dicts, lists, strings, bools, None and integers.

    Raises:
        TypeError: A value has the wrong type, for instance float.
        ValueError: An integer would be rounded by other readers of JSON.

    Example:
        >>> canonical({"b": [1, None], "a": "é"}).decode()
        '{"a":"é","b":[1,null]}'
    """
    return _text(value).encode()


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        if abs(value) >= EXACT:
            raise ValueError(f"integers must be below 2^53 in magnitude, got {value}")
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_text, value))}]"
    if isinstance(value, Mapping):  # sorted by UTF-16 units, not by code points
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return f"{{{','.join(f'{_text(name)}:{_text(value[name])}' for name in names)}}}"
    raise TypeError(f"records cannot contain {type(value).__name__}: {value!r:.50}")


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the canonical form of a value."""
    return hashlib.sha256(canonical(value)).hexdigest()
