"""Scores with their labels as integers in the same order: one merge sorts those of all ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

__all__ = ["Counts", "SortedScores"]

Counts = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Distinct scores, ascending, and how many negatives and positives have each."""

_BLOCK = 1 << 15  # scores; what is made of so many stays in the cache


class SortedScores:
    """The scores of negative and positive samples together, in ascending order.

    The bits of a float without its sign rise with its magnitude. One place higher they leave
    room for the label, so that sorting integers sorts scores and labels together; negative
    scores, whose bits are turned over, are sorted apart.

    Args:
        negatives: Ascending arrays of float32 or float64, without nan and -0.0. Merging them
            takes a fraction of sorting their elements.
        positives: The same.

    Example:
        >>> [counts] = SortedScores([np.array([1.0, 2.0])], [np.array([2.0, 3.0])])
        >>> [array.tolist() for array in counts]
        [[1.0, 2.0, 3.0], [1, 1, 0], [0, 1, 1]]
    """

    def __init__(self, negatives: Sequence[np.ndarray], positives: Sequence[np.ndarray]) -> None:
        runs = [(run, label) for label, group in enumerate((negatives, positives)) for run in group]
        self._positives = sum(map(len, positives))
        self._dtype = np.result_type(np.float32, *[run.dtype for run, _ in runs])
        unsigned = np.dtype(f"u{self._dtype.itemsize}").type
        below = [int(run.searchsorted(0)) for run, _ in runs]
        self._samples = sum([len(run) for run, _ in runs])
        keys = np.empty(self._samples, unsigned)
        sides = keys[: sum(below)], keys[sum(below) :]
        filled = [0, 0]
        for (run, label), border in zip(runs, below, strict=True):
            bits = run.astype(self._dtype, copy=False).view(unsigned)
            for side, part in enumerate((~bits[:border], bits[border:])):
                out = sides[side][filled[side] : filled[side] + len(part)]
                np.left_shift(part, unsigned(1), out=out)
                np.bitwise_or(out, unsigned(label), out=out)
                filled[side] += len(part)
        for keys in sides:
            keys.sort(kind="stable")
        self._sides = sides

    def __iter__(self) -> Iterator[Counts]:
        """Yield the counts, block by block; equal scores are in one block."""
        for keys, below in self._blocks():
            bits, false, true = _count(keys)
            yield (~bits if below else bits).view(self._dtype), false, true

    def doubled_pairs(self) -> int:
        """Return twice the number of pairs whose positive scores higher; equal scores count one.

        Before a positive in the order are as many negatives as its place, less the positives
        before it. Those with its own score are among them.

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

        That is the share of positives among the samples whose score is at least its own.

        Args:
            samples: How many samples beside these score higher than all of them.
            positives: How many of those are positive.

        Example:
            >>> scores = SortedScores([np.array([1.0, 2.0])], [np.array([2.0, 3.0])])
            >>> [precision.tolist() for precision in scores.precisions()]
            [[0.6666666666666666, 1.0]]
        """
        samples, positives = samples + self._samples, positives + self._positives
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
        for below, keys in zip((True, False), self._sides, strict=True):
            start = 0
            while start < len(keys):
                stop = min(start + _BLOCK, len(keys))
                # Numpy 1 makes a float of a uint64 and a Python integer.
                highest = keys[stop - 1] | keys.dtype.type(1)
                stop += int(keys[stop:].searchsorted(highest, side="right"))
                yield keys[start:stop], below
                start = stop


def _steps(keys: np.ndarray) -> np.ndarray:
    """Return, before, between and after the keys: 0 for equal ones, 1 for equal scores, or more."""
    steps = np.full(len(keys) + 1, 2, keys.dtype)
    np.bitwise_xor(keys[1:], keys[:-1], out=steps[1:-1])
    return steps


def _equal_pairs(keys: np.ndarray) -> int:
    """Return the number of pairs of a negative and a positive with the same score."""
    steps = _steps(keys)
    first = np.flatnonzero(steps == 1)  # positives of a score that negatives have as well
    several = first[(steps[first - 1] == 0) | (steps[first + 1] == 0)]  # of either: these are few
    false = several - keys.searchsorted(keys[several - 1])
    true = keys.searchsorted(keys[several], side="right") - several
    return len(first) - len(several) + int(np.dot(false, true))


def _count(keys: np.ndarray) -> Counts:
    one = keys.dtype.type(1)
    bits = keys >> one
    last = np.ones(len(keys), np.bool_)  # of equal scores
    np.not_equal(bits[1:], bits[:-1], out=last[:-1])
    ends = np.flatnonzero(last)
    true = np.diff(np.cumsum(keys & one, dtype=keys.dtype)[ends].astype(np.int64), prepend=0)
    false = np.diff(ends, prepend=-1) - true
    return bits[ends], false, true
