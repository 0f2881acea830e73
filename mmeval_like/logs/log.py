"""What a log of an evaluation holds: scores of samples, and the numbers that the harness made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

__all__ = ["Aggregate", "Log", "LogError", "Scores", "digest"]


class LogError(ValueError):
    """A file is not such a log, or is damaged. The text names the file."""


@dataclass(frozen=True)
class Aggregate:
    """A number that a harness wrote about the scores of many samples.

    Attributes:
        name: As the harness calls it.
        rule: How it is made: a name of `mmeval_like.logs.rules.RULES`, or another one, of which
            nothing is known here.
        value: The number; None where the harness says that there is none.
        cluster: For standard errors: the field of the samples whose equal values belong together.
        where: The field, and its value, of the samples that it is made of; None: of all.
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
    """One score of the samples of one task.

    Attributes:
        task: The task's name.
        name: The score's name.
        part: Which filter, or reducer of repeats, made the values; "" where there is only one.
        values: One per sample: numbers, or lists of what the rule of the aggregate needs.
        ids: The id of every sample in the dataset.
        fields: What is known of the samples otherwise, by name, one entry per sample.
        aggregates: The harness's own numbers.
        exact: The values before they were rounded, where they are means of repeats.
        dataset: The task's name without the model and the number of examples in the prompt; "":
            the name is the same in all logs of the task.
        asked: A digest of what each sample asks, which is equal in logs that can be compared;
            empty where the log does not say.
        higher_is_better: Whether higher values are better; None: the log does not say.
        is_group: Whether the samples are those of other tasks of the same log.
    """

    task: str
    name: str
    part: str
    values: Sequence[Any]
    ids: Sequence[Any]
    fields: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    aggregates: Sequence[Aggregate] = ()
    exact: Sequence[Fraction] | None = None
    dataset: str = ""
    asked: Sequence[str] = ()
    higher_is_better: bool | None = None
    is_group: bool = False

    @property
    def label(self) -> str:
        """The score's name, and after a comma its part, if it has one."""
        return ", ".join(filter(None, (self.name, self.part)))

    @property
    def table(self) -> dict[str, Any]:
        """The samples as columns, as `mmeval_like.score` takes them: `id`, `values`, and fields."""
        return {**self.fields, "id": list(self.ids), "values": list(self.values)}


@dataclass(frozen=True)
class Log:
    """The scores of a log.

    Attributes:
        format: The harness's name.
        files: The files that were read.
        scores: Every score of every task.
        remarks: What a reader of the numbers should know.
    """

    format: str
    files: Sequence[str]
    scores: Sequence[Scores]
    remarks: Sequence[str] = ()


def digest(asked: Any) -> str:
    """Return a short text that is equal for equal JSON.

    Example:
        >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
        True
    """
    text = json.dumps(asked, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
