"""Claims with the same content that are written in different forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mmeval_like.records.canonical import canonical

__all__ = ["INEXACT", "as_claimed", "other_forms"]

INEXACT = ("low", "high", "standard_error", "effective")  # the other fields of a number


# The parts that a claim may lack, with their names in words: shards if samples were removed, and
# parts that earlier versions did not write.
_OPTIONAL = {
    ("shards",): "the files",
    ("rows", "sha256"): "the SHA-256 of the rows",
    ("rows", "ranges"): "the ranges of ids",
}


def as_claimed(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a claim without the parts that an earlier claim lacks, and their names in words.

    Example:
        >>> as_claimed({"rows": {}}, {"rows": {"sha256": "..."}, "shards": []})
        ({'rows': {}}, ['the files', 'the SHA-256 of the rows'])
    """
    left, said = {**new, "rows": {**new["rows"]}}, []
    for (*outer, name), words in _OPTIONAL.items():
        was, now = (old.get(outer[0], {}), left[outer[0]]) if outer else (old, left)
        if name in now and name not in was:
            del now[name]
            said.append(words)
    return left, said


def other_forms(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts in which two claims differ, even by an empty entry or by `1` for `true`.

    For metrics whose last bits may depend on the processor, these bits are ignored, but not the way
    in which numbers are written.

    Example:
        >>> claim = {"metrics": {}, "samples": {"count": 1}, "values": {}}
        >>> [*other_forms(claim, claim)]
        []
        >>> [*other_forms(claim | {"samples": {"count": True}}, claim)]
        ['samples']
    """
    exact = {name: one["exact"] for name, one in new["metrics"].items()}
    for part in sorted({*old, *new}):
        forms = [{part: one[part]} if part in one else {} for one in (old, new)]
        if part == "values":
            forms = [_without_bits(one["values"], exact) for one in (old, new)]
        if canonical(forms[0]) != canonical(forms[1]):
            yield part


def _without_bits(values: Mapping[str, Any], exact: Mapping[str, bool]) -> dict[str, Any]:
    return {
        which: {
            name: numbers
            if exact.get(name, True)
            else {
                key: {field: _bits(field, number) for field in number}
                for key, number in numbers.items()
            }
            for name, numbers in members.items()
        }
        for which, members in values.items()
    }


def _bits(field: str, number: Mapping[str, Any]) -> Any:
    """Return a field of a number or, if last bits are ignored, whether it has the usual form.

    The decimal text must be that of the hexadecimal digits, and neither may have superfluous
    digits.

    Example:
        >>> one = {"text": "0.5", "hex": (0.5).hex()}
        >>> _bits("text", one), _bits("text", one | {"text": "0.50"}), _bits("hex", one)
        (True, False, True)
    """
    if "hex" not in number or field not in (*INEXACT, "hex", "text"):
        return number[field]
    try:
        if field == "text":
            return number["text"] == repr(float.fromhex(number["hex"]))
        return number[field] == float.fromhex(number[field]).hex()
    except (TypeError, ValueError, OverflowError):
        return False
