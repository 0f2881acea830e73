"""What differs between two records of what should be the same evaluation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from mmeval_like.records.canonical import digest_of
from mmeval_like.records.claim import FORMAT
from mmeval_like.records.forms import INEXACT, other_forms
from mmeval_like.records.sketch import differences

__all__ = ["Difference", "other_metrics", "verify"]

_NAMED = 10  # ids, files or options in one line
_ULPS = 4


@dataclass(frozen=True)
class Difference:
    """What is not the same.

    Attributes:
        part: "format", "record", "metric", "option", "request", "samples", "ids", "rows", "files",
            "states", "value" or "interval".
        text: What it is, in one sentence.
    """

    part: str
    text: str

    def __str__(self) -> str:
        return f"{self.part}: {self.text}"


def verify(
    record: Mapping[str, Any], again: Mapping[str, Any], *, same_files: bool = False
) -> list[Difference]:
    """Return what differs between a record and one that was computed again; empty: nothing.

    The claims are compared. Numbers of metrics whose bits are the same on every processor must be
    equal; others may differ by 4 units in the last place.

    Args:
        record: What `Recorded.record` returned, or JSON of it.
        again: The same, of samples that should be the same.
        same_files: The files must be equal to the last byte, by their SHA-256: the digest of
            rows protects from accidents, and this one from intent.

    Raises:
        ValueError: Something that is no record.

    Example:
        >>> from mmeval_like import Accuracy, Recorded, verify
        >>> records = []
        >>> for labels in ([0, 1, 1], [0, 1, 0]):
        ...     metric = Recorded(Accuracy())
        ...     metric.add([0, 1, 0], labels, ids=[7, 8, 9])
        ...     metric.compute()
        ...     records.append(metric.record())
        {'top1': 0.6666666666666666}
        {'top1': 1.0}
        >>> verify(records[0], records[0])
        []
        >>> for difference in verify(*records):
        ...     print(difference)
        rows: 1 changed: id 9
        value: Accuracy top1: 1.0 instead of 0.6666666666666666
    """
    try:
        return [*_differences(record, again, same_files)] or [
            Difference("record", f"its {part} are written in another form, or have empty entries")
            for part in other_forms(record["claim"], again["claim"])
        ]
    except _DAMAGES as error:
        raise ValueError(f"no record, or a damaged one: {error!r}") from error


def _differences(
    record: Mapping[str, Any], again: Mapping[str, Any], same_files: bool
) -> Iterator[Difference]:
    old, new = record["claim"], again["claim"]
    if old["format"] != FORMAT:
        yield Difference("format", f"{old['format']!r}; this version reads {FORMAT!r}")
        return
    if record["id"] != digest_of(old):
        yield Difference("record", "its id is not the SHA-256 of its claim: it was changed")
    files = record["made"].get("files", [])
    if "shards" in old and files and _shards_of(files) != old["shards"]:
        yield Difference("record", "the digests of its files are not those of its claim")
    if unknown := old.keys() - _KNOWN:
        yield Difference("record", f"its claim has an unknown part: {', '.join(sorted(unknown))}")
    yield from other_metrics(old["metrics"], new["metrics"])
    yield from _pairs("request", old["request"], new["request"])
    yield from _pairs("samples", old["samples"], new["samples"])
    rows = [*_rows(old, new), *_files(record, again, same_files)]
    yield from rows
    if not rows:
        for place, (was, now) in _both(old.get("states", {}), new.get("states", {})):
            yield from _pairs("states", was, now, f"statistic {place} ")
    yield from _values(old, new)


_DAMAGES = (
    *(KeyError, TypeError, AttributeError, IndexError, ValueError),
    *(OverflowError, RecursionError),
)
_KNOWN = {
    *("format", "metrics", "request", "samples", "rows", "values", "states", "ids", "shards"),
}


def other_metrics(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield how the metrics of one claim differ from those of another, with their options."""
    for name, (before, now) in _both(old, new):
        if not before or not now:
            yield Difference("metric", f"{name} is {'new' if now else 'missing'}")
        elif before["class"] != now["class"]:
            yield Difference("metric", f"{name}: {now['class']} instead of {before['class']}")
        elif before != now:
            was, becomes = (_options(one["identity"]) for one in (before, now))
            found = [*_pairs("option", was, becomes, f"{name}: ")]
            yield from found or [Difference("metric", f"{name}: other states, or another version")]


def _options(identity: str) -> dict[str, str]:
    """Return the options in the text that ranks compare, by name."""
    depth, word, words = 0, "", []
    for character in identity.partition("(")[2]:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            break
        if character == "," and depth == 0:
            words.append(word)
            word = ""
        else:
            word += character
    pairs = [one.strip().partition("=") for one in [*words, word]]
    return {name: value for name, _, value in pairs if name}


def _rows(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield which samples differ, as far as it is known."""
    ids: Any = [one.get("ids") for one in (old, new)]
    if (ids[0] is None) != (ids[1] is None):
        yield Difference("ids", "none in the record" if ids[0] is None else "none now")
        return
    other_ids, other_rows = ids[0] != ids[1], old["rows"] != new["rows"]
    if not (other_ids or other_rows):
        return
    if ids[0] is None:
        counts = [one["samples"]["count"] for one in (old, new)]
        yield Difference("rows", f"their digest is another one, of {counts[1]} samples now")
        return
    was, now = (one["rows"]["sketch"] for one in (old, new))
    same_kind = ids[0]["kind"] == ids[1]["kind"]
    found = differences(was, now, ids[0]["kind"] == "texts") if same_kind else None
    if not same_kind:
        yield Difference("ids", f"{ids[1]['kind']} instead of {ids[0]['kind']}")
    elif found is None:
        yield Difference(
            "ids" if other_ids else "rows", "more differ than can be named, which is about 30"
        )
    else:
        lost, gained, changed = found
        for number, word in ((lost, "missing"), (gained, "new")):
            if number:
                yield Difference("ids", _named(number, word))
        if changed:
            yield Difference("rows", _named(changed, "changed"))
        if not (lost or gained or changed):
            yield Difference("rows", "their digest in the record is none of its samples")


def _named(ids: Sequence[Any], word: str) -> str:
    listed = ", ".join(map(str, ids[:_NAMED])) + ", ..." * (len(ids) > _NAMED)
    return f"{len(ids)} {word}: id{'s' * (len(ids) > 1)} {listed}"


def _files(
    record: Mapping[str, Any], again: Mapping[str, Any], same_files: bool
) -> Iterator[Difference]:
    """Yield which files have other rows, or with `same_files` other bytes."""
    files = [one["made"].get("files", []) for one in (record, again)]
    keys: tuple[str, ...] = ("rows", "digest")
    if same_files:
        keys = ("sha256",)
        if not (files[0] and files[1]):
            yield Difference("files", "one of the records has no files")
    elif "shards" not in record["claim"]:
        return  # where samples were taken out, nothing is known of files
    elif record["claim"]["shards"] == again["claim"].get("shards"):
        return
    only = [_without(mine, others, keys) for mine, others in (files, files[::-1])]
    names = [{_stem(one): one["name"] for one in some} for some in only]
    changed = [names[1][stem] for stem in names[0] if stem in names[1]]
    for word, which in (
        ("changed", changed),
        ("missing", [name for stem, name in names[0].items() if stem not in names[1]]),
        ("new", [name for stem, name in names[1].items() if stem not in names[0]]),
    ):
        if which:
            yield Difference("files", f"{word}: {', '.join(which[:_NAMED])}")
    if not same_files and not (only[0] or only[1]):
        yield Difference("files", "the samples are dealt to shards in another way")


def _without(
    mine: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]], keys: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return the files that the others do not have, whatever they are called."""
    known = Counter(tuple(one[key] for key in keys) for one in others)
    left = []
    for one in mine:
        key = tuple(one[key] for key in keys)
        if known[key]:
            known[key] -= 1
        else:
            left.append(one)
    return left


def _stem(file: Mapping[str, Any]) -> str:
    return PurePath(file["name"]).name.partition(".")[0]


def _shards_of(files: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return sorted([str(one["rows"]), one["digest"]] for one in files)


def _values(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    exact = {name: one["exact"] for name, one in new["metrics"].items()}
    for which, slices in _both(old["values"], new["values"]):
        for name, metrics in _both(*slices):
            for key, (before, now) in _both(*metrics):
                where = " ".join([*([which] if which != "all" else []), name, key])
                if not before or not now:
                    yield Difference("value", f"{where} is {'new' if now else 'missing'}")
                    continue
                ulps = 0 if exact.get(name, True) else _ULPS
                yield from _number(where, before, now, ulps)


def _number(
    where: str, old: Mapping[str, Any], new: Mapping[str, Any], ulps: int
) -> Iterator[Difference]:
    parts: dict[str, list[str]] = {"value": [], "interval": []}
    for field, (before, now) in _both(old, new, None):
        if before == now:
            continue
        part = "value" if field in ("text", "hex", "sha256") else "interval"
        if ulps and (field in INEXACT or field in ("hex", "text")) and _near(before, now, ulps):
            continue
        parts[part].append(field)
    if parts["value"]:
        texts = [one.get("text") for one in (old, new)]
        if texts[0] == texts[1]:
            texts = [one.get("hex", one.get("sha256")) for one in (old, new)]
        yield Difference("value", f"{where}: {texts[1]} instead of {texts[0]}")
        return  # another value has another interval
    for field in parts["interval"]:
        shown = [_shown(one.get(field)) for one in (old, new)]
        yield Difference("interval", f"{where} {field}: {shown[1]} instead of {shown[0]}")


def _near(old: Any, new: Any, ulps: int) -> bool:
    """Return whether two numbers are the same but for their last bits."""
    try:
        a, b = (float.fromhex(one) if "0x" in one else float(one) for one in (old, new))
    except (TypeError, ValueError):
        return False
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= ulps * math.ulp(max(abs(a), abs(b)))


def _shown(value: Any) -> str:
    return repr(float.fromhex(value)) if isinstance(value, str) and "0x" in value else repr(value)


def _pairs(
    part: str, old: Mapping[str, Any], new: Mapping[str, Any], before: str = ""
) -> Iterator[Difference]:
    for name, (was, now) in _both(old, new, None):
        if was != now:
            yield Difference(part, f"{before}{name}: {now!r} instead of {was!r}")


def _both(
    old: Mapping[str, Any], new: Mapping[str, Any], none: Any = MappingProxyType({})
) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yield what two dicts have, by name, and what stands for that which one lacks."""
    for name in dict.fromkeys([*old, *new]):
        yield name, (old.get(name, none), new.get(name, none))
