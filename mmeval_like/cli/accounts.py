"""Samples without a score: refused, or counted in all that a command writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mmeval_like._base.account import Account, account_of
from mmeval_like._base.keys import WHOLE
from mmeval_like._core.result import Result
from mmeval_like.cli.errors import InputError
from mmeval_like.cli.request import Request
from mmeval_like.cli.samples import SAMPLES
from mmeval_like.tables.unscored import ABSENT

__all__ = [
    "ACCOUNT",
    "reasons_without_rows",
    "refuse",
    "said",
    "said_of",
    "unused_marks",
    "with_account",
    "with_pairs",
    "without_account",
]

ACCOUNT = ("planned", "scored", "unscored", "rule", "bounds")
"""The names under which the account is written, next to the metrics of a slice."""


def refuse(request: Request, found: Result) -> None:
    """Raise InputError if there are samples without a score, and nothing says what they count as.

    Every rank must call it, with the result of all samples.
    """
    account = found.account
    if request.refuses and account.unscored:
        raise InputError(
            f"{account.said()}: --unscored drop leaves the others out, a number such as 0 is their "
            f"score, and bounds is from the worst to the best that they may be"
        )


def unused_marks(marks: Mapping[str, Sequence[str]], reasons: Iterable[str]) -> str | None:
    """Return a remark if entries of --unscored-column, perhaps misspelled, are no row's reason.

    Args:
        marks: The entries by column, as `marks_of` returns them.
        reasons: Why samples have no score, as an account has it.

    Example:
        >>> unused_marks({"status": ("eror", "timeout")}, ["a: timeout, b: absent"])
        '--unscored-column: no row counts as unscored because of status=eror'
        >>> unused_marks({"status": ("late, again",)}, ["late, again"]) is None
        True
    """
    known = [*reasons]
    named = [(name, entry) for name, entries in marks.items() for entry in entries]
    unused = [f"{name}={entry}" for name, entry in named if not any(_says(r, entry) for r in known)]
    if not unused:
        return None
    return f"--unscored-column: no row counts as unscored because of {', '.join(unused)}"


def _says(reason: str, entry: str) -> bool:
    """Return whether an entry is a reason, or that of one system in the reason of a pair."""
    first, second = f"a: {entry}", f"b: {entry}"
    if reason in (entry, first, second) or reason.startswith(f"{first}, b: "):
        return True
    return reason.startswith("a: ") and reason.endswith(f", {second}")


def reasons_without_rows(request: Request, slices: Iterable[str]) -> dict[str, float]:
    """Return 0 for every reason that rows may have, by the name of its count in every slice."""
    if request.unscored is None:
        return {}
    reasons = ABSENT, *(entry for entries in request.marks.values() for entry in entries)
    starts = ["" if name == WHOLE else f"{name}/" for name in slices]
    return {f"{start}unscored.{reason}": 0 for start in starts for reason in reasons}


def with_account(values: Mapping[str, Any], accounts: Any, request: Request) -> dict[str, Any]:
    """Return the values of one slice with the account of its samples, if there is one.

    Args:
        values: The values of a metric, or of several by name.
        accounts: The account of the metric, or those of several by name; None: there is none.
        request: The request.
    """
    found = account_of(accounts)
    return {**values} if found is None else {**values, **_facts(found, accounts, request)}


def without_account(results: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the metrics of each slice, without the account of its samples."""
    return {
        which: {name: one for name, one in values.items() if name not in ACCOUNT}
        for which, values in results.items()
    }


def with_pairs(values: Mapping[str, Any], account: Any, request: Request) -> dict[str, Any]:
    """Return the values of a comparison with the account of its samples, if there is one."""
    found = with_account(values, account, request)
    if account is None:
        return found
    counts = dict(zip(("a_only", "b_only", "neither"), account.one_sided, strict=True))
    return {**found, "scored": {"both": account.scored, **counts}}


def _facts(account: Account, accounts: Any, request: Request) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "planned": account.planned,
        "scored": account.scored,
        "unscored": dict(account.unscored),
        "rule": request.unscored,
    }
    several = accounts if isinstance(accounts, Mapping) else {"": accounts}
    bounds = {
        name: {key: dict(zip(("worst", "best"), ends, strict=True)) for key, ends in b.items()}
        for name, b in ((name, one.bounds) for name, one in several.items() if name != SAMPLES)
        if b
    }
    if bounds:
        facts["bounds"] = bounds.get("", bounds)
    return facts


def said(results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a line for each slice with samples that have no score.

    Args:
        results: By slice, the account among the metrics.

    Example:
        >>> said({"all": {"planned": 7, "scored": 5, "unscored": {"error": 2}, "rule": "drop"}})
        ['5 of 7 scored; 2 error: left out']
        >>> said({"all": {"planned": 7, "scored": 5, "unscored": {"error": 2}, "rule": 0}})
        ['5 of 7 scored; 2 error: counted as 0']
    """
    lines = []
    for which, values in results.items():
        if values.get("unscored"):
            lines.append(f"{which}: " * (which != WHOLE) + said_of(values))
    return lines


def said_of(values: Mapping[str, Any], systems: Sequence[str] = ("A", "B")) -> str:
    """Return a line about the samples of one slice, or of one comparison.

    Args:
        values: The account, with or without the metrics.
        systems: The names of the two systems of a comparison.

    Example:
        >>> scored = {"both": 6, "a_only": 1, "b_only": 2, "neither": 0}
        >>> reasons = {"a: error": 2, "b: timeout": 1}
        >>> said_of({"planned": 9, "scored": scored, "unscored": reasons, "rule": 0})[:60]
        '6 of 9 scored on both, 1 on A only, 2 on B only, 0 on neithe'
    """
    scored = values["scored"]
    if not isinstance(scored, Mapping):
        return f"{Account(values['planned'], values['unscored']).said()}: {_in_words(values)}"
    a, b = systems
    text = (
        f"{scored['both']:,} of {values['planned']:,} scored on both, {scored['a_only']:,} on {a} "
        f"only, {scored['b_only']:,} on {b} only, {scored['neither']:,} on neither"
    )
    reasons = [f"{count:,} ({reason})" for reason, count in values["unscored"].items()]
    return f"{text}; without a score {', '.join(reasons)}: {_in_words(values)}"


def _in_words(values: Mapping[str, Any]) -> str:
    """Return what samples without a score count as, with the bounds that follow from it."""
    rule = values["rule"]
    if rule == "drop":
        return "left out"
    if rule != "bounds":
        return "counted as the empty text" if rule == "" else f"counted as {rule}"
    known = [f"{name} {ends}" for name, ends in _ends(values.get("bounds", {}), ())]
    return ", ".join(known) or "from the worst to the best that they may be"


def _ends(bounds: Mapping[str, Any], path: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the bounds of each value that is a number."""
    for name, one in bounds.items():
        if isinstance(one.get("worst"), int | float):
            ends = (f"{one[end]:.4g}" for end in ("worst", "best"))
            yield " ".join([*path, name]), "from {} (worst) to {} (best)".format(*ends)
        elif "worst" not in one:
            yield from _ends(one, [*path, name])
