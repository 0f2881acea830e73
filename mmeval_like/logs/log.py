"""The content of a log: scores of samples, and the aggregates that the harness computed."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

__all__ = [
    "LEFT_OUT",
    "PARTLY",
    "Aggregate",
    "Log",
    "LogError",
    "Scores",
    "bounds_of",
    "digest",
    "fields_of",
    "no_score",
]


class LogError(ValueError):
    """A file is not a log of the harness, or is damaged. The message names the file."""


@dataclass(frozen=True)
class Aggregate:
    """An aggregate of the scores of many samples, as written by a harness.

    Attributes:
        name: The harness's name of the aggregate.
        rule: The name of the function that computes it: a key of `mmeval_like.logs.rules.RULES`, or
            the name of a function that is unknown here.
        value: The value; None if the harness has none.
        cluster: For standard errors, and means of groups: the field that is equal for samples that
            belong together.
        where: A field and the value that it has for the aggregated samples; None: all samples.
        single: Whether the harness computed it in single precision.
    """

    name: str
    rule: str
    value: float | None
    cluster: str | None = None
    where: tuple[str, str] | None = None
    single: bool = False


@dataclass(frozen=True)
class Scores:
    """The values of one score for the samples of one task.

    Attributes:
        task: The task's name.
        name: The score's name.
        part: The filter, or the reducer of repeats, that produced the values; "" if there is only
            one.
        values: One value per sample: a number, or a list of the inputs of the aggregate's rule. A
            sample without a score has the value that the harness gave it, or `LEFT_OUT`.
        ids: The id of every sample in the dataset.
        fields: Other fields of the samples by name, with one entry per sample.
        aggregates: The harness's own aggregates.
        exact: The values before rounding, if they are means of repeats.
        dataset: The task's name without the model and the number of examples in the prompt; "":
            the name is the same in all logs of the task.
        asked: A digest of each sample's question and right answer, which is equal in logs that can
            be compared; empty if the log does not contain them.
        higher_is_better: Whether higher values are better; None: the log does not say.
        is_group: Whether the samples are those of other tasks of the same log.
        reasons: For each sample None, or why it has no score, such as "error"; empty: all have one.
        repeats: For each sample what `reduce` reduces to one value, None without a score;
            empty: there are no repeats.
        reduce: The function that reduces repeats.
    """

    task: str
    name: str
    part: str
    values: Sequence[Any]
    ids: Sequence[Any]
    fields: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    aggregates: Sequence[Aggregate] = ()
    exact: Sequence[Any] | None = None
    dataset: str = ""
    asked: Sequence[str] = ()
    higher_is_better: bool | None = None
    is_group: bool = False
    reasons: Sequence[str | None] = ()
    repeats: Sequence[Sequence[Any]] = ()
    reduce: Callable[[Sequence[Any]], Any] | None = None

    def lacking(self, rule: Any = None) -> list[str | None]:
        """Return for each sample None, or why a rule treats it as one without a score.

        Args:
            rule: "drop", "bounds", "refuse" or a number, by which all reasons count, and for bounds
                and refuse also the samples of which some repeats have no score; a number is the
                score of these repeats, so that the sample has one. None: what the harness did, by
                which only the samples count that it left out.
        """
        reasons = [*self.reasons] or [None] * len(self.values)
        if rule is None:
            pairs = zip(self.values, reasons, strict=True)
            return [reason if value is LEFT_OUT else None for value, reason in pairs]
        if rule == "drop" or not self.repeats:
            return reasons
        both = zip(reasons, self.repeats, strict=True)
        if rule in ("bounds", "refuse"):
            return [why or (PARTLY if None in several else None) for why, several in both]
        return [why if {*several} == {None} else None for why, several in both]

    def only(self, places: Sequence[int]) -> Scores:
        """Return the scores of some of the samples."""
        return replace(
            self,
            fields={name: [column[i] for i in places] for name, column in self.fields.items()},
            **{name: _chosen(getattr(self, name), places) for name in _PER_SAMPLE},
        )

    def under(self, rule: Any = None) -> Scores:
        """Return the scores that a rule counts, all of them with values.

        Args:
            rule: "drop": without samples that have no score; a number: the score of these, and of
                repeats without one; None: what the harness did.
        """
        if rule not in (None, "drop"):
            return replace(self.filled(rule), reasons=())
        found = self.of_known_repeats() if rule == "drop" else self
        keep = [i for i, why in enumerate(found.lacking(rule)) if why is None]
        return found if len(keep) == len(self.values) else found.only(keep)

    def of_known_repeats(self) -> Scores:
        """Return the scores without repeats that have none, also where the harness counts them."""
        exact, reasons = [*(self.exact or self.values)], [*self.reasons]
        for i, several in enumerate(self.repeats):
            known = [one for one in several if one is not None]
            if self.reduce is not None and 0 < len(known) < len(several):
                value = self.reduce(known)
                exact[i] = LEFT_OUT if value is None else value
                reasons[i] = PARTLY if value is None else None
        return self._with(exact, reasons=reasons)

    def filled(self, number: float, whole: bool = True) -> Scores:
        """Return the scores with a number for repeats without a score.

        Args:
            number: The number.
            whole: Whether samples get it, too, that have no score at all.
        """
        exact = [*(self.exact or self.values)]
        for i, reason in enumerate(self.reasons):
            exact[i] = exact[i] if reason is None or not whole else Fraction(number)
        for i, several in enumerate(self.repeats):
            if self.reduce is not None and None in several and (whole or len({*several}) > 1):
                filled = [Fraction(number) if one is None else one for one in several]
                exact[i] = self.reduce(filled)
        return self._with(exact, repeats=())

    def _with(self, exact: Sequence[Any], **others: Any) -> Scores:
        values = [float(one) if isinstance(one, Fraction) else one for one in exact]
        return replace(self, values=values, exact=exact if self.exact else None, **others)

    @property
    def label(self) -> str:
        """The score's name, and after a comma its part, if it has one."""
        return ", ".join(filter(None, (self.name, self.part)))

    @property
    def table(self) -> dict[str, Any]:
        """The samples as columns for `mmeval_like.score`: `id`, `values`, and the fields.

        If samples have no score, `unscored` has the reasons.
        """
        values = [None if value is LEFT_OUT else value for value in self.values]
        columns = {**self.fields, "id": list(self.ids), "values": values}
        return {**columns, "unscored": list(self.reasons)} if any(self.reasons) else columns


@dataclass(frozen=True)
class Log:
    """The scores of a log.

    Attributes:
        format: The harness's name.
        files: The files that were read.
        scores: Every score of every task.
        remarks: Remarks for the reader of the results.
    """

    format: str
    files: Sequence[str]
    scores: Sequence[Scores]
    remarks: Sequence[str] = ()


_PER_SAMPLE = ("values", "ids", "exact", "asked", "reasons", "repeats")
PARTLY = "no score in some repeats"
"""The reason of a sample that has a score, which is that of only some of its repeats."""
LEFT_OUT: Any = type("LeftOut", (), {"__repr__": lambda _: "left out"})()
"""The value of a sample that the harness left out."""


def bounds_of(values: Iterable[Any], better: bool | None) -> tuple[float, float] | None:
    """Return the bounds of scores, 0 and 1, if all of them lie between these; None: unknown.

    No log says them. Scores that are better if lower, such as a loss, have an upper bound only if
    all of them are 0 or 1.

    Example:
        >>> bounds_of([0.2, 1.0], None), bounds_of([0.2, 1.0], False), bounds_of([0, 1], False)
        ((0.0, 1.0), None, (0.0, 1.0))
    """
    known = [*values]
    shares = bool(known) and all(isinstance(one, int | float) and 0 <= one <= 1 for one in known)
    return (0.0, 1.0) if shares and (better is not False or {0, 1} >= {*known}) else None


def no_score(value: Any) -> bool:
    """Return whether a value is none: None or nan."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def fields_of(samples: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the fields of samples that are strings or numbers, as columns.

    A sample without a field, which may be the first one, has None.

    Example:
        >>> fields_of([{"kind": None, "text": ["a"]}, {"kind": "wild"}])
        {'kind': [None, 'wild']}
    """
    names = {
        name
        for sample in samples
        for name, value in sample.items()
        if isinstance(value, str | int | float)
    }
    return {name: [sample.get(name) for sample in samples] for name in sorted(names)}


def _chosen(column: Sequence[Any] | None, places: Sequence[int]) -> Any:
    return column if not column else [column[i] for i in places]


def digest(asked: Any) -> str:
    """Return a short string that is equal for equal JSON.

    Example:
        >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
        True
    """
    text = json.dumps(asked, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
