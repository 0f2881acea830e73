"""`gate`: pass, fail, or too few samples to decide, as an exit code and as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like._core import gates
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._verdicts.verdict import Verdict
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli import report
from mmeval_like.cli.compare import paired, the_spec
from mmeval_like.cli.errors import FAILED, UNDECIDED, InputError
from mmeval_like.cli.ranks import on_ranks
from mmeval_like.cli.records import described, hashing, shard_names
from mmeval_like.cli.request import Request
from mmeval_like.cli.score import score
from mmeval_like.cli.terminal import shown, tell, write_out
from mmeval_like.cli.together import together
from mmeval_like.cli.unchanged import unchanged
from mmeval_like.records.statement import of_gate

__all__ = ["gate"]

_CODES = {"pass": 0, "fail": FAILED, "undecided": UNDECIDED}


def gate(options: argparse.Namespace) -> int:
    """Judge one system, or two; print the verdict, and return the exit code.

    Raises:
        InputError: The input is wrong.
    """
    return on_ranks(options, _gate)


def _gate(
    options: argparse.Namespace, requests: Sequence[Request], backend: BaseDistBackend
) -> int:
    bounds = {name: getattr(options, name) for name in ("margin", "at_least", "at_most")}
    if options.both and options.margin is None:
        raise InputError("--both needs --margin: the difference must lie within it on both sides")
    if (options.margin is not None) != (len(requests) == 2):
        raise InputError("--margin compares A -- B; --at-least and --at-most judge one system")
    name = the_spec(requests[-1]).text.partition(":")[0]
    judged: Evaluation
    with unchanged(requests, backend):  # so that the SHA-256 is that of the judged files
        if len(requests) == 2:
            judged, _, _ = paired(options, requests, backend)
            known = [key.removesuffix("_difference") for key in _keys(judged.intervals)]
        else:
            if options.anytime:
                raise InputError("--anytime needs two systems: gate A -- B --margin X")
            judged = score(requests[0], backend, None, options.quiet)[1]
            known = [key.partition(".")[2] for key in _keys(judged.intervals)]
        key = _chosen(options.key, known)
        if backend.rank == 0 and not options.quiet:
            _tell_direction(options, requests[-1], name)
        files = _files(requests, backend) if options.statement else []
    try:
        path = key if len(requests) == 2 else f"{name}.{key}"
        verdict = gates.gate(judged, path, **bounds, both=options.both)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
    if backend.rank == 0:
        if options.json:
            found = {"metric": name, "key": key, **_as_dict(verdict)}
            report.write_json(options.json, {WHOLE: found})
        if options.statement:
            rules = {"correction": options.correction, "planned": options.planned}
            asked = _asked(requests, f"{name}.{key}", bounds) | rules
            found = of_gate(verdict, f"{name}.{key}", files, asked)
            text = json.dumps(found, indent=2, ensure_ascii=False)
            report.write_text(options.statement, f"{text}\n")
        if not options.quiet:
            write_out(shown(_line(f"{name}.{key}", verdict)) + "\n", options.json == "-")
    return _CODES[verdict.outcome]


def _tell_direction(options: argparse.Namespace, request: Request, name: str) -> None:
    """Print a note if a bound passes the bad values of a metric."""
    better = the_spec(request).make(request.dataset_meta).higher_is_better
    if options.at_least is not None and better is False:
        tell(f"{name} is better if it is lower, and --at-least passes high values; see --at-most")
    if options.at_most is not None and better is True:
        tell(f"{name} is better if it is higher, and --at-most passes low values; see --at-least")


def _files(requests: Sequence[Request], backend: BaseDistBackend) -> list[dict[str, Any]]:
    """Return the names and the SHA-256 of all files; every rank must call it."""
    hashes: list[dict[str, Any]] = []
    for request in requests:
        begun = hashing(request, backend)
        of_side: dict[int, dict[str, Any]] = {}
        for some in together(backend, begun.result):
            of_side |= some
        hashes += [of_side[index] for index in range(len(request.tables))]
    names = shard_names([table.path for request in requests for table in request.tables])
    return [{"name": name, **one} for name, one in zip(names, hashes, strict=True)]


def _asked(
    requests: Sequence[Request], number: str, bounds: Mapping[str, float | None]
) -> dict[str, Any]:
    """Return the criteria of the verdict as strings and integers, without paths."""
    said = {name: None if bound is None else repr(bound) for name, bound in bounds.items()}
    sides = [{"files": len(request.tables), "asked": described(request)} for request in requests]
    return {"number": number, **said, "systems": sides}


def _keys(intervals: Mapping[str, Any]) -> list[str]:
    """Return the names of all intervals over all samples."""
    whole = intervals.get(WHOLE)
    found = gates.by_name(whole if isinstance(whole, Mapping) else intervals)
    return [*found]


def _chosen(key: str | None, known: Sequence[str]) -> str:
    if key is None and len(known) == 1:
        return known[0]
    if not known:
        raise InputError("no value has an interval: there are no samples, or no single numbers")
    if key is None or key not in known:
        there = ", ".join(known)
        given = "choose one value" if key is None else f"there is no value {key!r}"
        raise InputError(f"--key: {given}; the values with an interval are: {there}")
    return key


def _as_dict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as a dict for JSON."""
    one = verdict.interval
    found = {
        "question": verdict.question,
        "outcome": verdict.outcome,
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "level": one.level,
        "bound": verdict.bound,
        "sign": verdict.sign,
        "p": verdict.p,
        "method": one.method,
        "unit": one.unit,
        "units": one.units,
        "why": verdict.why,
        "needed": verdict.needed,
    }
    if verdict.slices:
        found["worst"] = verdict.worst
        found["slices"] = {name: _as_dict(each) for name, each in verdict.slices.items()}
    return found


def _line(name: str, verdict: Verdict) -> str:
    """Return a verdict in one line.

    Example:
        >>> from mmeval_like._intervals.interval import Interval
        >>> one = Interval(0.5, 0.4, 0.6, 0.95, 0.05, "Wilson", "sample", 100, 100.0, None)
        >>> _line("accuracy.top1", Verdict("at least", "pass", one, 0.3, ">="))
        'PASS accuracy.top1 0.5 [0.4, 0.6] >= 0.3'
    """
    sign = "+" if verdict.question == "not worse" else ""
    text = f"{verdict.outcome.upper()} {name} {_number(verdict)} "
    text += f"{verdict.sign} {verdict.bound:{sign}.4g}{_what_it_needs(verdict)}"
    if verdict.worst is not None:
        worst = verdict.slices[verdict.worst]
        text += f"; worst slice: {verdict.worst} {_number(worst)} {worst.outcome}"
        text += _what_it_needs(worst)
    return text


def _what_it_needs(verdict: Verdict) -> str:
    """Return why a verdict is undecided; an empty text if it is decided."""
    if verdict.decided:
        return ""
    if verdict.why is not None:
        return f"; {verdict.why}"
    if verdict.needed is None:
        return ""
    return f"; needs about {verdict.needed:,} {verdict.interval.unit}s"


def _number(verdict: Verdict) -> str:
    one, sign = verdict.interval, "+" if verdict.question in ("not worse", "equivalent") else ""
    ends = report.interval_text(one.low, one.high, one.thin, sign)
    return f"{one.value:{sign}.{3 if sign else 4}g} {ends}"
