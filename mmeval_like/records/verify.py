"""The differences between two records that should be of the same evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from mmeval_like.records.canonical import digest_of
from mmeval_like.records.claim import FORMAT, stated_claim
from mmeval_like.records.difference import Difference, both, pairs
from mmeval_like.records.forms import as_claimed, other_forms
from mmeval_like.records.numbers import other_numbers
from mmeval_like.records.ranges import other_ranges
from mmeval_like.records.sketch import differences

__all__ = ["other_metrics", "unclaimed", "verify"]

_NAMED = 10  # ids, files or options in one line


def verify(
    record: Mapping[str, Any], again: Mapping[str, Any], *, same_files: bool = False
) -> list[Difference]:
    """Return the differences between a record and a recomputed one; empty if they agree.

    All parts of the record's claim are compared: a claim from merged states, or with samples
    removed, contains no files. Numbers must be equal to the last bit, except those of metrics that
    declare `processor_dependent`: these may differ by one part in 10^9.

    Args:
        record: What `Recorded.record` returned; it may have been read from JSON.
        again: The record of samples that should be the same.
        same_files: Whether the files must be equal to the last byte, by their SHA-256: the digest
            of rows protects only against accidents, the SHA-256 also against intent.

    Raises:
        ValueError: `record` or `again` is not a record, or is damaged.

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
    claims = stated_claim(record), stated_claim(again, "again")
    try:
        claim = as_claimed(*claims)[0]
        return [*_differences(record, {**again, "claim": claim}, same_files)] or [
            Difference("record", f"its {part} are written in another form, or have empty entries")
            for part in other_forms(record["claim"], claim)
        ]
    except _DAMAGES as error:
        raise ValueError(f"not a record, or damaged: {error!r}") from error


def unclaimed(record: Mapping[str, Any], again: Mapping[str, Any]) -> list[str]:
    """Return the parts that `verify` cannot compare since the record lacks them, in words.

    A record whose samples were merged or removed says nothing about the files, and a record of an
    earlier version lacks some parts. Deleting such a part yields a record that claims less, but is
    still true.

    Args:
        record: As for `verify`.
        again: As for `verify`.

    Raises:
        ValueError: `record` or `again` is not a record, or is damaged.
    """
    claims = stated_claim(record), stated_claim(again, "again")
    try:
        return as_claimed(*claims)[1]
    except _DAMAGES as error:
        raise ValueError(f"not a record, or damaged: {error!r}") from error


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
    yield from pairs("request", old["request"], new["request"])
    yield from pairs("samples", old["samples"], new["samples"])
    rows = [*_rows(old, new), *_files(record, again, same_files)]
    yield from rows
    if not rows:
        for place, (was, now) in both(old.get("states", {}), new.get("states", {})):
            yield from pairs("states", was, now, f"statistic {place} ")
    yield from other_numbers(old, new)


_DAMAGES = (
    *(KeyError, TypeError, AttributeError, IndexError, ValueError),
    *(OverflowError, RecursionError),
)
_KNOWN = {
    *("format", "metrics", "request", "samples", "rows", "values", "states", "ids", "shards"),
}


def other_metrics(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield the differences between the metrics of two claims, including their options."""
    for name, (before, now) in both(old, new):
        if not before or not now:
            yield Difference("metric", f"{name} is {'new' if now else 'missing'}")
        elif before["class"] != now["class"]:
            yield Difference("metric", f"{name}: {now['class']} instead of {before['class']}")
        elif before != now:
            was, becomes = (_options(one["identity"]) for one in (before, now))
            found = [*pairs("option", was, becomes, f"{name}: ")]
            yield from found or [Difference("metric", f"{name}: other states, or another version")]


def _options(identity: str) -> dict[str, str]:
    """Return the options, by name, from the text that ranks compare."""
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
    """Yield the samples that differ, as far as they are known."""
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
    if ids[0]["kind"] != ids[1]["kind"]:
        yield Difference("ids", f"{ids[1]['kind']} instead of {ids[0]['kind']}")
        return
    was, now = (one["rows"]["sketch"] for one in (old, new))
    found = differences(was, now, ids[0]["kind"] == "texts")
    if found is None:
        yield Difference("ids" if other_ids else "rows", _ranges(old["rows"], new["rows"]))
        return
    lost, gained, changed = found
    for number, word in ((lost, "missing"), (gained, "new")):
        if number:
            yield Difference("ids", _named(number, word))
    if changed:
        yield Difference("rows", _named(changed, "changed"))
    if not (lost or gained or changed):
        yield Difference("rows", "their digest in the record is none of its samples")


def _ranges(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return the ranges in which samples differ, if these are too many to be named."""
    text = "more differ than can be named one by one, which is about 30"
    if "ranges" not in old or "ranges" not in new:
        return text
    found = [*other_ranges(old["ranges"], new["ranges"])]
    return f"{text}: they are among the ids {_listed(found)}"


def _listed(words: Sequence[Any]) -> str:
    return ", ".join(map(str, words[:_NAMED])) + ", ..." * (len(words) > _NAMED)


def _named(ids: Sequence[Any], word: str) -> str:
    return f"{len(ids)} {word}: id{'s' * (len(ids) > 1)} {_listed(ids)}"


def _files(
    record: Mapping[str, Any], again: Mapping[str, Any], same_files: bool
) -> Iterator[Difference]:
    """Yield the files whose rows differ, or with `same_files` whose bytes differ."""
    files = [one["made"].get("files", []) for one in (record, again)]
    keys: tuple[str, ...] = ("rows", "digest")
    if same_files:
        keys = ("sha256",)
        if not (files[0] and files[1]):
            yield Difference("files", "one of the records has no files")
    elif "shards" not in record["claim"]:
        return  # after samples were removed, nothing is known about files
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
            yield Difference("files", f"{word}: {_listed(which)}")
    if not same_files and not (only[0] or only[1]):
        yield Difference("files", "the samples are dealt to shards in another way")


def _without(
    mine: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]], keys: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return the files that are not among the others, compared without their names."""
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
