"""Claims that say the same, but are not written in the same form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mmeval_like.records.canonical import canonical

__all__ = ["INEXACT", "other_forms"]

INEXACT = ("low", "high", "standard_error", "effective")  # fields of a number, beside its digits


def other_forms(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of two claims that differ, and be it by an empty entry or by `1` for `true`.

    The last bits of metrics that may have others on another processor are left out, and the files
    if the first claim knows nothing of them.

    Example:
        >>> claim = {"metrics": {}, "samples": {"count": 1}, "values": {}}
        >>> [*other_forms(claim, claim)]
        []
        >>> [*other_forms(claim | {"samples": {"count": True}}, claim)]
        ['samples']
    """
    exact = {name: one["exact"] for name, one in new["metrics"].items()}
    for part in sorted({*old, *new} - ({"shards"} - old.keys())):
        forms = [{part: one[part]} if part in one else {} for one in (old, new)]
        if part == "values":
            forms = [_without_bits(one["values"], exact) for one in (old, new)]
        if canonical(forms[0]) != canonical(forms[1]):
            yield part


def _without_bits(values: Mapping[str, Any], exact: Mapping[str, bool]) -> dict[str, Any]:
    digits = {*INEXACT, "hex", "text"}
    return {
        which: {
            name: numbers
            if exact.get(name, True)
            else {
                key: {field: None if field in digits else one for field, one in number.items()}
                for key, number in numbers.items()
            }
            for name, numbers in members.items()
        }
        for which, members in values.items()
    }
