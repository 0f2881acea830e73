"""The contents of a result by kind: slices, metrics, numbers, and numbers of classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mmeval_like._base.account import Account
from mmeval_like._base.class_table import CLASS_TABLE, divided
from mmeval_like._base.keys import BETWEEN, WHOLE

__all__ = ["Number", "Part", "Slice", "number_text", "read", "span_text"]

_ENDS = ("_low", "_high")


@dataclass(frozen=True)
class Number:
    """One value of a result, with its interval.

    Attributes:
        value: A number, a string or None.
        low: The lower end of its interval; nan: no interval.
        high: The upper end of its interval; nan: no interval.
        interval: The `Interval` itself, if the result has it.
        span: The least and the greatest value that samples without a score may give it; None: it
            has no bounds, or all samples have a score.
    """

    value: Any
    low: float = math.nan
    high: float = math.nan
    interval: Any = None
    span: tuple[float, float] | None = None

    @property
    def is_known(self) -> bool:
        """Whether the value is a finite number."""
        return isinstance(self.value, int | float) and math.isfinite(self.value)


@dataclass(frozen=True)
class Part:
    """The values of one metric for one slice.

    Attributes:
        metric: The name of the metric; empty for one metric that is not in a collection.
        values: All values, as `compute` returned them.
        numbers: Single numbers, by key.
        by_class: Lists with a number for every class, by key.
        averages: By name the averages over the classes, each with some of the keys of `by_class`.
        classes: The names of the classes; None: classes are numbered.
        account: The account of the samples; None: it is unknown, and all have a score.
    """

    metric: str
    values: Mapping[str, Any]
    numbers: dict[str, Number] = field(default_factory=dict)
    by_class: dict[str, list[Number]] = field(default_factory=dict)
    averages: dict[str, dict[str, Number]] = field(default_factory=dict)
    classes: Sequence[str] | None = None
    account: Account | None = None

    def names(self, count: int) -> list[str]:
        """Return the names of `count` classes."""
        known = self.classes is not None and len(self.classes) == count
        return [*map(str, self.classes if known and self.classes else range(count))]

    def title(self, key: str) -> str:
        """Return the name of a number: the metric and the key, or only one if they are the same."""
        return key if key == self.metric.lower() else f"{self.metric} {key}".strip()


@dataclass(frozen=True)
class Slice:
    """The metrics of one slice, or of the slice "all" if there are no slices.

    Attributes:
        name: The name of the slice.
        samples: The number of its samples; None: unknown.
        parts: The values of each metric.
    """

    name: str
    samples: int | None
    parts: list[Part]

    def part(self, metric: str) -> Part | None:
        """Return the values of a metric; None if the metric does not have this slice."""
        return next((part for part in self.parts if part.metric == metric), None)

    def number(self, metric: str, key: str) -> Number | None:
        """Return a number of a metric; None if it does not exist."""
        part = self.part(metric)
        return None if part is None else part.numbers.get(key)

    @property
    def account(self) -> Account | None:
        """The account of the samples; None: it is unknown, and all have a score."""
        return next((part.account for part in self.parts if part.account is not None), None)


def read(result: Mapping[str, Any], name: str = "") -> list[Slice]:
    """Return the contents of a result, all samples first, then slice by slice.

    Args:
        result: The result of `compute`, or an equal dict; attributes of the result are used if
            present.
        name: The name of the metric, if it is not in a collection.

    Example:
        >>> [one] = read({"top1": 0.5, "top1_low": 0.3, "top1_high": 0.7})
        >>> one.name, one.parts[0].numbers["top1"].low
        ('all', 0.3)
    """
    intervals = getattr(result, "intervals", {})
    classes = getattr(result, "classes", None)
    samples = getattr(result, "samples", None)
    accounts = getattr(result, "accounts", None)
    found = []
    for which, (values, known, told) in _by_slice(result, intervals, accounts).items():
        count = samples if which == WHOLE else None
        found.append(Slice(which, *_parts(values, known, told, classes, name, count)))
    return found


def _by_slice(values: Mapping[str, Any], *beside: Any) -> dict[str, tuple[Any, ...]]:
    """Return values, and what is beside them, by slice, all samples first, in any layout of slices.

    Args:
        values: The values.
        *beside: The intervals, and the accounts, nested like the values.
    """
    found: dict[str, tuple[Any, ...]] = {}
    if _has_slices(values):
        for which, of_slice in values.items():
            if not isinstance(of_slice, Mapping) or which.startswith(BETWEEN):
                continue
            known = [_at(one, which) for one in beside]
            for inner, every in _by_slice(of_slice, *known).items():
                names = [name for name in (which, inner) if name != WHOLE]
                found[",".join(names) or WHOLE] = every
        return found
    if not any(map(_has_slices, values.values())):
        return {WHOLE: (values, *beside)}
    for member, entry in values.items():
        known = [_at(one, member) for one in beside]
        of_member = _by_slice(entry, *known) if _has_slices(entry) else {WHOLE: (entry, *known)}
        for which, every in of_member.items():
            of_members = found.setdefault(which, tuple({} for _ in every))
            for several, own in zip(of_members, every, strict=True):
                several[member] = own
    return found


def _has_slices(values: Any) -> bool:
    """Return whether keys are names of slices, not of members of which one is named "all"."""
    if not isinstance(values, Mapping) or not isinstance(values.get(WHOLE), Mapping):
        return False
    return all(name == WHOLE or "=" in name or name.startswith(BETWEEN) for name in values)


def _parts(
    values: Mapping[str, Any],
    intervals: Any,
    accounts: Any,
    classes: Sequence[str] | None,
    name: str,
    samples: int | None,
) -> tuple[int | None, list[Part]]:
    """Return the number of samples behind the values, and the part of each metric."""
    members = {key: entry for key, entry in values.items() if isinstance(entry, Mapping)}
    rest = {key: entry for key, entry in values.items() if key not in members}
    named = all(isinstance(key, str) for key in members)  # members of a collection have names
    if members and named and not rest.keys() - {"samples"}:
        samples = rest.get("samples", samples)
        return samples, [
            _part(key, entry, _at(intervals, key), _at(accounts, key), classes)
            for key, entry in members.items()
        ]
    if isinstance(counted := values.get("samples"), int):
        samples = counted
    return samples, [_part(name, values, intervals, accounts, classes)]


def _part(
    name: str,
    values: Mapping[str, Any],
    intervals: Any,
    account: Account | None,
    classes: Sequence[str] | None,
) -> Part:
    table = divided(values.get(CLASS_TABLE))
    if table is not None:
        rest = {key: value for key, value in values.items() if key != CLASS_TABLE}
        return _with_table(_part(name, rest, intervals, account, classes), *table)
    account = account if isinstance(account, Account) else None
    part = Part(name, values, classes=classes, account=account)
    bounds = account.bounds if account is not None and account.unscored else {}
    flat = dict(_flat(values))
    for path, value in flat.items():
        key, one = " ".join(path), _at(intervals, *path)
        ends = [flat.get((*path[:-1], f"{path[-1]}{end}"), math.nan) for end in _ENDS]
        if _is_end(path, flat):
            continue
        spans = _spans(bounds.get(key))
        if isinstance(value, list):
            spread = [end if isinstance(end, list) else [end] * len(value) for end in ends]
            known = one if isinstance(one, list) else [None] * len(value)
            if all(isinstance(entry, int | float) for entry in value) and value:
                lows, highs = spread
                spans = spans or [None] * len(value)
                part.by_class[key] = [*map(Number, value, lows, highs, known, spans)]
        else:
            low, high = ends
            part.numbers[key] = Number(value, low, high, one, spans[0] if spans else None)
    _take_classes_of_detectors(part)
    return part


def _spans(bounds: Any) -> list[tuple[float, float] | None]:
    """Return the least and the greatest value of a number or of each of a list; empty: unknown."""
    worst, best = bounds or ([], [])
    pairs = zip(worst, best, strict=True) if isinstance(worst, list) else [(worst, best)]
    return [(min(pair), max(pair)) if all(map(math.isfinite, pair)) else None for pair in pairs]


def _with_table(
    part: Part, rows: Mapping[str, Mapping[str, Any]], averages: Mapping[str, Mapping[str, Any]]
) -> Part:
    """Return a part with a table of classes; its macro F1 is a number of its own."""
    known = {name: {k: Number(x) for k, x in row.items()} for name, row in averages.items()}
    numbers = {**part.numbers, "macro_f1": known["macro avg"]["f1-score"]}
    keys = averages["macro avg"]
    by_class = {key: [Number(row[key]) for row in rows.values()] for key in keys} if rows else {}
    return replace(part, numbers=numbers, by_class=by_class, averages=known, classes=[*rows])


def _take_classes_of_detectors(part: Part) -> None:
    """Move numbers with names like `bbox_cat_precision` to the numbers of the classes."""
    for task in ("bbox", "segm"):
        keys = [f"{task}_{name}_precision" for name in part.classes or ()]
        if keys and all(key in part.numbers for key in keys):
            part.by_class[f"{task}_precision"] = [part.numbers.pop(key) for key in keys]


def _flat(values: Mapping[str, Any], path: tuple[str, ...] = ()) -> Any:
    """Yield every number, text, None or list, with the keys that lead to it."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, (*path, str(key)))
        elif isinstance(value, np.generic):
            yield (*path, str(key)), value.item()
        elif isinstance(value, list | tuple):
            yield (*path, str(key)), [*value]
        elif not isinstance(value, np.ndarray):
            yield (*path, str(key)), value
        elif value.ndim == 1 and any("classwise" in step for step in path):
            yield (*path, str(key)), value.tolist()


def _is_end(path: tuple[str, ...], flat: Mapping[tuple[str, ...], Any]) -> bool:
    """Return whether a value is an end of another value's interval."""
    for end in _ENDS:
        of = (*path[:-1], path[-1].removesuffix(end))
        if of != path and of in flat:
            return all((*of[:-1], f"{of[-1]}{other}") in flat for other in _ENDS)
    return False


def _at(intervals: Any, *path: str) -> Any:
    for key in path:
        intervals = intervals.get(key, {}) if isinstance(intervals, Mapping) else {}
    return intervals or None


def span_text(one: Number) -> str:
    """Return the words for what samples without a score may change; empty if nothing is known.

    Example:
        >>> span_text(Number(0.6, span=(3 / 7, 5 / 7))), span_text(Number(0.6))
        (' from 0.4286 to 0.7143', '')
    """
    if one.span is None:
        return ""
    least, most = map(number_text, one.span)
    return f" from {least} to {most}"


def number_text(value: Any) -> str:
    """Return the text of a value for tables and sentences.

    Example:
        >>> number_text(0.81234), number_text(12345), number_text(float("nan"))
        ('0.8123', '12,345', 'undefined')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    if math.isnan(value):
        return "undefined"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
