"""The content of a log: scores of samples, and the aggregates that the harness computed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

__all__ = ["Aggregate", "Log", "LogError", "Scores", "digest"]


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
        cluster: For standard errors: the field that is equal for samples that belong together.
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
        values: One value per sample: a number, or a list of the inputs of the aggregate's rule.
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
        """The samples as columns for `mmeval_like.score`: `id`, `values`, and the fields."""
        return {**self.fields, "id": list(self.ids), "values": list(self.values)}


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


def digest(asked: Any) -> str:
    """Return a short string that is equal for equal JSON.

    Example:
        >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
        True
    """
    text = json.dumps(asked, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
