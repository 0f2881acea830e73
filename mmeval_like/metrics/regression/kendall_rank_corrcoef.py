"""KendallRankCorrCoef: how many pairs of samples predictions and labels order alike."""

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


class KendallRankCorrCoef(PairMetric):
    """Kendall's rank correlation tau: whether predictions and labels order samples alike.

    A pair of samples is concordant if predictions and labels order it alike, discordant if they
    order it differently, and tied if the predictions or the labels are equal. Of the pairs of n
    samples C are concordant and D discordant, T_p are tied in predictions alone, and T_y in labels
    alone. m is the smaller one of the numbers of different predictions and of different labels.

    Pairs are counted as integers, by at most log2(n) sorts of n numbers; the result is rounded
    once. All values are kept, 16 bytes a sample, and gathered on one rank, which needs about 110
    bytes a sample while it counts: 1.1 GB for 10^7 samples. Sources: M. G. Kendall, "The treatment
    of ties in ranking problems", Biometrika 33 (1945); A. Stuart, Biometrika 40 (1953), for "c".

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
        ValueError: `variant` or `nan` is none of the allowed values.

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
        x, y = (np.unique(column, return_inverse=True)[1].reshape(-1) for column in kept.T)
        count = len(kept)
        pairs = count * (count - 1) // 2
        if not pairs:
            return {"kendall": math.nan}
        tied_x, tied_y = _tied(x), _tied(y)
        tied_both = _tied(x * (int(y.max()) + 1) + y)
        # Of equal x, y ascends: such pairs are no inversions.
        inversions = _inversions(y[np.lexsort((y, x))])
        difference = pairs - tied_x - tied_y + tied_both - 2 * inversions
        if self.variant == "b":
            untied = (pairs - tied_x) * (pairs - tied_y)
            return {"kendall": correlation(difference, untied) if untied else math.nan}
        whole = Fraction(pairs)
        if self.variant == "c":
            least = min(int(x.max()), int(y.max())) + 1
            whole = Fraction(count * count * (least - 1), 2 * least)
        return {"kendall": float(difference / whole) if whole else math.nan}


def _tied(codes: np.ndarray) -> int:
    """Return the number of pairs of equal codes."""
    sizes = np.unique(codes, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def _inversions(ranks: np.ndarray) -> int:
    """Return how many pairs of ranks descend.

    A pair descends at the highest bit in which its ranks differ: bit by bit, within runs of equal
    higher bits, ones before zeros are counted.

    Example:
        >>> _inversions(np.array([2, 0, 1, 1]))
        3
    """
    total = 0
    for bit in reversed(range(int(ranks.max()).bit_length())):
        ranks = ranks[np.argsort(ranks >> (bit + 1), kind="stable")]
        prefix, ones = ranks >> (bit + 1), (ranks >> bit) & 1
        before = np.cumsum(ones) - ones
        starts = np.flatnonzero(np.diff(prefix, prepend=-1))
        base = np.repeat(before[starts], np.diff(starts, append=len(ranks)))
        total += int((before - base)[ones == 0].sum())
    return total
