"""BestThreshold and MetricAtThresholds: metrics of a decision at all possible thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.curves.curve_metrics import CurveMetric
from mmeval_like.metrics.curves.curve_points import Curve
from mmeval_like.metrics.curves.outcome_formulas import FORMULAS, first_largest
from mmeval_like.metrics.curves.ranking import Ranking
from mmeval_like.metrics.curves.score_metrics import PointMetric
from mmeval_like.metrics.curves.sorted_scores import Counts

__all__ = ["BestThreshold", "MetricAtThresholds"]

_OF_BOTH = ("balanced_accuracy", "informedness")  # undefined unless there are both kinds


class BestThreshold(PointMetric):
    """The threshold at which a chosen metric is best, and the metric's value there.

    All thresholds are tried: every distinct score, and infinity, where no sample is predicted
    positive. Among thresholds with equal values, the highest one is returned. Evaluate the chosen
    threshold on other samples: on those used to choose it, its value is too optimistic.

    Formula:
        best = max_t metric(t)

    Args:
        metric: The metric to maximise: "fbeta", "accuracy", "balanced_accuracy", "informedness",
            "jaccard" or "mcc".
        beta: How many times as important recall is as precision, for "fbeta".
        **options: As for `PointMetric`.

    Returns of `compute`: `best_<metric>` and `threshold`; for multiclass and multilabel tasks
    `best_<metric>` or the list `best_<metric>_classwise`, and the list `threshold_classwise`.
    Values are nan without samples, and where the metric is undefined. Higher is better.

    Raises:
        ValueError: The metric is unknown, or `beta` is not positive and finite.

    Example:
        >>> metric = BestThreshold("accuracy")
        >>> metric.add([0.1, 0.4, 0.6, 0.8], [0, 0, 1, 1])
        >>> metric.compute()
        {'best_accuracy': 1.0, 'threshold': 0.6}
    """

    higher_is_better = True
    choices = ("fbeta", "accuracy", "balanced_accuracy", "informedness", "jaccard", "mcc")

    def __init__(self, metric: str = "fbeta", beta: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        if metric not in self.choices:
            raise ValueError(f"metric must be one of {self.choices}, got {metric!r}")
        if not 0 < beta < math.inf:
            raise ValueError(f"beta must be positive and finite, got {beta}")
        self.metric, self.beta = metric, float(beta)
        self.key = f"best_{metric}"

    def value(self, ranking: Ranking) -> tuple[float, float]:
        """Return the best value and its threshold."""
        points = ranking.operating_points()
        thresholds, values = _at_thresholds(ranking, points, self.metric, self.beta)
        kinds = bool(ranking.positives) + bool(ranking.negatives)
        if kinds < (2 if self.metric in _OF_BOTH else 1):
            return math.nan, math.nan
        _, false, true = points
        outcomes = true, false, ranking.positives, ranking.negatives
        place = first_largest(values, self.metric, outcomes, self.beta)
        return float(values[place]), float(thresholds[place])


class MetricAtThresholds(CurveMetric):
    """Several metrics of a binary decision, such as precision, at every possible threshold.

    Formula:
        values_k = metric(t_k)

    Args:
        metrics: Names out of "accuracy", "balanced_accuracy", "fbeta", "fnr", "fpr",
            "informedness", "jaccard", "markedness", "mcc", "npv", "precision", "recall" and
            "specificity". A share whose denominator is 0 is 0.
        beta: How many times as important recall is as precision, for "fbeta".
        **options: As for `CurveMetric`.

    Returns of `compute`: `thresholds`, the distinct scores from the highest down, and an array of
    the same length for each name. A sample is predicted positive if its score is at least the
    threshold. If there are several curves, each entry is a list of arrays. With `bins` or
    `max_points` also `error_bound`, the largest step of recall between neighbouring points.

    Raises:
        ValueError: A name is unknown, or `beta` is not positive and finite.

    Example:
        >>> metric = MetricAtThresholds(("precision", "recall"))
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> {name: values.tolist() for name, values in metric.compute().items()}
        {'thresholds': [0.8, 0.4, 0.1], 'precision': [1.0, 0.6666666666666666, 0.5], \
'recall': [0.5, 1.0, 1.0]}
    """

    asks = CurveMetric.asks

    def __init__(
        self, metrics: Sequence[str] = ("precision", "recall"), beta: float = 1.0, **options: Any
    ) -> None:
        super().__init__(**options)
        unknown = [name for name in metrics if name not in FORMULAS]
        if isinstance(metrics, str) or unknown or not metrics:
            raise ValueError(f"metrics must be a sequence out of {[*FORMULAS]}, got {metrics!r}")
        if not 0 < beta < math.inf:
            raise ValueError(f"beta must be positive and finite, got {beta}")
        self.metrics, self.beta = tuple(metrics), float(beta)

    def curve(self, ranking: Curve) -> dict[str, Any]:
        """Return the thresholds, and the values of the metrics at each."""
        found: dict[str, Any] = {}
        for name in self.metrics:
            points = ranking.operating_points()
            thresholds, values = _at_thresholds(ranking, points, name, self.beta)
            found |= {"thresholds": thresholds[1:], name: values[1:]}
        return found


def _at_thresholds(
    ranking: Curve, points: Counts, name: str, beta: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return thresholds, from infinity down, and the value of the named metric at each."""
    thresholds, false, true = points
    fp, tp = false.astype(np.float64), true.astype(np.float64)
    return thresholds, FORMULAS[name](tp, fp, ranking.positives - tp, ranking.negatives - fp, beta)
