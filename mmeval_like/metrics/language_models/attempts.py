"""AttemptCounts: how many attempts at each question were right, for pass@k and its variants."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from mmeval_like.metrics._common.shapes import check_one_axis
from mmeval_like.writing import Results, State, Statistic, arrays, state

__all__ = ["AttemptCounts"]

_MOST = 2**31


@dataclass(frozen=True)
class AttemptCounts(Statistic):
    """The number of questions for each pair (number of attempts, number of right attempts).

    Attributes:
        least: The least number of attempts at every question.
    """

    least: int = 1

    def states(self) -> dict[str, State]:
        """Return the histogram of pairs."""
        return {"pairs": state.tally()}

    def rows(self, correct: Any, attempts: Any = None) -> dict[str, np.ndarray]:
        """Return the code of every question's pair.

        Args:
            correct: Which attempts at each of N questions were right: 0 and 1, an array (N, n) or N
                lists of any length. If `attempts` is given: how many attempts were right, integers
                (N,).
            attempts: How many attempts there were, integers (N,), below 2^31.

        Raises:
            TypeError: The inputs are not whole numbers.
            ValueError: Shapes or lengths do not fit, a number is out of range, or a question has
                fewer attempts than `least`.
        """
        right, tried = _of_lists(correct) if attempts is None else _of_counts(correct, attempts)
        few = np.flatnonzero(tried < self.least)
        if len(few):
            raise ValueError(
                f"attempts must be at least {self.least} for every question, the largest k; got "
                f"{tried[few[0]]} at index {few[0]}"
            )
        return {"pairs": tried * _MOST + right}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the pairs of questions whose attempts are all right ("best", 1) or all wrong."""
        right = {"worst": 0, "best": 1}.get(fill, fill)
        if right not in (0, 1):
            return None
        return {"pairs": np.full(count, self.least * (_MOST + int(right)))}

    def mean(self, results: Results, share: Callable[[int, int], tuple[int, int]]) -> float:
        """Return the mean of a share over questions, rounded once; nan without questions.

        Args:
            results: The merged results.
            share: A function of the number of attempts n and of right attempts c. It returns a
                numerator, and a denominator that depends only on n.
        """
        codes, counts = results.pairs
        sums: dict[int, list[int]] = {}
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            n, c = divmod(code, _MOST)
            numerator, denominator = share(n, c)
            sums.setdefault(n, [0, denominator])[0] += count * numerator
        if not sums:
            return math.nan
        return float(sum(Fraction(*parts) for parts in sums.values()) / len(results))


def _of_lists(correct: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of right attempts and of attempts."""
    if isinstance(correct, np.ndarray) and correct.ndim == 2:
        table = arrays.as_integers(correct, "correct")
        arrays.check_range("correct", table, 2)
        return table.sum(axis=1), np.full(len(table), table.shape[1], np.int64)
    entries: Any = correct
    if not isinstance(correct, list | tuple) or not all(isinstance(c, list) for c in correct):
        entries = [arrays.as_integers(e, "correct") for e in arrays.to_samples(correct, "correct")]
        for index, entry in enumerate(entries):
            if entry.ndim != 1:
                raise ValueError(
                    "correct must have shape (N, n), or be N lists of 0 and 1, or come with "
                    f"attempts=; got an entry of shape {entry.shape} at index {index}"
                )
    values = arrays.as_integers([*chain.from_iterable(entries)], "correct")
    arrays.check_range("correct", values, 2)
    lengths = np.array([len(entry) for entry in entries], np.int64)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
    ends = np.cumsum(lengths)
    right: np.ndarray = before[ends] - before[ends - lengths]
    return right, lengths


def _of_counts(correct: Any, attempts: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of right attempts and of attempts, checked."""
    right = arrays.as_integers(correct, "correct")
    tried = arrays.as_integers(attempts, "attempts")
    for name, numbers in (("correct", right), ("attempts", tried)):
        check_one_axis(name, numbers)
        arrays.check_range(name, numbers, _MOST)
    arrays.check_same_length("correct", right, "attempts", tried)
    more = np.flatnonzero(right > tried)
    if len(more):
        raise ValueError(
            f"correct must not exceed attempts, got {right[more[0]]} of {tried[more[0]]} at index "
            f"{more[0]}"
        )
    return right, tried
