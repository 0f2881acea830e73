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
        self._dtype = np.result_type(np.float32, *[run.dtype for run, _ in runs])
        unsigned = np.dtype(f"u{self._dtype.itemsize}").type
        below = [int(run.searchsorted(0)) for run, _ in runs]
        keys = np.empty(sum([len(run) for run, _ in runs]), unsigned)
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
        for below, keys in zip((True, False), self._sides, strict=True):
            start = 0
            while start < len(keys):
                stop = min(start + _BLOCK, len(keys))
                # Numpy 1 makes a float of a uint64 and a Python integer.
                highest = keys[stop - 1] | keys.dtype.type(1)
                stop += int(keys[stop:].searchsorted(highest, side="right"))
                bits, false, true = _count(keys[start:stop])
                yield (~bits if below else bits).view(self._dtype), false, true
                start = stop


def _count(keys: np.ndarray) -> Counts:
    one = keys.dtype.type(1)
    bits = keys >> one
    last = np.ones(len(keys), np.bool_)  # of equal scores
    np.not_equal(bits[1:], bits[:-1], out=last[:-1])
    ends = np.flatnonzero(last)
    true = np.diff(np.cumsum(keys & one, dtype=np.int64)[ends], prepend=0)
    false = np.diff(ends, prepend=-1) - true
    return bits[ends], false, true
