"""EqualErrorRate, and the best value of one rate at a minimum of another one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics.curves.ranking import Ranking
from mmeval_like.metrics.curves.score_metrics import PointMetric, check_share

__all__ = [
    "EqualErrorRate",
    "PrecisionAtFixedRecall",
    "RecallAtFixedPrecision",
    "SensitivityAtSpecificity",
    "SpecificityAtSensitivity",
]


class EqualErrorRate(PointMetric):
    """The error rate at the threshold where positives and negatives are wrong equally often.

    At this threshold the false positive rate fpr equals the false negative rate, 1 - tpr. The
    points of the ROC curve are joined by straight lines, and the value is taken where the curve
    crosses the line fpr = 1 - tpr. Rates are exact, and the value is rounded once.

    Formula:
        eer = fpr(t) = 1 - tpr(t)

    Args:
        **options: As for `PointMetric`.

    Returns of `compute`: `eer`, in [0, 1], and `threshold`, the lowest threshold whose point lies
    before or on the crossing, which is infinite if no sample is predicted positive there. For
    multiclass and multilabel tasks `eer` or the list `eer_classwise`, and the list
    `threshold_classwise`. Values are nan unless there are samples of both kinds. Lower is better.

    Example:
        >>> metric = EqualErrorRate()
        >>> metric.add([0.1, 0.4, 0.6, 0.8], [0, 1, 0, 1])
        >>> metric.compute()
        {'eer': 0.5, 'threshold': 0.6}
    """

    higher_is_better = False
    key = "eer"

    def value(self, ranking: Ranking) -> tuple[float, float]:
        """Return the rate and the threshold."""
        if not ranking.negatives or not ranking.positives:
            return math.nan, math.nan
        thresholds, false, true = ranking.operating_points()
        negatives, positives = Fraction(ranking.negatives), Fraction(ranking.positives)

        def excess(point: int) -> Fraction:
            """Return the false positive rate minus the false negative rate."""
            return Fraction(false[point].item()) / negatives + (
                Fraction(true[point].item()) / positives - 1
            )

        # Rounded rates locate the point to within one point; exact rates correct it.
        point = int(np.searchsorted(false / float(negatives) + true / float(positives), 1.0))
        point = min(max(point, 1), len(false) - 1)
        while point > 1 and excess(point - 1) >= 0:
            point -= 1
        while excess(point) < 0 and point < len(false) - 1:
            point += 1
        above, below = excess(point), -excess(point - 1)
        rates = [Fraction(false[p].item()) / negatives for p in (point - 1, point)]
        share = below / (below + above) if below + above else Fraction(1)
        eer = rates[0] + share * (rates[1] - rates[0])
        return float(eer), float(thresholds[point if above <= 0 else point - 1])


class _AtFixed(PointMetric):
    """The base class of metrics: the largest value of one rate where another reaches a minimum."""

    minimum_name: ClassVar[str]

    def __init__(self, minimum: float, /, **options: Any) -> None:
        super().__init__(**options)
        self.minimum = check_share(self.minimum_name, minimum)

    def best(
        self, thresholds: np.ndarray, first: np.ndarray, second: np.ndarray
    ) -> tuple[float, float]:
        """Return the largest first rate where the second reaches the minimum, and the threshold.

        Among equal values, the best second rate decides, then the highest threshold.
        """
        if np.isnan(first).any() or np.isnan(second).any():
            return math.nan, math.nan
        reached = np.flatnonzero(second >= self.minimum)
        if not len(reached):
            return 0.0, math.nan
        value = first[reached].max()
        reached = reached[first[reached] == value]
        place = reached[second[reached].argmax()]
        return float(value), float(thresholds[place])


class PrecisionAtFixedRecall(_AtFixed):
    """The highest precision among the thresholds whose recall reaches a minimum.

    Formula:
        best = max_(recall(t) >= r) precision(t)

    Args:
        min_recall: The least recall r that a threshold must reach, in [0, 1].
        **options: As for `PointMetric`.

    Returns of `compute`: `precision_at_recall`, in [0, 1], and `threshold`. For multiclass and
    multilabel tasks the mean over classes or a list, and the list `threshold_classwise`. Values are
    nan without positive samples. Higher is better.

    Example:
        >>> metric = PrecisionAtFixedRecall(0.5)
        >>> metric.add([0.1, 0.4, 0.6, 0.8], [0, 1, 0, 1])
        >>> metric.compute()  # from 0.8 on 1 of 1 is right, and 1 of 2 positives is found
        {'precision_at_recall': 1.0, 'threshold': 0.8}
    """

    higher_is_better = True
    key = "precision_at_recall"
    minimum_name = "min_recall"

    def __init__(self, min_recall: float, **options: Any) -> None:
        super().__init__(min_recall, **options)

    def value(self, ranking: Ranking) -> tuple[float, float]:
        """Return the precision and the threshold."""
        thresholds, precision, recall = _precisions(ranking)
        return self.best(thresholds, precision, recall) if len(recall) else (math.nan, math.nan)


class RecallAtFixedPrecision(_AtFixed):
    """The highest recall among the thresholds whose precision reaches a minimum.

    Formula:
        best = max_(precision(t) >= p) recall(t)

    Args:
        min_precision: The least precision p that a threshold must reach, in [0, 1].
        **options: As for `PointMetric`.

    Returns of `compute`: `recall_at_precision`, in [0, 1], and `threshold`. For multiclass and
    multilabel tasks the mean over classes or a list, and the list `threshold_classwise`. If no
    threshold reaches the precision, the recall is 0.0 and the threshold nan. Values are nan without
    positive samples. Higher is better.

    Example:
        >>> metric = RecallAtFixedPrecision(0.6)
        >>> metric.add([0.1, 0.4, 0.6, 0.8], [0, 1, 0, 1])
        >>> metric.compute()  # 2 of 3 are right
        {'recall_at_precision': 1.0, 'threshold': 0.4}
    """

    higher_is_better = True
    key = "recall_at_precision"
    minimum_name = "min_precision"

    def __init__(self, min_precision: float, **options: Any) -> None:
        super().__init__(min_precision, **options)

    def value(self, ranking: Ranking) -> tuple[float, float]:
        """Return the recall and the threshold."""
        thresholds, precision, recall = _precisions(ranking)
        return self.best(thresholds, recall, precision) if len(recall) else (math.nan, math.nan)


class SensitivityAtSpecificity(_AtFixed):
    """The highest sensitivity (recall) among the thresholds whose specificity reaches a minimum.

    Formula:
        best = max_(1 - fpr(t) >= s) tpr(t)

    Args:
        min_specificity: The least specificity s that a threshold must reach, in [0, 1].
        **options: As for `PointMetric`.

    Returns of `compute`: `sensitivity_at_specificity`, in [0, 1], and `threshold`, which is
    infinite if the specificity is reached only where no sample is predicted positive. For
    multiclass and multilabel tasks the mean over classes or a list, and the list
    `threshold_classwise`. Values are nan unless there are samples of both kinds. Higher is better.

    Example:
        >>> metric = SensitivityAtSpecificity(0.5)
        >>> metric.add([0.1, 0.4, 0.6, 0.8], [0, 1, 0, 1])
        >>> metric.compute()  # from 0.4 on 2 of 2 positives, and 1 of 2 negatives is left out
        {'sensitivity_at_specificity': 1.0, 'threshold': 0.4}
    """

    higher_is_better = True
    key = "sensitivity_at_specificity"
    minimum_name = "min_specificity"

    def __init__(self, min_specificity: float, **options: Any) -> None:
        super().__init__(min_specificity, **options)

    def value(self, ranking: Ranking) -> tuple[float, float]:
        """Return the sensitivity and the threshold."""
        thresholds, specificity, sensitivity = _specificities(ranking)
        return self.best(thresholds, sensitivity, specificity)


class SpecificityAtSensitivity(_AtFixed):
    """The highest specificity among the thresholds whose sensitivity (recall) reaches a minimum.

    Formula:
        best = max_(tpr(t) >= s) (1 - fpr(t))

    Args:
        min_sensitivity: The least sensitivity s that a threshold must reach, in [0, 1].
        **options: As for `PointMetric`.

    Returns of `compute`: `specificity_at_sensitivity`, in [0, 1], and `threshold`, which is
    infinite if the sensitivity is reached even where no sample is predicted positive. For
    multiclass and multilabel tasks the mean over classes or a list, and the list
    `threshold_classwise`. Values are nan unless there are samples of both kinds. Higher is better.

    Example:
        >>> metric = SpecificityAtSensitivity(1.0)
        >>> metric.add([0.1, 0.4, 0.6, 0.8], [0, 1, 0, 1])
        >>> metric.compute()
        {'specificity_at_sensitivity': 0.5, 'threshold': 0.4}
    """

    higher_is_better = True
    key = "specificity_at_sensitivity"
    minimum_name = "min_sensitivity"

    def __init__(self, min_sensitivity: float, **options: Any) -> None:
        super().__init__(min_sensitivity, **options)

    def value(self, ranking: Ranking) -> tuple[float, float]:
        """Return the specificity and the threshold."""
        thresholds, specificity, sensitivity = _specificities(ranking)
        return self.best(thresholds, specificity, sensitivity)


def _precisions(ranking: Ranking) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return thresholds, precision and recall, without the point at threshold infinity."""
    thresholds, false, true = (values[1:] for values in ranking.operating_points())
    every = true + false
    precision = np.divide(true, every, out=np.ones(len(every)), where=every > 0)
    positives = ranking.positives
    recall = true / positives if positives else np.full(len(true), math.nan)
    return thresholds, precision, recall


def _specificities(ranking: Ranking) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return thresholds, specificity and sensitivity."""
    thresholds, false, true = ranking.operating_points()
    negatives, positives = ranking.negatives, ranking.positives
    undefined = np.full(len(true), math.nan)
    specificity = (negatives - false) / negatives if negatives else undefined
    return thresholds, specificity, true / positives if positives else undefined
