"""Entities of token sequences, read from tags in any of the usual schemes or given as spans."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

from mmeval_like.writing import arrays

__all__ = ["SCHEMES", "Entity", "read_entities"]

Entity: TypeAlias = "tuple[str, int, int]"
"""The type, the position of the first token, and the position after the last token."""

# The meaning of a tag's prefix in each scheme: the entity continues (I), begins (B), ends (E), or
# consists of this token (S). In IOB1, B only separates two neighbouring entities.
_ROLES = {
    "IOB1": {"I": "I", "B": "B"},
    "IOB2": {"I": "I", "B": "B"},
    "IOE2": {"I": "I", "E": "E"},
    "IOBES": {"B": "B", "I": "I", "E": "E", "S": "S"},
    "BILOU": {"B": "B", "I": "I", "L": "E", "U": "S"},
}
_LENIENT = {"B": "B", "I": "I", "E": "E", "L": "E", "S": "S", "U": "S"}
_ENDED = ("IOE2", "IOBES", "BILOU")  # an entity of several tokens must have an end tag
_BEGUN = ("IOB2", "IOBES", "BILOU")  # it must have a begin tag

SCHEMES = tuple(_ROLES)


def read_entities(samples: Any, name: str, scheme: str | None) -> list[list[Entity]]:
    """Return the entities of every sequence.

    Args:
        samples: For each sequence a list of tags, or of entities (type, start, end).
        name: The argument's name, for the errors.
        scheme: One of `SCHEMES`; None: tags are read leniently, like the conlleval program.

    Raises:
        TypeError: An entry is neither a tag nor an entity.
        ValueError: A tag is not in the scheme, or an entity does not have 0 <= start < end.
    """
    listed = arrays.listed(samples, name, "lists of tags or of entities")
    return [_read(sample, f"{name}[{i}]", scheme) for i, sample in enumerate(listed)]


def _read(sample: Any, name: str, scheme: str | None) -> list[Entity]:
    entries = arrays.listed(sample, name, "a list of tags or of entities")
    if entries and isinstance(entries[0], str):
        return _of_tags([_parted(tag, name, scheme) for tag in entries], scheme)
    return [_entity(entry, name) for entry in entries]


def _entity(entry: Any, name: str) -> Entity:
    wanted = f"{name} must have tags, or entities (type, start, end)"
    if isinstance(entry, str | bytes) or not isinstance(entry, Sequence) or len(entry) != 3:
        raise TypeError(f"{wanted}, got {entry!r:.80}")
    kind, start, end = entry
    if not isinstance(kind, str):
        raise TypeError(f"{wanted} whose type is a string, got {entry!r:.80}")
    try:
        start, end = operator.index(start), operator.index(end)
    except TypeError:
        raise TypeError(f"{wanted} whose ends are integers, got {entry!r:.80}") from None
    if not 0 <= start < end:
        raise ValueError(f"{wanted} with 0 <= start < end, got {entry!r:.80}")
    return kind, start, end


def _parted(tag: Any, name: str, scheme: str | None) -> tuple[str, str]:
    """Return the role of a tag's prefix, and its type."""
    if not isinstance(tag, str):
        raise TypeError(f"{name} must be a list of tags, got {arrays.describe(tag)} among them")
    if tag == "O":
        return "O", ""
    prefix, _, kind = tag.partition("-")
    roles = _ROLES[scheme] if scheme else _LENIENT
    if prefix not in roles:
        known = ", ".join(["O", *(f"{each}-type" for each in roles)])
        raise ValueError(f"{name} must have the tags {known}, got {tag!r}")
    return roles[prefix], kind or "_"


def _of_tags(tags: list[tuple[str, str]], scheme: str | None) -> list[Entity]:
    """Return the entities of tags; with a scheme, only complete entities."""
    found: list[Entity] = []
    start, kind = 0, ""  # of the open entity; an empty type: none is open
    before = ""  # the type of the previous tag
    for place, (role, own) in enumerate([*tags, ("O", "")]):
        if kind and (role in "BSO" or own != kind):
            if scheme not in _ENDED:
                found.append((kind, start, place))
            kind = ""
        if role != "O" and not kind and _may_begin(role, own == before, scheme):
            start, kind = place, own
        if kind and role in "ES":
            found.append((kind, start, place + 1))
            kind = ""
        before = own
    return found


def _may_begin(role: str, follows: bool, scheme: str | None) -> bool:
    """Return whether an entity begins at a tag, which may follow a tag of the same type."""
    if scheme == "IOB1":
        return role == "I" or follows
    return scheme not in _BEGUN or role in "BS"
