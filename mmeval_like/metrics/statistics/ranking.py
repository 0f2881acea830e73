"""Scores in order, equal ones as one threshold: the areas and the curves that follow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._accumulate.exact import ExactSum
from mmeval_like._accumulate.two_product import two_product
from mmeval_like.metrics.statistics.areas import Areas
from mmeval_like.metrics.statistics.curve_points import Curve
from mmeval_like.metrics.statistics.score_runs import Counted, Group, counted
from mmeval_like.metrics.statistics.sorted_scores import Counts, SortedScores

__all__ = ["FEW", "Ranking", "average", "dot"]

FEW = 10
"""Positives or negatives; with fewer an interval promises less than its level."""


@dataclass(frozen=True)
class Ranking(Areas, Curve):
    """How many negative and positive samples have each score, or the sums of their weights.

    Attributes:
        blocks: The distinct scores, ascending, with the negatives and the positives of each; in
            blocks, since what is made of few at once stays in the cache.
        negatives: The number of negatives, or the sum of their weights.
        positives: The same for positives.
        binned: Every score stands for a bin, whose lower edge it is: scores in it that differ
            count as equal, and `*_error` is how far that may be from the truth. One block.
    """

    blocks: Iterable[Counts]
    negatives: Any
    positives: Any
    binned: bool = False

    @classmethod
    def of(cls, negatives: Sequence[Group], positives: Sequence[Group]) -> Ranking:
        """Return the ranking of ascending scores; complex ones are (score, weight).

        Example:
            >>> ranking = Ranking.of([np.array([1.0, 2.0])], [np.array([2.0, 2.0, 3.0])])
            >>> ranking.counts()[2].tolist()
            [0, 2, 1]
        """
        runs: list[Any] = [*negatives, *positives]
        if any(isinstance(run, Counted) for run in runs):
            return cls.of_counts(*_beside(counted(negatives), counted(positives)))
        if any(run.dtype.kind == "c" for run in runs):
            return cls.of_counts(*_weigh_by_score(runs, sum(map(len, negatives))))
        scores = SortedScores(runs[: len(negatives)], runs[len(negatives) :])
        return cls(scores, sum(map(len, negatives)), sum(map(len, positives)))

    @classmethod
    def of_counts(
        cls, scores: np.ndarray, negatives: np.ndarray, positives: np.ndarray, binned: bool = False
    ) -> Ranking:
        """Return the ranking with these numbers, or sums of weights, for each score."""
        return cls([(scores, negatives, positives)], _total(negatives), _total(positives), binned)

    def counts(self) -> Counts:
        """Return the scores, the negatives and the positives, in one block."""
        blocks = list(self.blocks)
        if not blocks:
            return np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64)
        scores, false, true = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        return scores, false, true

    def above(self) -> Counts:
        """Return the scores, and how many negatives and positives have at least each."""
        scores, false, true = self.counts()
        return scores, _from_top(false, self.negatives), _from_top(true, self.positives)

    def doubled_pairs(self) -> Any:
        """Return twice the number of pairs whose positive scores higher; equal scores count one."""
        if isinstance(self.blocks, SortedScores):
            return self.blocks.doubled_pairs()
        _, false, true = self.counts()
        return dot(true, 2 * np.cumsum(false) - false)

    def partial_auroc(self, max_fpr: float) -> float:
        """Return the area up to a false positive rate, from 1/2 for guessing to 1 for no errors.

        With the area A, m = max_fpr^2 / 2 and M = max_fpr: (1 + (A - m) / (M - m)) / 2. Source:
        D. K. McClish, "Analyzing a portion of the ROC curve", Medical Decision Making 9 (1989).
        """
        if max_fpr == 1:
            return self.auroc()
        if not self.negatives or not self.positives:
            return math.nan
        _, fpr, tpr = self.rates()
        stop = int(np.searchsorted(fpr, max_fpr, side="right"))
        share = (max_fpr - fpr[stop - 1]) / (fpr[stop] - fpr[stop - 1])
        last = tpr[stop - 1] + share * (tpr[stop] - tpr[stop - 1])
        x, y = np.append(fpr[:stop], max_fpr), np.append(tpr[:stop], last)
        area = _total(np.diff(x) * (y[1:] + y[:-1]) / 2)
        least = max_fpr * max_fpr / 2
        return float((1 + (area - least) / (max_fpr - least)) / 2)

    def auroc_error(self) -> float:
        """Return the bound of the error of `auroc`: half the pairs whose bin is the same."""
        if not self.negatives or not self.positives:
            return math.nan
        _, false, true = self.counts()
        return float(dot(true, false) / (2 * self.negatives * self.positives))

    def precisions(self, negatives: int = 0, positives: int = 0) -> ExactSum:
        """Return the sum, over positives, of the precision at their score.

        Args:
            negatives: How many negatives beside these score higher than all of them.
            positives: The same of positives.
        """
        total = ExactSum()
        if isinstance(self.blocks, SortedScores):
            for precisions in self.blocks.precisions(negatives + positives, positives):
                total.add(precisions)
            return total
        _, false, true = self.above()
        _, _, here = self.counts()
        hits = np.flatnonzero(here != 0)
        false, true, here = false[hits] + negatives, true[hits] + positives, here[hits]
        precisions = true / (true + false)
        if here.dtype.kind == "f":
            total.add(precisions * here)
            return total
        for part in two_product(precisions, here.astype(np.float64)):
            total.add(part)
        return total

    def average_precision_error(self) -> float:
        """Return the bound of the error of `average_precision`.

        In a bin, every positive's precision is at most that of all its positives before its
        negatives. It is lowest when the negatives come first and the positives one by one: a
        concave function of their number, whose mean is at least that of its ends.
        """
        _, negatives, positives = self.counts()
        where = np.flatnonzero(positives != 0)
        _, false, true = (counts[where] for counts in self.above())
        at_end = true / (true + false)
        before = true - positives[where]
        at_start = np.divide(before, before + false, out=np.zeros(len(where)), where=before > 0)
        highest = true / (true + (false - negatives[where]))
        lowest = (at_start + at_end) / 2
        value = self.average_precision()
        high, low = (
            _total(precision * positives[where]) / self.positives if len(where) else 0.0
            for precision in (highest, lowest)
        )
        return float(max(high - value, value - low))

    def largest_step(self) -> float:
        """Return the largest share of the positives that have one score."""
        _, _, positives = self.counts()
        return float(positives.max() / self.positives) if self.positives else math.nan


def _beside(negatives: Counted, positives: Counted) -> Counts:
    """Return the distinct scores of both, and how often each occurs in either."""
    scores = np.union1d(negatives.scores, positives.scores)
    false, true = np.zeros((2, len(scores)), np.int64)
    false[np.searchsorted(scores, negatives.scores)] = negatives.counts
    true[np.searchsorted(scores, positives.scores)] = positives.counts
    return scores, false, true


def _weigh_by_score(runs: Sequence[np.ndarray], negatives: int) -> Counts:
    """Return the distinct scores, ascending, and the weights of both kinds at each."""
    joined = np.concatenate(runs)
    scores = joined.real
    order = np.argsort(scores, kind="stable")  # sorted runs: a merge
    scores, weights = scores[order], joined.imag[order]
    positive = order >= negatives
    starts = np.flatnonzero(np.append(True, scores[1:] != scores[:-1])[: len(scores)])
    false, true = (
        np.add.reduceat(np.where(kind, weights, 0.0), starts) for kind in (~positive, positive)
    )
    return scores[starts], false, true


def _total(counts: np.ndarray) -> Any:
    """Return an integer, or the correctly rounded sum of weights."""
    if counts.dtype.kind != "f":
        return int(counts.sum())
    total = ExactSum()
    total.add(counts)
    return total.value()


def _from_top(counts: np.ndarray, total: Any) -> np.ndarray:
    """Return the sum, of all that are `total`, from each to the last."""
    if counts.dtype.kind == "f":  # a difference of rounded sums could be anything
        return np.cumsum(counts[::-1])[::-1]
    above: np.ndarray = total - (np.cumsum(counts) - counts)
    return above


def dot(left: np.ndarray, right: np.ndarray) -> Any:
    """Return the sum of products: an integer, however large, or a rounded sum of weights.

    Example:
        >>> dot(np.array([2**40, 3]), np.array([2**40, 5])) == 2**80 + 15
        True
    """
    if left.dtype.kind == "f":
        return _total(left * right)
    total = _total(left)
    if total * int(right.max(initial=0)) < 2**63:
        return int(np.dot(left, right))
    if total >= 2**47:
        return int((left.astype(object) * right.astype(object)).sum())
    return (dot(left, right >> 16) << 16) + dot(left, right & 0xFFFF)


def average(values: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Return the mean of the values that are not nan; nan if there is none.

    Where all weights are 0 the values count alike.

    Example:
        >>> average([1.0, math.nan, 0.5], [0, 5, 0])
        0.75
    """
    shares = [1.0] * len(values) if weights is None else weights
    known = [(v, w) for v, w in zip(values, shares, strict=True) if not math.isnan(v)]
    if not any(w for _, w in known):
        known = [(v, 1.0) for v, _ in known]
    total = math.fsum(w for _, w in known)
    return math.fsum(v * w for v, w in known) / total if known else math.nan
