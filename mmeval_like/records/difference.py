"""Differences between two claims, as `verify` returns them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

__all__ = ["Difference", "both", "pairs"]


@dataclass(frozen=True)
class Difference:
    """A difference between two claims.

    Attributes:
        part: "format", "record", "metric", "option", "request", "samples", "ids", "rows", "files",
            "states", "value" or "interval".
        text: The difference, in one sentence.
    """

    part: str
    text: str

    def __str__(self) -> str:
        return f"{self.part}: {self.text}"


def pairs(
    part: str, old: Mapping[str, Any], new: Mapping[str, Any], before: str = ""
) -> Iterator[Difference]:
    """Yield the entries in which two dicts differ."""
    for name, (was, now) in both(old, new, None):
        if was != now:
            yield Difference(part, f"{before}{name}: {now!r} instead of {was!r}")


def both(
    old: Mapping[str, Any], new: Mapping[str, Any], none: Any = MappingProxyType({})
) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yield the values of two dicts by name, with a marker for a name that is missing."""
    for name in dict.fromkeys([*old, *new]):
        yield name, (old.get(name, none), new.get(name, none))
