"""One score of a log of a language model, as a table with a row for each sample."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np

from mmeval_like.cli.errors import InputError
from mmeval_like.cli.readers.table import BATCH_ROWS, RowBatch, Table
from mmeval_like.logs import LEFT_OUT, PARTLY, Scores

__all__ = ["ASKED", "IDS", "REASON", "RULE", "LogTable", "as_keys"]

IDS = "id"
ASKED = "what was asked"  # a digest
RULE = "bounds"  # what samples without a score count as, unless --unscored says it
REASON = "why it has no score"


class LogTable(Table):
    """The column of the score, the fields of the samples, and these: `id`, `task`, `ASKED`.

    A field that is called `task` is kept.

    Args:
        path: The file of the samples.
        scores: The same score of every task in the file.
        prefixed: Whether the ids begin with the task, since there are several tasks.
        rule: What samples without a score count as, by `--unscored`; None: those that the harness
            left out have no score.

    Attributes:
        reasons: For each sample None, or why it has no score.

    Raises:
        InputError: A score is not a finite number, or two samples of a task have the same id.
    """

    def __init__(
        self, path: str, scores: Sequence[Scores], prefixed: bool, rule: float | str | None
    ) -> None:
        self.path = path
        if rule == "drop":
            scores = [one.of_known_repeats() for one in scores]
        lacking = [_lacking(one, rule) for one in scores]
        self.reasons = [why for of_one in lacking for why in of_one]
        filled = [
            one if rule is None or isinstance(rule, str) else one.filled(rule, whole=False)
            for one in scores
        ]
        values = [
            value
            for one, of_one in zip(filled, lacking, strict=True)
            for value in _numbers(path, one, of_one)
        ]
        pairs = zip(values, self.reasons, strict=True)
        self.values = [value for value, why in pairs if why is None]
        self.label = scores[0].label
        self._ids = [i for one in scores for i in _ids(path, one, prefixed)]
        fields = dict.fromkeys(name for one in scores for name in one.fields)
        self._columns: dict[str, Any] = {
            name: as_keys(
                [v for one in scores for v in one.fields.get(name, [None] * len(one.ids))]
            )
            for name in fields
        }
        tasks = [one.dataset or one.task for one in scores for _ in one.ids]
        self._columns.setdefault("task", tasks)
        self._columns |= {IDS: self._ids, self.label: np.array(values, float)}
        if all(len(one.asked) == len(one.ids) for one in scores):
            self._columns[ASKED] = [asked for one in scores for asked in one.asked]
        self.columns = list(self._columns)

    def tell_reasons(self) -> None:
        """Add the column `REASON`, with None for samples that have a score."""
        self._columns[REASON] = self.reasons
        self.columns = list(self._columns)

    def units(self) -> list[tuple[int, int]]:
        """Return ranges of samples."""
        count = len(self._ids)
        return [(start, min(start + BATCH_ROWS, count)) for start in range(0, count, BATCH_ROWS)]

    def read(self, start: int, stop: int, columns: Sequence[str]) -> Iterator[RowBatch]:
        """Yield a range of samples."""
        yield RowBatch({name: self._columns[name][start:stop] for name in columns}, start)

    def describe(self, batch: RowBatch, index: int) -> str:
        """Return the sample's id."""
        return f"sample {self._ids[batch.place + index]!r}"


def _lacking(scores: Scores, rule: float | str | None) -> list[str | None]:
    """Return for each sample None, or why it has no score by a rule; see `LogTable`."""
    if rule is not None:
        return scores.lacking(rule)
    pairs = zip(scores.values, scores.lacking("bounds"), strict=True)
    return [why if value is LEFT_OUT or why == PARTLY else None for value, why in pairs]


def _numbers(path: str, scores: Scores, lacking: Sequence[str | None]) -> list[float]:
    """Return the values of a score, nan for samples without one.

    Raises:
        InputError: One of them is not a finite number.
    """
    numbers = []
    for i, value, why in zip(scores.ids, scores.values, lacking, strict=True):
        if why is not None:
            numbers.append(math.nan)
            continue
        try:
            number = float(value) if isinstance(value, Real) else math.nan
        except OverflowError:  # an integer beyond all floats
            number = math.inf
        if not math.isfinite(number):
            raise InputError(
                f"{path}: {scores.label} of sample {i!r} must be a finite number, got {value!r:.40}"
                f"{'; --unscored says what it counts as' if any(scores.reasons) else ''}"
            )
        numbers.append(number)
    return numbers


def _ids(path: str, scores: Scores, prefixed: bool) -> list[str]:
    """Return the ids of a task's samples, as texts.

    Raises:
        InputError: Two samples have one id.
    """
    names = [f"{scores.dataset or scores.task}/{i}" if prefixed else str(i) for i in scores.ids]
    known: set[str] = set()
    for name in names:
        if name in known:
            raise InputError(
                f"{path}: the sample {name!r} has {scores.label} twice; samples are "
                f"matched by id, so each needs one score"
            )
        known.add(name)
    return names


def as_keys(values: Sequence[Any]) -> list[Any]:
    """Return the values of a field as values of slices: numbers, strings, and None for nan."""
    values = [None if value != value else value for value in values]
    if all(value is None or isinstance(value, int | float) for value in values):
        return [*values]
    return [v if v is None or isinstance(v, int | str) else json.dumps(v) for v in values]
