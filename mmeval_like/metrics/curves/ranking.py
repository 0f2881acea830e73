"""Sorted distinct scores with counts: the areas and the curves computed from them."""

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

__all__ = ["FEW", "Ranking", "average"]

FEW = 30
"""With fewer of either kind, intervals (also of differences) cover less than their level."""


@dataclass(frozen=True)
class Ranking(Areas, Curve):
    """The number of negative and positive samples with each score, or the sum of their weights.

    Attributes:
        blocks: The distinct scores, ascending, with the negatives and the positives of each, in
            blocks whose temporaries stay in the cache. Or scores with weights.
        exact: The numbers of negatives and positives, or the sums of their weights unrounded.
        binned: Whether every score is the lower edge of a bin. Different scores in a bin then count
            as equal, `*_error` bounds the resulting error, and there is one block.
        higher: The negatives and positives outside this ranking, all of which score higher. The
            methods of `Areas` then return the contribution of this ranking to the totals of all
            samples.
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
        """Return the ranking of ascending scores; a complex number is a score and its weight.

        Args:
            negatives: The scores of the negatives.
            positives: The scores of the positives.
            higher: As for `Ranking`.

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
        """Return the ranking with the given numbers of samples, or sums of weights, by score."""
        if negatives.dtype.kind == "f":
            both = np.empty((2, len(scores)), np.complex128)
            both.real, both.imag = scores, (negatives, positives)
            weighed = WeighedScores([both[0]], [both[1]])
            return cls(weighed, weighed.totals, binned)
        if negatives.sum(dtype=float) + positives.sum(dtype=float) >= 2**62:
            raise OverflowError("a curve must have fewer than 2^62 samples: pairs exceed int64")
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
        """Return the bound of the error of `auroc`: half the share of pairs in the same bin."""
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

        Within a bin, the precision at a positive is highest if all positives come before all
        negatives, and lowest if the negatives come first. In the second case, precision is a
        concave function of the number of positives so far, so its mean is at least the mean of its
        first and last values.
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
        """Return the largest share of the positives that have the same score."""
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
    """The samples with some distinct scores, ascending.

    Attributes:
        false: The number of negatives with each score.
        true: The number of positives with each score.
        above_false: The number of negatives with at least each score.
        above_true: The number of positives with at least each score.
    """

    false: np.ndarray
    true: np.ndarray
    above_false: np.ndarray
    above_true: np.ndarray

    @property
    def lost(self) -> np.ndarray:
        """Twice the number of positives that score higher than each; equal scores count one."""
        lost: np.ndarray = 2 * self.above_true - self.true
        return lost


def _beside(negatives: Counted, positives: Counted) -> Counts:
    """Return the distinct scores of both kinds, and how often each occurs in each kind."""
    scores = np.union1d(negatives.scores, positives.scores)
    false, true = np.zeros((2, len(scores)), np.int64)
    false[np.searchsorted(scores, negatives.scores)] = negatives.counts
    true[np.searchsorted(scores, positives.scores)] = positives.counts
    return scores, false, true


def _from_top(counts: np.ndarray, total: Any) -> np.ndarray:
    """Return the sum of the counts from each entry to the last; `total` is the sum of all."""
    above: np.ndarray = total - (np.cumsum(counts) - counts)
    return above


def average(values: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Return the mean of the values that are not nan; nan if there are none.

    If all weights are 0, all values have equal weight.

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
