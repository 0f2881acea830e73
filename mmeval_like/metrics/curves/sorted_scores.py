"""Scores and labels encoded as integers of the same order, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from mmeval_like.metrics.curves.count_products import dot

__all__ = ["Counts", "SortedScores", "slices_of"]

Counts = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Distinct scores, ascending, and the numbers of negatives and of positives with each."""

_BLOCK = 1 << 15  # scores; temporaries of this many stay in the cache
_SLICE = 1 << 8  # scores of one array per block, on average; larger slices save no time


class SortedScores:
    """The scores of negative and positive samples together, in ascending order.

    The bits of a float without its sign rise with its magnitude. Shifted left by one bit, they
    leave room for the label, so that sorting integers sorts scores and labels together; negative
    scores, whose bits are inverted, are sorted separately. The arrays are cut at the same scores
    into blocks, and the slices of a block are merged, so that little additional memory is needed.

    Args:
        negatives: Ascending arrays of float32 or float64, without nan and -0.0.
        positives: The same.

    Attributes:
        dtype: The dtype of the scores; float64 if there are no arrays.

    Example:
        >>> [counts] = SortedScores([np.array([1.0, 2.0])], [np.array([2.0, 3.0])])
        >>> [array.tolist() for array in counts]
        [[1.0, 2.0, 3.0], [1, 1, 0], [0, 1, 1]]
    """

    def __init__(self, negatives: Sequence[np.ndarray], positives: Sequence[np.ndarray]) -> None:
        self._negatives, self._positives = sum(map(len, negatives)), sum(map(len, positives))
        self._runs = [*negatives, *positives]
        self._of_negatives = len(negatives)
        self.dtype = np.result_type(*[run.dtype for run in self._runs] or [np.dtype(np.float64)])

    def __iter__(self) -> Iterator[Counts]:
        """Yield the counts, block by block; equal scores are in one block."""
        for keys, below in self._blocks():
            bits, false, true = _count(keys)
            yield (~bits if below else bits).view(self.dtype), false, true

    def doubled_pairs(self) -> int:
        """Return twice the number of pairs whose positive scores higher; equal scores count one.

        The number of negatives before a positive is its index minus the number of positives before
        it. Negatives of equal score come before positives.

        Example:
            >>> SortedScores([np.array([1.0, 2.0])], [np.array([2.0, 3.0])]).doubled_pairs()
            7
        """
        places, positives, equal, start = 0, 0, 0, 0
        for keys, _ in self._blocks():
            at = np.flatnonzero(keys & keys.dtype.type(1))
            places += int(at.sum()) + start * len(at)
            positives += len(at)
            equal += _equal_pairs(keys)
            start += len(keys)
        return 2 * places - positives * (positives - 1) - equal

    def precisions(self, samples: int = 0, positives: int = 0) -> Iterator[np.ndarray]:
        """Yield, block by block, the precision at the score of each positive.

        That is the share of positives among the samples that score at least as high.

        Args:
            samples: The number of other samples, which score higher than all of these.
            positives: The number of positives among those other samples.

        Example:
            >>> scores = SortedScores([np.array([1.0, 2.0])], [np.array([2.0, 3.0])])
            >>> [precision.tolist() for precision in scores.precisions()]
            [[0.6666666666666666, 1.0]]
        """
        samples += self._negatives + self._positives
        positives += self._positives
        for keys, _ in self._blocks():
            at = np.flatnonzero(keys & keys.dtype.type(1))
            first, lower = at.copy(), np.arange(len(at))  # of its score; positives below that
            equal = np.flatnonzero(_steps(keys)[at] <= 1)  # the score is that of the sample before
            first[equal] = keys.searchsorted(keys[at[equal]] ^ keys.dtype.type(1))
            lower[equal] = at.searchsorted(first[equal])
            yield (positives - lower) / (samples - first)
            samples, positives = samples - len(keys), positives - len(at)

    def _blocks(self) -> Iterator[tuple[np.ndarray, bool]]:
        """Yield the keys, ascending, in blocks, and whether these are of negative scores."""
        unsigned = np.dtype(f"u{self.dtype.itemsize}").type
        sign = unsigned(1 << (8 * self.dtype.itemsize - 1))
        for slices in slices_of(self._runs, _BLOCK):
            bits = np.concatenate(slices, dtype=self.dtype).view(unsigned)
            if not len(bits):
                continue
            below = bool(bits[0] & sign)
            keys = np.left_shift(~bits if below else bits, unsigned(1))
            keys[sum(map(len, slices[: self._of_negatives])) :] |= unsigned(1)
            keys.sort(kind="stable")  # the slices are sorted: a merge
            yield keys, below


def slices_of(runs: Sequence[np.ndarray], block: int) -> list[list[np.ndarray]]:
    """Return for each block its slice of every array; equal scores are in the same block.

    Negative scores are in separate blocks.

    Args:
        runs: Ascending arrays. A complex number is a score and a weight, which is not negative.
        block: The approximate number of scores in a block.
    """
    if not runs:
        return []
    size = max(block, _SLICE * len(runs))
    step = size // len(runs) or 1
    # Between two borders are `size // step` of these, and so less than twice `size` scores.
    some = np.sort(np.concatenate([run[step - 1 :: step].real for run in runs]))
    some = some[size // step - 1 :: size // step]
    borders = np.union1d(some, np.zeros(1, some.dtype))
    # The border has weight 0, and no weight sorts before that.
    found = [run.searchsorted(borders.astype(np.result_type(run, borders))) for run in runs]
    cuts = np.array([[0, *places, len(run)] for places, run in zip(found, runs, strict=True)])
    return [
        [run[start:stop] for run, start, stop in zip(runs, starts, stops, strict=True)]
        for starts, stops in pairwise(cuts.T.tolist())
    ]


def _steps(keys: np.ndarray) -> np.ndarray:
    """Return the steps before, between and after keys: 0 if equal, 1 for equal scores, or more."""
    steps = np.full(len(keys) + 1, 2, keys.dtype)
    np.bitwise_xor(keys[1:], keys[:-1], out=steps[1:-1])
    return steps


def _equal_pairs(keys: np.ndarray) -> int:
    """Return the number of pairs of a negative and a positive with the same score."""
    steps = _steps(keys)
    first = np.flatnonzero(steps == 1)  # positives whose score a negative has too
    several = first[(steps[first - 1] == 0) | (steps[first + 1] == 0)]  # of either: these are few
    false = several - keys.searchsorted(keys[several - 1])
    true = keys.searchsorted(keys[several], side="right") - several
    return len(first) - len(several) + int(dot(false, true))


def _count(keys: np.ndarray) -> Counts:
    one = keys.dtype.type(1)
    bits = keys >> one
    last = np.ones(len(keys), np.bool_)  # of equal scores
    np.not_equal(bits[1:], bits[:-1], out=last[:-1])
    ends = np.flatnonzero(last)
    true = np.diff(np.cumsum(keys & one, dtype=keys.dtype)[ends].astype(np.int64), prepend=0)
    false = np.diff(ends, prepend=-1) - true
    return bits[ends], false, true
