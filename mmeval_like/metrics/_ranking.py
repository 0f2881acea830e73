"""Scores in order, equal ones as one threshold: the areas and the curves that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like.exact import ExactSum

__all__ = ["Ranking", "average"]


@dataclass(frozen=True)
class Ranking:
    """How many negative and positive samples have each score.

    Attributes:
        scores: The distinct scores, ascending.
        negatives: The number of negative samples with each, or the sum of their weights.
        positives: The same for positive samples.
        binned: Every score stands for a bin, whose lower edge it is: scores in it that differ
            count as equal, and `*_error` is how far that may be from the truth.
    """

    scores: np.ndarray
    negatives: np.ndarray
    positives: np.ndarray
    binned: bool = False

    @classmethod
    def of(cls, negatives: np.ndarray, positives: np.ndarray) -> Ranking:
        """Return the ranking of sorted scores; complex ones are (score, weight).

        Example:
            >>> Ranking.of(np.array([1.0, 2.0]), np.array([2.0, 2.0, 3.0])).positives
            array([0, 2, 1])
        """
        joined = np.concatenate([negatives, positives])
        keys = np.ascontiguousarray(joined.real)
        order = np.argsort(keys, kind="stable")  # two sorted runs: a merge
        keys = keys[order]
        positive = order >= len(negatives)
        last = np.ones(len(keys), np.bool_)  # of equal scores
        np.not_equal(keys[1:], keys[:-1], out=last[:-1])
        ends = np.flatnonzero(last)
        if len(ends) == len(keys) and joined.dtype.kind != "c":  # no two are equal
            true = positive.astype(np.int64)
            return cls(keys, 1 - true, true)
        if joined.dtype.kind != "c":
            keys = keys[ends]
            narrow = np.int32 if len(order) < 2**31 else np.int64  # half the memory to fill
            true = _to_steps(np.cumsum(positive, dtype=narrow)[ends]).astype(np.int64)
            ends += 1
            false = _to_steps(ends)
            false -= true
            return cls(keys, false, true)
        weights = joined.imag[order]
        starts = np.append(0, ends + 1)[:-1]
        if len(starts) == 0:
            return cls(keys, np.zeros(0), np.zeros(0))
        false, true = (
            np.add.reduceat(np.where(kind, weights, 0.0), starts) for kind in (~positive, positive)
        )
        return cls(keys[ends], false, true)

    def totals(self) -> tuple[Any, Any]:
        """Return the number of negatives and of positives, or the sums of their weights."""
        return _total(self.negatives), _total(self.positives)

    def above(self) -> tuple[np.ndarray, np.ndarray]:
        """Return how many negatives and positives have at least each score."""
        below = np.cumsum(self.negatives[::-1]), np.cumsum(self.positives[::-1])
        return below[0][::-1], below[1][::-1]

    def auroc(self) -> float:
        """Return the share of pairs whose positive scores higher; equal scores count half.

        nan unless there are samples of both kinds.
        """
        negatives, positives = self.totals()
        if not negatives or not positives:
            return math.nan
        # Twice the number of pairs, so that halves are whole: integers, divided once.
        higher = np.cumsum(self.negatives)
        higher *= 2
        higher -= self.negatives
        return _divide(_dot(self.positives, higher), 2 * negatives * positives)

    def auroc_error(self) -> float:
        """Return the bound of the error of `auroc`: half the pairs whose bin is the same."""
        negatives, positives = self.totals()
        if not negatives or not positives:
            return math.nan
        return _divide(_dot(self.positives, self.negatives), 2 * negatives * positives)

    def average_precision(self) -> float:
        """Return the mean over positives of the precision at their score; 0 without positives."""
        where = np.flatnonzero(self.positives != 0)
        false, true = (counts[where] for counts in self.above())
        return self._mean(where, true / (true + false))

    def average_precision_error(self) -> float:
        """Return the bound of the error of `average_precision`.

        In a bin, every positive's precision is at most that of all its positives before its
        negatives. It is lowest when the negatives come first and the positives one by one: a
        concave function of their number, whose mean is at least that of its ends.
        """
        where = np.flatnonzero(self.positives != 0)
        false, true = (counts[where] for counts in self.above())
        at_end = true / (true + false)
        before = true - self.positives[where]
        at_start = np.divide(before, before + false, out=np.zeros(len(where)), where=before > 0)
        value = self._mean(where, at_end)
        highest = self._mean(where, true / (true + (false - self.negatives[where])))
        lowest = self._mean(where, (at_start + at_end) / 2)
        return max(highest - value, value - lowest)

    def largest_step(self) -> float:
        """Return the largest share of the positives that have one score."""
        _, positives = self.totals()
        return float(self.positives.max() / positives) if positives else math.nan

    def _mean(self, where: np.ndarray, precision: np.ndarray) -> float:
        total = _total(precision * self.positives[where])
        return float(total / self.totals()[1]) if len(where) else 0.0


def _to_steps(sums: np.ndarray) -> np.ndarray:
    """Turn running sums, in place, into what was summed."""
    sums[1:] -= sums[:-1]
    return sums


def _total(counts: np.ndarray) -> Any:
    """Return an integer, or the correctly rounded sum of weights."""
    if counts.dtype.kind != "f":
        return int(counts.sum())
    total = ExactSum()
    total.add(counts)
    return total.value()


def _dot(left: np.ndarray, right: np.ndarray) -> Any:
    """Return the sum of products: an integer, however large, or a rounded sum of weights."""
    if left.dtype.kind == "f":
        return _total(left * right)
    if _total(left) * int(right.max(initial=0)) < 2**63:
        return int(np.dot(left, right))
    return int((left.astype(object) * right.astype(object)).sum())


def _divide(numerator: Any, denominator: Any) -> float:
    return float(numerator / denominator)


def average(values: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Return the mean of the values that are not nan; nan if there is none."""
    shares = [1.0] * len(values) if weights is None else weights
    known = [(v, w) for v, w in zip(values, shares, strict=True) if not math.isnan(v)]
    total = math.fsum(w for _, w in known)
    return math.fsum(v * w for v, w in known) / total if total else math.nan
