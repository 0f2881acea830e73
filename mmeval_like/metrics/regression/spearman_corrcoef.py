"""SpearmanCorrCoef: how close predictions and labels are to the same order."""

from __future__ import annotations

import math
from typing import Any

from mmeval_like.metrics._common.pair_metrics import PairMetric
from mmeval_like.metrics.regression.paired_numbers import PairedNumbers
from mmeval_like.metrics.regression.paired_ranks import RANKS
from mmeval_like.writing import CORRELATION, MetricOptions, Results, Unpack
from mmeval_like.writing.exact import correlation

__all__ = ["SpearmanCorrCoef"]


class SpearmanCorrCoef(PairMetric):
    """Spearman's rank correlation: whether predictions rise where labels rise.

    The value is Pearson's correlation of the ranks R_p of the predictions and R_y of the labels.
    Equal values share the mean of their ranks. The value is computed from whole numbers and rounded
    once. All values are kept, 16 bytes for each sample. If there are more than 4 MiB of them, they
    are dealt over the processes, so that no process holds all values.

    `add` takes `predictions` and `labels`, (N,), of any real dtype; infinities are ordered like
    numbers.

    Formula:
        rho = cov(R_p, R_y) / (s_(R_p) s_(R_y))

    Args:
        nan: What happens with a nan. "raise": `add` raises a ValueError. "omit": a sample with a
            nan does not count.
        **options: As for `BaseMetric`.

    Returns of `compute`: `spearman`, in [-1, 1]; nan where predictions or labels are all equal,
    also with fewer than two samples. Higher is better.

    Example:
        >>> metric = SpearmanCorrCoef()
        >>> metric.add(predictions=[0.1, 0.2, 7.0, 0.3], labels=[1, 2, 4, 3])
        >>> metric.compute()
        {'spearman': 1.0}
    """

    ranges = CORRELATION
    higher_is_better = True
    _takes_inputs = PairedNumbers.rows

    def __init__(self, nan: str = "raise", **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.statistic = PairedNumbers(nan)

    @property
    def asks(self) -> frozenset[Any]:
        """The ranks of predictions and labels."""
        return frozenset({RANKS})

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `spearman`."""
        moments = PairedNumbers.rank_moments(results)
        variances = moments.xx * moments.yy
        return {"spearman": correlation(moments.xy, variances) if variances else math.nan}
