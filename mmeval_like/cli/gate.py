"""`gate`: pass, fail, or too few samples to decide, as an exit code and as JSON."""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mmeval_like._base.keys import WHOLE
from mmeval_like._core import gates
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._core.together import together
from mmeval_like._verdicts.broken import broken
from mmeval_like._verdicts.verdict import Verdict
from mmeval_like.backends import BaseDistBackend
from mmeval_like.cli import report
from mmeval_like.cli.accounts import ACCOUNT, said_of
from mmeval_like.cli.compare import named, paired, tell_doubts, the_spec
from mmeval_like.cli.errors import FAILED, UNDECIDED, InputError
from mmeval_like.cli.gate_log import Entry, GateLog, samples_digest
from mmeval_like.cli.ranks import on_ranks
from mmeval_like.cli.readers.log_files import RULE, LogTable
from mmeval_like.cli.records import described, hashing, shard_names
from mmeval_like.cli.request import Request
from mmeval_like.cli.score import score
from mmeval_like.cli.terminal import shown, tell, write_out
from mmeval_like.cli.unchanged import unchanged
from mmeval_like.records.claim import describe_metric
from mmeval_like.records.statement import of_gate

__all__ = ["gate"]

_CODES = {"pass": 0, "fail": FAILED, "undecided": UNDECIDED}
_NAMED = 10  # the number of broken samples in the line; --json has all


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
    _check(options, requests)
    name = the_spec(requests[-1]).text.partition(":")[0]
    judged: Evaluation
    log = entry = lost = None
    with unchanged(requests, backend):  # so that the SHA-256 is that of the judged files
        files = _files(requests, backend) if options.statement or options.log else []
        if options.log:
            log = GateLog(options.log, backend)
            entry = _entry(options, requests, backend, log, files)
            options = argparse.Namespace(**vars(options) | {"interval": entry.level})
            requests = [replace(request, interval=entry.level) for request in requests]
        if len(requests) > 1:
            judged, values, texts = paired(options, requests[-2:], backend)
            tell_doubts(requests[-2], values[WHOLE], backend, options.quiet)
            facts = values[WHOLE]
            known = [key.removesuffix("_difference") for key in _keys(judged.intervals)]
            if options.broken is not None:
                if facts.get("unscored") and facts["rule"] == "bounds":
                    raise InputError(
                        f"--broken needs a score for each sample, and there are "
                        f"{sum(facts['unscored'].values())} without one: --unscored 0 counts them "
                        f"as wrong, drop leaves them out"
                    )
                lost = _broken(options, requests, (values, texts), backend)
        else:
            found, judged = score(requests[0], backend, None, options.quiet)
            facts = found[WHOLE]
            known = [key.partition(".")[2] for key in _keys(judged.intervals)]
        key = _chosen(options.key, known)
        if backend.rank == 0 and not options.quiet:
            _tell_direction(options, requests[-1], name, key)
    try:
        path = key if len(requests) > 1 else f"{name}.{key}"
        verdict = gates.gate(judged, path, **bounds, both=options.both)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
    if lost is not None and len(lost) > options.broken:
        verdict = replace(verdict, outcome="fail", needed=None)
    account = {fact: facts[fact] for fact in ACCOUNT if fact in facts}
    if log is not None and entry is not None:  # before anybody sees the verdict
        log.append(entry, key, verdict, account)
    if backend.rank == 0:
        guards = _guards(options, lost, entry) | account
        if options.json:
            found = {"metric": name, "key": key, **_as_dict(verdict), **guards}
            report.write_json(options.json, found)
        if options.statement:
            rules = {"correction": options.correction, "planned": options.planned, **guards}
            asked = _asked(requests, f"{name}.{key}", bounds) | _without_floats(rules)
            found = of_gate(verdict, f"{name}.{key}", files, asked)
            text = json.dumps(found, indent=2, ensure_ascii=False)
            report.write_text(options.statement, f"{text}\n")
        if not options.quiet:
            line = verdict.line(f"{name}.{key}") + _said(options, requests[-1], lost, entry)
            line += f"; {_judged(facts)}" if facts.get("unscored") else ""
            write_out(shown(line) + "\n", options.json == "-")
    return _CODES[verdict.outcome]


def _check(options: argparse.Namespace, requests: Sequence[Request]) -> None:
    """Raise InputError if options of the gate do not go together."""
    if options.both and options.margin is None:
        raise InputError("--both needs --margin: the difference must lie within it on both sides")
    if (options.margin is not None) != (len(requests) > 1):
        raise InputError("--margin compares A -- B; --at-least and --at-most judge one system")
    if len(requests) == 1 and options.anytime:
        raise InputError("--anytime needs two systems: gate A -- B --margin X")
    if len(requests) == 1 and options.broken is not None:
        raise InputError("--broken needs an earlier version: gate A -- B --margin X --broken N")
    if len(requests) > 2 and options.broken is None:
        raise InputError("only --broken takes versions before A: gate EARLIER -- A -- B --broken N")
    if options.log == "-":
        raise InputError("--log -: must name a file, which keeps the verdicts")
    if options.log and options.anytime:
        raise InputError(
            "--log counts candidates, and --anytime looks at one candidate: leave out one of them"
        )


def _entry(
    options: argparse.Namespace,
    requests: Sequence[Request],
    backend: BaseDistBackend,
    log: GateLog,
    files: Sequence[Mapping[str, Any]],
) -> Entry:
    """Return the place of the candidate in the log; every rank must call it."""
    request = requests[-1]
    described = describe_metric(the_spec(request).make(request.dataset_meta))
    bounds = {name: getattr(options, name) for name in ("margin", "at_least", "at_most")}
    question = {
        "metric": described["identity"],
        **{name: repr(bound) for name, bound in bounds.items() if bound is not None},
        "both": options.both,
        "level": repr(options.interval),
        "by": [list(family) for family in request.by],
        "cluster": request.cluster,
    }
    # Logs have a rule for samples without a score, also if this one has none.
    logs = RULE if isinstance(request.tables[0], LogTable) else None
    rule = logs if request.unscored is None else request.unscored
    if rule is not None:
        question["unscored"] = rule
    hashes = iter([one["sha256"] for one in files])  # one file may hold several predictions
    columns = [{**r.columns, **r.marks} for r in requests]
    sides = [
        (sorted(read.items()), [next(hashes) for _ in r.tables])
        for r, read in zip(requests, columns, strict=True)
    ]
    candidate = hashlib.sha256(repr(sides).encode()).hexdigest()
    # One of the two systems may lack a sample that the rule gives a score.
    several = request.ids is not None and request.unscored is not None
    samples = samples_digest(requests if several else [request], backend)
    with_ids = request.ids is not None
    return log.entry(question, options.key, samples, candidate, options.interval, with_ids)


def _broken(
    options: argparse.Namespace,
    requests: Sequence[Request],
    compared: tuple[dict[str, dict[str, Any]], dict[str, str]],
    backend: BaseDistBackend,
) -> list[Any]:
    """Return the ids of samples that all earlier versions get right, and the last one wrong."""
    values, texts = compared
    found = [values[WHOLE]]
    for earlier in requests[:-2]:
        found.append(paired(options, [earlier, requests[-1]], backend)[1][WHOLE])
    try:
        [lost] = named([[*broken(*found)]], texts, backend)
    except ValueError:
        raise InputError(
            f"--broken needs a metric that scores each sample right or wrong, such as accuracy; "
            f"{the_spec(requests[-1]).text} does not"
        ) from None
    return lost


def _guards(
    options: argparse.Namespace, lost: Sequence[Any] | None, entry: Entry | None
) -> dict[str, Any]:
    """Return what the guards besides the bound found, for JSON; empty without them."""
    found: dict[str, Any] = {}
    if lost is not None:
        found |= {"broken": [*map(str, lost)], "broken_at_most": options.broken}
    if entry is not None:
        found |= {"turn": entry.turn, "samples": entry.samples, "candidate": entry.candidate}
    return found


def _said(
    options: argparse.Namespace,
    request: Request,
    lost: Sequence[Any] | None,
    entry: Entry | None,
) -> str:
    """Return the part of the line about the guards besides the bound."""
    text = ""
    if lost is not None:
        listed = ", ".join(map(str, lost[:_NAMED])) + (", ..." if len(lost) > _NAMED else "")
        listed = listed if request.ids else f"row{'s' * (len(lost) > 1)} {listed}"
        text += f"; {len(lost)} broken (at most {options.broken}){f': {listed}' if lost else ''}"
    return text if entry is None else f"{text}; {entry}"


def _judged(facts: Mapping[str, Any]) -> str:
    """Return which samples have no score, and by what rule the verdict counts them."""
    if facts["rule"] == "bounds":
        return f"{said_of(facts)}; judged in the worst case"
    return f"{said_of(facts)}, as --unscored {shlex.quote(str(facts['rule']))} declares"


def _tell_direction(options: argparse.Namespace, request: Request, name: str, key: str) -> None:
    """Print a note if a bound passes the bad values of a number."""
    better = the_spec(request).make(request.dataset_meta).direction_of(key)
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


def _without_floats(value: Any) -> Any:
    """Return a value with its floats as texts, at any depth."""
    if isinstance(value, Mapping):
        return {name: _without_floats(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_without_floats, value)]
    return repr(value) if isinstance(value, float) else value


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
