"""PrecisionRecallCurve: precision and recall, at every threshold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like.metrics.curves.curve_metrics import CurveMetric
from mmeval_like.metrics.curves.curve_points import Curve

__all__ = ["PrecisionRecallCurve"]


class PrecisionRecallCurve(CurveMetric):
    """The curve of precision against recall, at all thresholds.

    At a threshold t, precision is the share of positive samples among all samples with a score >=
    t, and recall is the share of all positive samples that have a score >= t. Every distinct score
    is a threshold. With `bins` the thresholds are b / bins, and the values at these are exact; at
    thresholds above all scores precision is 1.

    Formula:
        precision(t) = TP(t) / (TP(t) + FP(t))
        recall(t) = TP(t) / (TP(t) + FN(t))

    Args:
        **options: As for `CurveMetric`.

    Returns of `compute`: arrays `precision`, `recall` and `thresholds`, from the lowest threshold
    up; after the last threshold follows the point precision 1, recall 0. If there are several
    curves, each entry is a list with an array for each class. With `bins` or `max_points` also
    `error_bound`, the largest step of recall between neighbouring points. Without positive samples
    recall is nan.

    Raises:
        ValueError: The task is unknown, a number is below 1, or `bins` is given without
            `num_classes`.

    Example:
        >>> metric = PrecisionRecallCurve()
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> curve = metric.compute()
        >>> curve["precision"].round(4).tolist(), curve["recall"].tolist()
        ([0.5, 0.6667, 1.0, 1.0], [1.0, 1.0, 0.5, 0.0])
    """

    asks = CurveMetric.asks

    def curve(self, ranking: Curve) -> dict[str, Any]:
        """Return `precision`, `recall` and `thresholds`."""
        scores, false, true = ranking.above()
        positives = ranking.positives
        every = true + false
        precision = np.divide(true, every, out=np.ones(len(every)), where=every > 0)
        recall = true / positives if positives else np.full(len(true), math.nan)
        return {
            "precision": np.append(precision, 1.0),
            "recall": np.append(recall, 0.0),
            "thresholds": scores,
        }
