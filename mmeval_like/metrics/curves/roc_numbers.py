"""LogAUC, KolmogorovSmirnov and GiniCoefficient: metrics computed from the ROC curve."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from mmeval_like.metrics.curves.areas import PAIRS
from mmeval_like.metrics.curves.ranking import Ranking
from mmeval_like.metrics.curves.score_metrics import PointMetric
from mmeval_like.writing import CORRELATION, SHARE

__all__ = ["GiniCoefficient", "KolmogorovSmirnov", "LogAUC"]


class LogAUC(PointMetric):
    """The area under the ROC curve over the logarithm of the false positive rate, in a range.

    The true positive rate is integrated, by trapezoids, over log10 of the false positive rate from
    a to b, and divided by log10(b / a). The ends of the range are interpolated linearly in the
    false positive rate. The logarithm stresses the top of a ranking. Source: M. M. Mysinger and B.
    K. Shoichet, "Rapid context-dependent ligand desolvation in molecular docking", J. Chem. Inf.
    Model. 50 (2010).

    Formula:
        logAUC = (int_a^b tpr d(log_10(fpr))) / log_10(b/a)

    Args:
        fpr_range: The lower end a and the upper end b of the false positive rate, 0 < a < b <= 1.
        **options: As for `PointMetric`.

    Returns of `compute`: `log_auc`, in [0, 1], or the list `log_auc_classwise`; nan unless there
    are samples of both kinds. Higher is better.

    Raises:
        ValueError: `fpr_range` does not fulfil 0 < a < b <= 1.

    Example:
        >>> metric = LogAUC((0.1, 1.0))
        >>> metric.add([0.9, 0.8, 0.7, 0.2], [1, 0, 1, 0])
        >>> round(metric.compute()["log_auc"], 6)  # 1/2 up to fpr 1/2, then 1
        0.650515
    """

    processor_dependent = "log"
    key = "log_auc"
    no_interval = None
    ranges = SHARE
    higher_is_better = True

    def __init__(self, fpr_range: tuple[float, float] = (0.001, 0.1), **options: Any) -> None:
        super().__init__(**options)
        low, high = fpr_range
        if not 0 < low < high <= 1:
            raise ValueError(f"fpr_range must be 0 < lower < upper <= 1, got {fpr_range}")
        self.fpr_range = float(low), float(high)

    def value(self, ranking: Ranking) -> tuple[float, None]:
        """Return the area."""
        if not ranking.negatives or not ranking.positives:
            return math.nan, None
        _, fpr, tpr = ranking.rates()
        low, high = self.fpr_range
        inside = (fpr > low) & (fpr < high)
        # A vertical rise of the curve at the lower end of the range lies outside it, and one at the
        # upper end too: `interp` reads the top of a step, and on the reversed arrays the foot.
        first = np.interp(low, fpr, tpr)
        last = np.interp(-high, -fpr[::-1], tpr[::-1])
        x = np.concatenate([[low], fpr[inside], [high]])
        y = np.concatenate([[first], tpr[inside], [last]])
        # With bins every rank computes: logarithms that are the same on every processor.
        log10 = _log10 if ranking.binned else math.log10
        logarithms = [log10(rate) for rate in x.tolist()]
        areas = np.diff(logarithms) * (y[1:] + y[:-1]) / 2
        return math.fsum(areas) / (logarithms[-1] - logarithms[0]), None


def _log10(value: float) -> float:
    return float(Decimal(value).log10())


class KolmogorovSmirnov(PointMetric):
    """The largest difference between true and false positive rate over all thresholds.

    It is the Kolmogorov-Smirnov distance between the scores of positive and of negative samples:
    the largest difference of their distribution functions. Source: F. J. Massey, "The
    Kolmogorov-Smirnov test for goodness of fit", JASA 46 (1951).

    Formula:
        ks = max_t |tpr(t) - fpr(t)|

    Args:
        **options: As for `PointMetric`.

    Returns of `compute`: `ks`, in [0, 1], and `threshold`, where the difference is largest (if
    there are several, the highest of them). For multiclass and multilabel tasks `ks` or the list
    `ks_classwise`, and the list `threshold_classwise`. Values are nan unless there are samples of
    both kinds. Higher is better.

    Example:
        >>> metric = KolmogorovSmirnov()
        >>> metric.add([0.1, 0.4, 0.6, 0.8], [0, 1, 0, 1])
        >>> metric.compute()
        {'ks': 0.5, 'threshold': 0.8}
    """

    key = "ks"
    ranges = SHARE
    higher_is_better = True

    def value(self, ranking: Ranking) -> tuple[float, float]:
        """Return the distance and its threshold."""
        negatives, positives = ranking.negatives, ranking.positives
        if not negatives or not positives:
            return math.nan, math.nan
        thresholds, false, true = ranking.operating_points()
        if isinstance(negatives, int) and negatives * positives >= 2**62:
            false, true = false.astype(object), true.astype(object)
        gaps = np.abs(true * negatives - false * positives)
        place = int(gaps.argmax())
        return float(gaps[place] / (negatives * positives)), float(thresholds[place])


class GiniCoefficient(PointMetric):
    """The Gini coefficient, 2 AUROC - 1: 0 for guessing, 1 for a perfect ranking.

    Formula:
        gini = 2 auroc - 1

    Args:
        **options: As for `PointMetric`.

    Returns of `compute`: `gini`, in [-1, 1], or the list `gini_classwise`; nan unless there are
    samples of both kinds. Higher is better.

    Example:
        >>> metric = GiniCoefficient()
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> metric.compute()
        {'gini': 0.75}
    """

    key = "gini"
    no_interval = None
    no_bounds = None
    ranges = CORRELATION
    higher_is_better = True

    @property
    def asks(self) -> frozenset[Any] | None:
        """The pairs of each class."""
        return self.scores.asks(PAIRS, False)

    def value(self, ranking: Ranking) -> tuple[float, None]:
        """Return the coefficient."""
        return ranking.gini(), None
