"""Scores in order, equal ones as one threshold: the areas and the curves that follow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from mmeval_like.metrics.curves.areas import Areas, Corner
from mmeval_like.metrics.curves.count_products import dot, squares_of, total
from mmeval_like.metrics.curves.curve_points import Curve
from mmeval_like.metrics.curves.score_runs import Counted, Group, counted
from mmeval_like.metrics.curves.sorted_scores import Counts, SortedScores
from mmeval_like.metrics.curves.weighed_scores import WeighedScores
from mmeval_like.writing.exact import ExactSum, two_product

__all__ = ["FEW", "FEW_OF_PAIRS", "Ranking", "average"]

FEW, FEW_OF_PAIRS = 30, 10
"""Positives or negatives; with fewer an interval, or one of a difference, promises less than its
level."""


@dataclass(frozen=True)
class Ranking(Areas, Curve):
    """How many negative and positive samples have each score, or the sums of their weights.

    Attributes:
        blocks: The distinct scores, ascending, with the negatives and the positives of each; in
            blocks, since what is made of few at once stays in the cache. Or scores with weights.
        exact: The numbers of negatives and positives, or the sums of their weights unrounded.
        binned: Every score is the lower edge of a bin: scores in it that differ
            count as equal, and `*_error` bounds the error of this. One block.
        higher: The other negatives and positives that score higher than all of them: what
            `Areas` says then is what these add to the whole.
    """

    blocks: Iterable[Counts] | WeighedScores
    exact: tuple[Any, Any]
    binned: bool = False
    higher: tuple[Any, Any] = (0, 0)

    @classmethod
    def of(
        cls,
        negatives: Sequence[Group],
        positives: Sequence[Group],
        higher: tuple[Any, Any] = (0, 0),
    ) -> Ranking:
        """Return the ranking of ascending scores; complex ones are (score, weight).

        Args:
            negatives: Those of the negatives.
            positives: Those of the positives.
            higher: As of the ranking.

        Example:
            >>> ranking = Ranking.of([np.array([1.0, 2.0])], [np.array([2.0, 2.0, 3.0])])
            >>> ranking.counts()[2].tolist()
            [0, 2, 1]
        """
        runs: list[Any] = [*negatives, *positives]
        if any(isinstance(run, Counted) for run in runs):
            both = _beside(counted(negatives), counted(positives))
            return replace(cls.of_counts(*both), higher=higher)
        if any(run.dtype.kind == "c" for run in runs):
            weighed = WeighedScores(runs[: len(negatives)], runs[len(negatives) :], higher)
            return cls(weighed, weighed.totals, higher=higher)
        scores = SortedScores(runs[: len(negatives)], runs[len(negatives) :])
        return cls(scores, (sum(map(len, negatives)), sum(map(len, positives))), higher=higher)

    @classmethod
    def of_counts(
        cls, scores: np.ndarray, negatives: np.ndarray, positives: np.ndarray, binned: bool = False
    ) -> Ranking:
        """Return the ranking with these numbers, or sums of weights, for each score."""
        if negatives.dtype.kind == "f":
            both = np.empty((2, len(scores)), np.complex128)
            both.real, both.imag = scores, (negatives, positives)
            weighed = WeighedScores([both[0]], [both[1]])
            return cls(weighed, weighed.totals, binned)
        exact = int(negatives.sum()), int(positives.sum())
        return cls([(scores, negatives, positives)], exact, binned)

    def counts(self) -> Counts:
        """Return the scores, the negatives and the positives, in one block."""
        if isinstance(self.blocks, WeighedScores):
            return self.blocks.counts()
        blocks = list(self.blocks)
        if not blocks:
            dtype = self.blocks.dtype if isinstance(self.blocks, SortedScores) else np.float64
            return np.empty(0, dtype), np.empty(0, np.int64), np.empty(0, np.int64)
        scores, false, true = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        return scores, false, true

    def above(self) -> Counts:
        """Return the scores, and how many negatives and positives have at least each."""
        if isinstance(self.blocks, WeighedScores):
            return self.blocks.above()
        scores, false, true = self.counts()
        return scores, _from_top(false, self.negatives), _from_top(true, self.positives)

    def doubled_pairs(self) -> Any:
        """Return twice the number of pairs whose positive scores higher; equal scores count one."""
        if isinstance(self.blocks, WeighedScores):
            return self.blocks.doubled_pairs()
        if isinstance(self.blocks, SortedScores):
            return self.blocks.doubled_pairs() + 2 * self.higher[1] * self.exact[0]
        return sum([dot(step.false, step.lost) for step in self._steps()])

    def corner(self, limit: Fraction) -> Corner:
        """Return where the curve has this number of negatives, less than all."""
        if isinstance(self.blocks, WeighedScores):
            return self.blocks.corner(limit)
        most, pairs, crossed = math.floor(limit), 0, [0, 0, 0, 0]
        for step in self._steps():
            whole = step.above_false <= most
            pairs += dot(step.false[whole], step.lost[whole])
            for at in np.flatnonzero(~whole & (step.above_false - step.false <= most)):
                false, true = int(step.false[at]), int(step.true[at])
                above = int(step.above_false[at]), int(step.above_true[at])
                crossed = [above[0] - false, above[1] - true, false, true]
        return Corner(pairs, *crossed)

    def squares(self) -> tuple[int, int]:
        """Return the sums of squares of the doubled placements of the positives and negatives."""
        positive, negative = 0, 0
        for step in self._steps():
            positive += squares_of(step.true, 2 * step.above_false - step.false)
            negative += squares_of(step.false, step.lost)
        return positive, negative

    def auroc_error(self) -> float:
        """Return the bound of the error of `auroc`: half the pairs whose bin is the same."""
        if not self.negatives or not self.positives:
            return math.nan
        _, false, true = self.counts()
        return float(dot(true, false) / (2 * self.negatives * self.positives))

    def precisions(self) -> ExactSum:
        """Return the sum, over positives, of the precision at their score."""
        if isinstance(self.blocks, WeighedScores):
            return self.blocks.precisions()
        total = ExactSum()
        if isinstance(self.blocks, SortedScores):
            for precisions in self.blocks.precisions(sum(self.higher), self.higher[1]):
                total.add(precisions)
            return total
        for step in self._steps():
            hits = np.flatnonzero(step.true)
            true, false = step.above_true[hits], step.above_false[hits]
            for part in two_product(true / (true + false), step.true[hits].astype(np.float64)):
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
            total(precision * positives[where]) / self.positives if len(where) else 0.0
            for precision in (highest, lowest)
        )
        return float(max(high - value, value - low))

    def largest_step(self) -> float:
        """Return the largest share of the positives that have one score."""
        _, _, positives = self.counts()
        return float(positives.max() / self.positives) if self.positives else math.nan

    def _steps(self) -> Iterator[_Step]:
        """Yield the blocks of counts, with the counts above each score."""
        above = [own + more for own, more in zip(self.exact, self.higher, strict=True)]
        for _, false, true in self.blocks:  # type: ignore[union-attr]
            below = np.cumsum(false), np.cumsum(true)
            at_least = above[0] - (below[0] - false), above[1] - (below[1] - true)
            yield _Step(false, true, *at_least)
            above = [number - int(sums[-1]) for number, sums in zip(above, below, strict=True)]


class _Step(NamedTuple):
    """Samples of some distinct scores, ascending.

    Attributes:
        false: The negatives of each.
        true: The positives of each.
        above_false: The negatives that have at least each.
        above_true: The positives that have at least each.
    """

    false: np.ndarray
    true: np.ndarray
    above_false: np.ndarray
    above_true: np.ndarray

    @property
    def lost(self) -> np.ndarray:
        """Twice the positives that score higher than each; equal scores count one."""
        lost: np.ndarray = 2 * self.above_true - self.true
        return lost


def _beside(negatives: Counted, positives: Counted) -> Counts:
    """Return the distinct scores of both, and how often each occurs in either."""
    scores = np.union1d(negatives.scores, positives.scores)
    false, true = np.zeros((2, len(scores)), np.int64)
    false[np.searchsorted(scores, negatives.scores)] = negatives.counts
    true[np.searchsorted(scores, positives.scores)] = positives.counts
    return scores, false, true


def _from_top(counts: np.ndarray, total: Any) -> np.ndarray:
    """Return the number, of all that are `total`, from each to the last."""
    above: np.ndarray = total - (np.cumsum(counts) - counts)
    return above


def average(values: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Return the mean of the values that are not nan; nan if there is none.

    Where all weights are 0, all values have equal weight.

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
