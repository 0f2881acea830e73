"""Curves at a chosen number of thresholds: both kinds are counted without being merged.

The thresholds are the scores at evenly spaced ranks of the sorted positives and of the sorted
negatives. Few samples of either kind lie between neighbouring thresholds, even if the kind is rare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mmeval_like.metrics.curves.curve_points import CurvePoints
from mmeval_like.metrics.curves.ranking import Ranking
from mmeval_like.metrics.curves.score_runs import Counted, Group, in_one, is_weighted, scores_of
from mmeval_like.writing.dealing import Ranks
from mmeval_like.writing.exact import ExactSum

__all__ = ["FEWEST", "WantedCurve", "dealt_curves", "thinned"]

FEWEST = 5
"""The least number of points: the first and last of both kinds, and that above all scores."""


class WantedCurve(NamedTuple):
    """A curve that a metric needs.

    Attributes:
        points: The largest number of points.
        pooled: Whether there is one curve of all classes together, not one for each class.
        left_out: The classes that are excluded.
    """

    points: int
    pooled: bool = False
    left_out: tuple[int, ...] = ()

    def columns(self, groups: int) -> list[list[list[int]]]:
        """Return, by curve and kind, the indices of the groups that belong to it."""
        classes = [c for c in range(groups // 2) if c not in self.left_out]
        if self.pooled:
            return [[[2 * c + kind for c in classes] for kind in (0, 1)]]
        return [[[2 * c], [2 * c + 1]] for c in classes]


def thinned(negatives: Sequence[Group], positives: Sequence[Group], points: int) -> CurvePoints:
    """Return the curve of some scores with at most `points` points.

    Args:
        negatives: Ascending runs; a complex number is a score and its weight.
        positives: The same.
        points: The largest number of points, at least `FEWEST`.

    Example:
        >>> curve = thinned([np.arange(9.0)], [np.array([4.0, 9.0])], 5)
        >>> [array.tolist() for array in (curve.scores, curve.false, curve.true)]
        [[0.0, 4.0, 8.0, 9.0], [9, 5, 1, 0], [2, 2, 1, 1]]
    """
    both = [_Kind([in_one(runs)]) for runs in (negatives, positives)]
    places = _places(both[0].size, both[1].size, points)
    found = [kind.at(here) for kind, here in zip(both, places, strict=True)]
    scores = np.unique(np.concatenate(found))
    if any(kind.width > 1 for kind in both):
        ranking = Ranking.of(negatives, positives)
        every, *above = ranking.above()
        at = np.searchsorted(every, scores)
        return CurvePoints(scores, above[0][at], above[1][at], ranking.negatives, ranking.positives)
    false, true = (kind.size - kind.below(scores) for kind in both)
    return CurvePoints(scores, false, true, both[0].size, both[1].size)


def dealt_curves(
    groups: Sequence[Sequence[Group]], wanted: WantedCurve, ranks: Ranks
) -> list[CurvePoints]:
    """Return the result of `thinned` for the scores of all ranks, which stay on their ranks.

    A few rounds of counting find the thresholds of all curves; one more counts above each.

    Args:
        groups: This rank's scores: the negatives and the positives of each class, each in some
            ascending parts. Every rank has the same number of groups, of the same dtype.
        wanted: The wanted curves, the same on every rank.
        ranks: The ranks, all of which call this.
    """
    columns, kinds = wanted.columns(len(groups)), list[_Kind]()

    def own_sizes() -> np.ndarray:
        for column in columns:
            for members in column:
                kinds.append(_Kind([part for g in members for part in groups[g]]))
        return np.array([kind.size for kind in kinds])

    def below(kind: int, values: np.ndarray) -> np.ndarray:
        return kinds[kind].below(values)

    sizes = ranks.total(own_sizes, 2 * len(columns))
    totals: list[int] = sizes.tolist()
    pairs = [*zip(totals[::2], totals[1::2], strict=True)]
    places = [here for pair in pairs for here in _places(*pair, wanted.points)]
    found = ranks.numbers_at(below, sizes, places, kinds[0].dtype)
    scores = [np.unique(np.concatenate(found[c : c + 2])) for c in range(0, len(found), 2)]

    def own_parts() -> np.ndarray:
        return np.concatenate([kind.from_each(scores[k // 2]) for k, kind in enumerate(kinds)])

    lengths = np.array([kind.width * len(scores[k // 2]) for k, kind in enumerate(kinds)])
    vectors = np.split(ranks.total(own_parts, int(lengths.sum())), np.cumsum(lengths)[:-1])
    above = [kind.above(vector) for kind, vector in zip(kinds, vectors, strict=True)]
    return [
        # The lowest score is a threshold, which all samples reach.
        CurvePoints(thresholds, false, true, *[sum(side[:1].tolist()) for side in (false, true)])
        for thresholds, false, true in zip(scores, above[::2], above[1::2], strict=True)
    ]


class _Kind:
    """The scores of one kind, in ascending parts.

    Attributes:
        size: The number of samples.
        width: The number of int64 that a number of samples, or an exact sum of weights, takes.
        dtype: The dtype of the scores.
    """

    def __init__(self, parts: Sequence[Group]) -> None:
        self._parts = [_counts_before(part) for part in parts]
        self._weights: list[Any] = [np.imag(part) for part in parts if is_weighted(part)]  # type: ignore[arg-type]
        self.size = sum([len(s) if b is None else int(b[-1]) for s, b in self._parts])
        self.width = ExactSum.dense_size(()) if any(map(is_weighted, parts)) else 1
        self.dtype = np.result_type(np.float32, *[scores for scores, _ in self._parts])

    def at(self, places: np.ndarray) -> np.ndarray:
        """Return the scores at these indices of all samples, which must be in one part."""
        [(scores, before)] = self._parts
        if before is not None:
            places = np.searchsorted(before, places, side="right") - 1
        found: np.ndarray = scores[places]
        return found

    def below(self, values: np.ndarray) -> np.ndarray:
        """Return the number of samples that score lower than each of the values."""
        found = np.zeros(len(values), np.int64)
        for scores, before in self._parts:
            places = np.searchsorted(scores, values)
            found += places if before is None else before[places]
        return found

    def from_each(self, thresholds: np.ndarray) -> np.ndarray:
        """Return a vector; `above` reads its result from the sum of the vectors of all ranks.

        The vector holds the number of samples from each threshold on, or the sum of the weights
        from each threshold to the next.
        """
        if self.width == 1:
            return self.size - self.below(thresholds)
        total = ExactSum((len(thresholds),))
        for (scores, _), weights in zip(self._parts, self._weights, strict=True):
            places = np.searchsorted(scores, thresholds)
            here = np.repeat(np.arange(len(places)), np.diff(places, append=len(scores)))
            total.add_at(here, weights)
        return total.to_dense()

    def above(self, vector: np.ndarray) -> np.ndarray:
        """Return the number of samples that reach each threshold, or the sum of their weights."""
        if self.width == 1:
            return vector
        shape = (len(vector) // self.width,)
        between = ExactSum.from_dense(vector, shape).to_dense().reshape(self.width, *shape)
        above = np.cumsum(between[:, ::-1], axis=1)[:, ::-1]
        found: np.ndarray = ExactSum.from_dense(above.reshape(-1), shape).value()  # rounded once
        return found


def _counts_before(part: Group) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the scores, and the counts before each and in total; None: counts are indices."""
    before = None
    if isinstance(part, Counted):
        before = np.append(0, np.cumsum(part.counts, dtype=np.int64))
    return scores_of(part), before


def _places(negatives: int, positives: int, points: int) -> list[np.ndarray]:
    """Return the indices of the thresholds among the negatives and among the positives.

    Each kind gets half of the points, and those that the other kind does not need. The first and
    the last index of each kind are included.
    """
    thresholds = points - 1
    most = [max(thresholds // 2, thresholds - other) for other in (positives, negatives)]
    sizes = (negatives, positives)
    return [_spaced(size, min(size, number)) for size, number in zip(sizes, most, strict=True)]


def _spaced(size: int, number: int) -> np.ndarray:
    """Return `number` of `size` indices, evenly spaced from the first to the last."""
    steps = max(1, number - 1)
    step, rest = divmod(size - 1, steps)
    k = np.arange(number)
    places: np.ndarray = step * k + rest * k // steps  # (size - 1) * k may overflow int64
    return places
