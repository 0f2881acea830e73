"""`verify`: recompute a record, on any ranks, and print the differences."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli import report
from mmeval_like.cli.errors import FAILED, InputError
from mmeval_like.cli.lock import departures, read_lock
from mmeval_like.cli.option_values import policy
from mmeval_like.cli.ranks import on_ranks
from mmeval_like.cli.readers import blaming
from mmeval_like.cli.records import (
    hashing,
    is_state,
    make_record,
    read_json,
    read_state,
    record_of_state,
)
from mmeval_like.cli.request import Request
from mmeval_like.cli.require import missed, parse_condition
from mmeval_like.cli.score import by_slice, score
from mmeval_like.cli.specs import parse_spec
from mmeval_like.cli.targets import check_targets
from mmeval_like.cli.terminal import shown, write_out
from mmeval_like.cli.unchanged import unchanged
from mmeval_like.records import verify as records
from mmeval_like.records.difference import Difference
from mmeval_like.records.numbers import TOLERANCE

__all__ = ["ask_as_recorded", "verify", "verify_files"]


def verify(options: argparse.Namespace) -> int:
    """Compute the result of a record again, and print what differs; return the exit code.

    Raises:
        InputError: The record, the files or the saved state are wrong.
    """
    ask_as_recorded(options)
    return _verify_state(options) if is_state(options.files[0]) else on_ranks(options, verify_files)


def ask_as_recorded(options: argparse.Namespace) -> None:
    """Set the options of `score` as they were when the record was made.

    Raises:
        InputError: The file is not a record of `score`.
    """
    options.record = read_json(options.record_file)
    try:
        asked = options.record["claim"]["request"]
        _check(asked)
        options.metric = asked["metrics"]
        options.column = [*asked["columns"].items()]
        options.by = [",".join(family) for family in asked["by"]]
        options.ids, options.size, options.cluster = asked["ids"], asked["size"], asked["cluster"]
        options.interval = None if asked["interval"] is None else float(asked["interval"])
        options.classes = asked["classes"]
        rule, *options.unscored_column = asked.get("unscored") or [None]
        options.unscored = None if rule is None else policy(rule)
        with blaming(options.record_file):
            meta = {"classes": options.classes} if options.classes else None
            for text in asked["metrics"] if asked.get("annotations") is None else ():
                parse_spec(text).make(meta)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        text = f"{options.record_file}: not a record written by `score --record` ({error!r})"
        raise InputError(text) from error
    options.require, options.resume, options.config = [], None, None
    options.sides, options.logs = [options.files], False


def _check(asked: Mapping[str, Any]) -> None:
    """Raise ValueError unless a record's request could come from the options of `score`."""
    classes, size = asked["classes"], asked["size"]
    lists = [asked["metrics"], *asked["columns"].values(), *asked["by"], classes or []]
    texts = [one for some in lists for one in some]
    texts += [one for one in (asked["ids"], asked["cluster"]) if one is not None]
    texts += asked.get("unscored") or []
    level = asked["interval"]
    if (
        not asked["metrics"]
        or not (level is None or 0 < float(level) < 1)
        or any(not isinstance(some, list) for some in (*lists, asked["by"]))
        or any(not isinstance(one, str) for one in texts)
        or not (size is None or type(size) is int)
    ):
        raise ValueError("the request is damaged")


def verify_files(
    options: argparse.Namespace, requests: Sequence[Request], backend: BaseDistBackend
) -> int:
    """Score the files as the record says, and return the exit code; every rank makes the call."""
    (request,) = requests
    with unchanged([request], backend):
        begun = hashing(request, backend)
        found: Any = score(request, backend, None, options.quiet)
        results, total = found
        again = make_record(request, total, backend, begun, {})
    numbers = report.numbers_by_name(results, request.classes)
    return _say(options, again, numbers, backend.rank)


def _verify_state(options: argparse.Namespace) -> int:
    if len(options.files) > 1:
        raise InputError("a saved state is verified alone: add up several with `rollup`")
    if options.same_files:
        raise InputError("--same-files: a saved state does not have the bytes of its files")
    given = {options.record_file: "the record", options.files[0]: "the saved state"}
    given |= {options.locked: "the file of --locked"} if options.locked else {}
    check_targets({"--json": options.json}, given)
    request, total = read_state(options.files[0], options.annotations)
    with blaming(options.files[0]):
        results = by_slice(request, total.compute(request.size))
        again = record_of_state(request, total)
    return _say(options, again, report.numbers_by_name(results, request.classes), 0)


def _held(options: argparse.Namespace, numbers: Mapping[str, float]) -> Iterator[str]:
    """Yield the reasons why the record was not made under the lock, or misses its requirements."""
    lock, digest = read_lock(options.locked)
    yield from departures(lock, options.record["claim"])
    if options.record["made"].get("lock") != digest:
        yield "the record was not made under this lock"
    values = {name: [number] for name, number in numbers.items()}
    yield from missed([*map(parse_condition, lock["require"])], values)


def _say(
    options: argparse.Namespace, again: Mapping[str, Any], numbers: Mapping[str, float], rank: int
) -> int:
    try:
        found = records.verify(options.record, again, same_files=options.same_files)
        silent = records.unclaimed(options.record, again)
    except ValueError as error:
        raise InputError(f"{options.record_file}: {error}") from error
    if options.locked:
        with blaming(options.locked):
            held = [*_held(options, numbers)]
        found += [Difference("record", f"{options.locked}: {text}") for text in held]
    if rank == 0:
        if options.json:
            differences = [vars(one) for one in found]
            said = {"equal": not found, "differences": differences, "unclaimed": silent}
            said |= {"inexact": _inexact(again["claim"])}
            report.write_json(options.json, said)
        if not options.quiet:
            lines = [str(one) for one in found] or [_equal(again["claim"], silent)]
            write_out("".join(f"{shown(line)}\n" for line in lines), options.json == "-")
    return FAILED if found else 0


def _inexact(claim: Mapping[str, Any]) -> list[str]:
    """Return the names of the metrics whose last bits may depend on the processor."""
    return [name for name, one in claim["metrics"].items() if not one["exact"]]


def _equal(claim: Mapping[str, Any], silent: Sequence[str]) -> str:
    """Return the message if nothing differs.

    Example:
        >>> _equal({"metrics": {"loss": {"exact": False}}}, ["the files"])
        'equal; within 1e-09: the values of loss; the record says nothing of the files'
    """
    text = "equal"
    if names := _inexact(claim):
        text += f"; within {TOLERANCE}: the values of {' and '.join(names)}"
    if silent:
        text += f"; the record says nothing of {' and '.join(silent)}"
    return text
