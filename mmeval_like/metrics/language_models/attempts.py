"""How many of the attempts at each question were right: one statistic for pass@k and its kin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like._accumulate.results import Results
from mmeval_like._accumulate.rows import Ragged
from mmeval_like.metric import Statistic
from mmeval_like.state import State

__all__ = ["AttemptCounts"]

_MOST = 2**31


@dataclass(frozen=True)
class AttemptCounts(Statistic):
    """The number of questions of each pair of a number of attempts and of right ones.

    Attributes:
        least: How many attempts every question must have, at least.
    """

    least: int = 1

    def states(self) -> dict[str, State]:
        """Return the histogram of pairs."""
        return {"pairs": state.tally()}

    def rows(self, correct: Any, attempts: Any = None) -> dict[str, np.ndarray]:
        """Return the code of every question's pair.

        Args:
            correct: Of N questions, which attempts were right: 0 and 1, an array (N, n) or N lists
                of any length. With `attempts`: how many were right, integers (N,).
            attempts: How many attempts there were, integers (N,), below 2^31.

        Raises:
            TypeError: Not whole numbers.
            ValueError: Other shapes, different lengths, numbers out of range, or a question with
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

    def mean(self, results: Results, share: Callable[[int, int], tuple[int, int]]) -> float:
        """Return the mean over questions of a share, rounded once; nan without questions.

        Args:
            results: The merged results.
            share: Given the numbers of attempts n and of right ones c, returns a numerator, and a
                denominator that depends on n alone.
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
    if isinstance(correct, list | tuple) and all(isinstance(c, list | tuple) for c in correct):
        lengths = np.array([len(entry) for entry in correct], np.int64)
        found = Ragged(arrays.as_integers([*chain.from_iterable(correct)], "correct"), lengths)
    else:
        found = Ragged.from_arrays(
            [arrays.as_integers(entry, "correct") for entry in arrays.to_samples(correct, "correct")]
        )
        if not len(found):
            found = Ragged(np.zeros(0, np.int64), found.lengths)
    if found.values.ndim != 1:
        raise ValueError(
            "correct must have shape (N, n), or be N lists of 0 and 1, or come with attempts=; got "
            f"entries of shape {found.values.shape[1:]} in these lists"
        )
    arrays.check_range("correct", found.values, 2)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(found.values)])
    ends = np.cumsum(found.lengths)
    right: np.ndarray = before[ends] - before[ends - found.lengths]
    return right, found.lengths


def _of_counts(correct: Any, attempts: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of right attempts and of attempts, checked."""
    right = arrays.as_integers(correct, "correct")
    tried = arrays.as_integers(attempts, "attempts")
    for name, numbers in (("correct", right), ("attempts", tried)):
        if numbers.ndim != 1:
            raise ValueError(f"{name} must have shape (N,), got {numbers.shape}")
        arrays.check_range(name, numbers, _MOST)
    arrays.check_same_length("correct", right, "attempts", tried)
    more = np.flatnonzero(right > tried)
    if len(more):
        raise ValueError(
            f"correct must not exceed attempts, got {right[more[0]]} of {tried[more[0]]} at index "
            f"{more[0]}"
        )
    return right, tried
