"""KendallRankCorrCoef: how many pairs of samples predictions and labels order the same way."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.pair_metrics import PairMetric
from mmeval_like.metrics.regression.paired_numbers import PairedNumbers
from mmeval_like.writing import CORRELATION, MetricOptions, Results, Unpack
from mmeval_like.writing.exact import correlation

__all__ = ["KendallRankCorrCoef"]

_BITS = 31  # two codes fit into an int64
_LOW = (1 << _BITS) - 1


class KendallRankCorrCoef(PairMetric):
    """Kendall's rank correlation tau: whether predictions and labels agree on the order of samples.

    A pair of samples is concordant if predictions and labels agree on its order, discordant if they
    order it differently, and tied if the predictions or the labels are equal. Of the pairs of n
    samples C are concordant and D discordant, T_p are tied only in predictions, and T_y only in
    labels. m is the number of different predictions or of different labels, whichever is smaller.

    Pairs are counted as integers, by four sorts of n numbers and log2(n) passes over them; the
    result is rounded once. All values are kept, 16 bytes per sample, and gathered on one rank,
    which needs about 90 bytes per sample while it counts: 900 MB for 10^7 samples. Sources: M. G.
    Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945); A. Stuart,
    Biometrika 40 (1953), for "c".

    `add` takes `predictions` and `labels`, (N,), of any real dtype; infinities are ordered like
    numbers.

    Formula:
        tau_a = (C - D) / (n (n - 1) / 2)
        tau_b = (C - D) / sqrt((C + D + T_p) (C + D + T_y))
        tau_c = 2 m (C - D) / (n^2 (m - 1))

    Args:
        variant: Which of the three coefficients to return, "a", "b" or "c". "b" corrects for ties,
            "c" suits predictions and labels with different numbers of values, and "a" divides by
            the number of all pairs.
        nan: What happens with a nan. "raise": `add` raises a ValueError. "omit": a sample with a
            nan does not count.
        **options: As for `BaseMetric`.

    Returns of `compute`: `kendall`, in [-1, 1]; nan if the divisor is 0, as it is with fewer than
    two samples. Higher is better.

    Raises:
        ValueError: `variant` or `nan` is not one of the allowed values.

    Example:
        >>> metric = KendallRankCorrCoef()
        >>> metric.add(predictions=[1.0, 2.0, 3.0, 4.0], labels=[1.0, 2.0, 4.0, 3.0])
        >>> metric.compute()  # (5 - 1) / 6
        {'kendall': 0.6666666666666666}
    """

    ranges = CORRELATION
    higher_is_better = True
    _takes_inputs = PairedNumbers.rows

    def __init__(
        self, variant: str = "b", nan: str = "raise", **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        self.variant = check_option("variant", variant, ("a", "b", "c"))
        self.statistic = PairedNumbers(nan)

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `kendall`."""
        kept = results.values[~np.isnan(results.values).any(axis=1)]
        count = len(kept)
        if count > 1 << _BITS:
            raise OverflowError(f"Kendall's tau takes at most 2^{_BITS} samples, got {count}")
        pairs = count * (count - 1) // 2
        if not pairs:
            return {"kendall": math.nan}
        (x, tied_x), (y, tied_y) = map(_codes, kept.T)
        # Sorted by x, then by y, so that pairs with equal x are not inversions.
        both = x << _BITS | y
        both.sort()
        tied_both = _tied(both[1:] != both[:-1])
        inversions = _inversions(_places(both & _LOW))
        difference = pairs - tied_x - tied_y + tied_both - 2 * inversions
        if self.variant == "b":
            untied = (pairs - tied_x) * (pairs - tied_y)
            return {"kendall": correlation(difference, untied) if untied else math.nan}
        whole = Fraction(pairs)
        if self.variant == "c":
            least = min(int(x.max()), int(y.max())) + 1
            whole = Fraction(count * count * (least - 1), 2 * least)
        return {"kendall": float(difference / whole) if whole else math.nan}


def _codes(numbers: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the rank of each number among the distinct numbers, and the number of equal pairs.

    Example:
        >>> _codes(np.array([2.5, 7.0, 0.0, 2.5]))
        (array([1, 2, 0, 1]), 1)
    """
    order = np.argsort(numbers)
    ascending = numbers[order]
    steps = ascending[1:] != ascending[:-1]
    codes = np.zeros(len(numbers), np.int64)
    codes[order[1:]] = np.cumsum(steps)
    return codes, _tied(steps)


def _tied(steps: np.ndarray) -> int:
    """Return the number of equal pairs; `steps` marks numbers that differ from the previous one."""
    starts = np.flatnonzero(steps) + 1
    sizes = np.diff(starts, prepend=0, append=len(steps) + 1)
    return int((sizes * (sizes - 1) // 2).sum())


def _places(codes: np.ndarray) -> np.ndarray:
    """Return the indices that sort the codes (n,); the sort is stable."""
    numbered = codes << _BITS
    numbered |= np.arange(len(codes))
    numbered.sort()
    return numbered & _LOW


def _inversions(permutation: np.ndarray) -> int:
    """Return the number of descending pairs in a permutation of 0, ..., n - 1.

    A pair descends at the highest bit in which its numbers differ. Bit by bit, within groups of
    equal higher bits, the numbers without the bit move before those with it. The number of places
    that a number moves is the number of descending pairs that it ends.

    Example:
        >>> _inversions(np.array([3, 0, 2, 1]))
        4
    """
    count = len(permutation)
    bits = (count - 1).bit_length()
    numbers: np.ndarray = np.arange(1 << bits, dtype=np.int32 if bits < 31 else np.int64)
    numbers[:count] = permutation  # padded in order, so that all groups of a bit have one size
    total = 0
    for bit in reversed(range(bits)):
        size = 1 << bit
        ones = (numbers & size) != 0
        first, second = np.flatnonzero(~ones), np.flatnonzero(ones)
        groups = len(first) // size
        after = size * size * groups * (groups - 1) + groups * size * (size - 1) // 2
        total += int(first.sum()) - after
        halves = [numbers[places].reshape(groups, size) for places in (first, second)]
        numbers = np.concatenate(halves, axis=1).reshape(-1)
    return total
