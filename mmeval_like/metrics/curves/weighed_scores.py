"""Scores of weighted samples, from the highest down: every sum of weights is exact."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from mmeval_like.metrics.curves.areas import Corner
from mmeval_like.metrics.curves.sorted_scores import Counts, slices_of
from mmeval_like.writing.exact import ExactSum, FixedPoint, two_product

__all__ = ["WeighedScores"]

_BLOCK = 1 << 15  # samples; temporaries of this many stay in the cache


class _Block(NamedTuple):
    """Consecutive samples in descending order; equal scores are in the same block.

    Attributes:
        scores: The distinct scores, descending, (m,).
        weights: The weights of the block's negatives and of its positives.
        sums: Tables of the running sums of both kinds, which include all higher scores.
        ends: For both kinds, how many of the block's weights come before each score, (m + 1,).
    """

    scores: np.ndarray
    weights: tuple[np.ndarray, np.ndarray]
    sums: tuple[np.ndarray, np.ndarray]
    ends: tuple[np.ndarray, np.ndarray]


class WeighedScores:
    """The scores of negative and positive samples with their weights.

    Attributes:
        totals: The sums of the weights of the negatives and of the positives.

    Args:
        negatives: Ascending arrays of complex numbers: the real part is a score, neither nan nor
            -0.0, and the imaginary part its weight, 0 or in [1e-60, 1e60].
        positives: The same.
        higher: The weights of the other negatives and positives that score higher.

    Example:
        >>> weighed = WeighedScores([np.array([1 + 0.1j, 2 + 0.2j])], [np.array([2 + 0.3j])])
        >>> [array.tolist() for array in weighed.counts()]
        [[1.0, 2.0], [0.1, 0.2], [0.0, 0.3]]
        >>> [array.tolist() for array in weighed.above()]
        [[1.0, 2.0], [0.30000000000000004, 0.2], [0.3, 0.3]]
    """

    def __init__(
        self,
        negatives: Sequence[np.ndarray],
        positives: Sequence[np.ndarray],
        higher: tuple[Fraction | int, Fraction | int] = (0, 0),
    ) -> None:
        runs = [*negatives, *positives]
        # From the highest scores down, so that higher scores come first.
        self._slices = slices_of(runs, _BLOCK)[::-1]
        self._of_negatives = len(negatives)
        longest = max([sum(map(len, slices)) for slices in self._slices], default=0)
        self._points = FixedPoint.of([run.imag for run in runs], higher, longest)
        self.totals, self._higher = (_sum(negatives), _sum(positives)), higher

    def counts(self) -> Counts:
        """Return the scores, ascending, and the weights of the negatives and positives of each."""
        return self._points_of(lambda sums, ends: sums[:, ends[1:]] - sums[:, ends[:-1]])

    def above(self) -> Counts:
        """Return the scores, ascending, and the weights of both kinds with at least each score."""
        return self._points_of(lambda sums, ends: sums[:, ends[1:]])

    def doubled_pairs(self) -> Fraction:
        """Return twice the weight of the pairs of a negative and a positive that scores higher.

        The weight of a pair is the product of its samples' weights; equal scores count half.
        """
        total = ExactSum()
        for block in self._blocks():
            self._add_pairs(total, block, len(block.scores))
        fraction: Fraction = total.fraction()
        return fraction

    def corner(self, limit: Fraction) -> Corner:
        """Return the corner at which the highest-scoring negatives have this total weight."""
        total, points = ExactSum(), self._points
        for block in self._blocks():
            weight_of = partial(self._weight_of, block.sums[0])
            stop = bisect_right(block.ends[0][1:], limit, key=weight_of)
            self._add_pairs(total, block, stop)
            if stop == len(block.scores):
                continue
            both = [*zip(block.sums, block.ends, strict=True)]
            before = [points.fraction(sums[:, ends[stop]]) for sums, ends in both]
            after = [points.fraction(sums[:, ends[stop + 1]]) for sums, ends in both]
            if before[0] > limit:
                break
            here = [high - low for high, low in zip(after, before, strict=True)]
            return Corner(total.fraction(), before[0], before[1], here[0], here[1])
        return Corner(total.fraction(), 0, 0, 0, 0)

    def precisions(self) -> ExactSum:
        """Return the sum, over positives, of weight times the precision at their score."""
        total = ExactSum()
        for block in self._blocks():
            (false, true), (false_ends, true_ends) = block.sums, block.ends
            counts = np.diff(true_ends)
            here = np.flatnonzero(counts)
            hits = true.take(true_ends[here + 1], axis=1)
            every = self._points.rounded(hits + false.take(false_ends[here + 1], axis=1))
            precisions = np.zeros(len(here))
            np.divide(self._points.rounded(hits), every, out=precisions, where=every > 0)
            for part in two_product(np.repeat(precisions, counts[here]), block.weights[1]):
                total.add(part)
        return total

    def _points_of(self, at: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Counts:
        """Return the scores, ascending, and for each the values of both kinds."""
        found = []
        for block in self._blocks():
            both = zip(block.sums, block.ends, strict=True)
            false, true = (self._points.rounded(at(sums, ends)) for sums, ends in both)
            found.append((block.scores, false, true))
        if not found:
            return np.empty(0), np.empty(0), np.empty(0)
        scores, false, true = (np.concatenate(arrays)[::-1] for arrays in zip(*found, strict=True))
        return scores, false, true

    def _weight_of(self, sums: np.ndarray, end: int) -> Fraction:
        return self._points.fraction(sums[:, end])

    def _add_pairs(self, total: ExactSum, block: _Block, stop: int) -> None:
        """Add the doubled pairs of the negatives with the block's first scores."""
        (_, true), (false_ends, true_ends) = block.sums, block.ends
        counts = np.diff(false_ends[: stop + 1])
        here = np.flatnonzero(counts)
        both = true.take(true_ends[here], axis=1) + true.take(true_ends[here + 1], axis=1)
        for part in self._points.floats(both):
            repeated = np.repeat(part, counts[here])
            for piece in two_product(repeated, block.weights[0][: false_ends[stop]]):
                total.add(piece)

    def _blocks(self) -> Iterator[_Block]:
        points = self._points
        before = [points.table(number) for number in self._higher]
        for slices in self._slices:
            joined = np.concatenate(slices)
            if not len(joined):
                continue
            order = np.argsort(joined.real, kind="stable")[::-1]  # the slices are sorted: a merge
            scores, weights = joined.real[order], joined.imag[order]
            positive = order >= sum(map(len, slices[: self._of_negatives]))
            last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
            true = np.append(0, np.cumsum(positive)[last])
            false = np.append(0, last + 1) - true
            # Several times faster than selecting by booleans.
            kinds = weights[np.flatnonzero(~positive)], weights[np.flatnonzero(positive)]
            sums = points.running(kinds[0], before[0]), points.running(kinds[1], before[1])
            yield _Block(scores[last], kinds, sums, (false, true))
            before = [points.carried(table[:, -1:]) for table in sums]


def _sum(runs: Sequence[np.ndarray]) -> Fraction:
    total = ExactSum()
    for run in runs:
        total.add(run.imag)
    fraction: Fraction = total.fraction()
    return fraction
