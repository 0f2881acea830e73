"""The keys of slices: the values of columns, with their types, and in a unique spelling."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypeAlias

__all__ = ["BETWEEN", "WHOLE", "Key", "Value", "in_order", "key_text", "order"]

Value: TypeAlias = "int | float | str | None"
Key: TypeAlias = "tuple[Value, ...]"

WHOLE = "all"  # the name of all samples; it cannot be a key, since keys have a "="
BETWEEN = "between "  # how the names of summaries of slices begin, which are no slices


def key_text(names: Sequence[str], key: Key) -> str:
    """Return the name of a slice, such as `language=en,domain=law`.

    A string is quoted if it could be mistaken for something else: if it is empty, "-", reads as a
    number, begins or ends with a space, or contains a comma, an equals sign or a quote. A missing
    value is "-".

    Example:
        >>> key_text(["language", "year"], ("en", 2024))
        'language=en,year=2024'
        >>> key_text(["year"], ("2024",)), key_text(["year"], (None,)), key_text(["x"], ("",))
        ('year="2024"', 'year=-', 'x=""')
    """
    return ",".join(
        f"{_written(name)}={_written(value)}" for name, value in zip(names, key, strict=True)
    )


def order(key: Key) -> list[tuple[int, int | float, str]]:
    """Return the sort key of a key: missing values come first, then numbers, then strings."""
    return [_rank(value) for value in key]


def in_order(keys: Iterable[Key]) -> list[Key]:
    """Return keys sorted by `order`.

    Example:
        >>> in_order([("b",), (2,), (None,), (10,)])
        [(None,), (2,), (10,), ('b',)]
    """
    found = list(keys)
    kinds = set(map(type, chain.from_iterable(found)))
    return sorted(found) if kinds in ({int}, {str}) else sorted(found, key=order)


def _rank(value: Value) -> tuple[int, int | float, str]:
    if value is None:
        return (0, 0, "")
    return (2, 0, value) if isinstance(value, str) else (1, value, "")


def _written(value: Value) -> str:
    if value is None:
        return "-"
    if not isinstance(value, str):
        return repr(value)
    plain = value.strip() == value and value not in ("", "-") and not set(value) & set(',="')
    return value if plain and not _reads_as_number(value) else json.dumps(value, ensure_ascii=False)


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
