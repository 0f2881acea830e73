"""ROC: the receiver operating characteristic, at every threshold."""

from __future__ import annotations

from typing import Any

from mmeval_like.metrics.curves.curve_metrics import CurveMetric
from mmeval_like.metrics.curves.curve_points import Curve

__all__ = ["ROC", "DETCurve"]


class ROC(CurveMetric):
    """The curve of true positive rate against false positive rate.

    At a threshold t, the true positive rate tpr is the share of positive samples with a score >= t,
    and the false positive rate fpr is the same share of negative samples. Every distinct score is a
    threshold; with `bins` the thresholds are b / bins, and the rates at these are exact.

    Formula:
        tpr(t) = TP(t) / (TP(t) + FN(t))
        fpr(t) = FP(t) / (FP(t) + TN(t))

    Args:
        **options: As for `CurveMetric`.

    Returns of `compute`: arrays `fpr`, `tpr` and `thresholds`, from the highest threshold down; the
    first is infinity, with fpr = tpr = 0. If there are several curves, each entry is a list with an
    array for each class. With `bins` or `max_points` also `error_bound`, the largest step of tpr
    between neighbouring points. If there are no negative samples fpr is nan, and if there are no
    positive samples tpr is nan.

    Raises:
        ValueError: The task is unknown, a number is below 1, or `bins` is given without
            `num_classes`.

    Example:
        >>> metric = ROC()
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> curve = metric.compute()
        >>> curve["fpr"].tolist(), curve["tpr"].tolist(), curve["thresholds"].tolist()
        ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], [inf, 0.8, 0.4, 0.1])
    """

    asks = CurveMetric.asks

    def curve(self, ranking: Curve) -> dict[str, Any]:
        """Return `fpr`, `tpr` and `thresholds`."""
        thresholds, fpr, tpr = ranking.rates()
        return {"fpr": fpr, "tpr": tpr, "thresholds": thresholds}


class DETCurve(CurveMetric):
    """The detection error tradeoff: false positive and false negative rates at all thresholds.

    At a threshold t, the false positive rate fpr is the share of negative samples with a score >=
    t, and the false negative rate fnr is the share of positive samples with a score < t. Source: A.
    Martin et al., "The DET curve in assessment of detection task performance" (Eurospeech 1997).

    Formula:
        fpr(t) = FP(t) / (FP(t) + TN(t))
        fnr(t) = FN(t) / (TP(t) + FN(t))

    Args:
        **options: As for `CurveMetric`.

    Returns of `compute`: arrays `fpr`, `fnr` and `thresholds`, from the highest threshold down; the
    first is infinity, with fpr = 0 and fnr = 1. If there are several curves, each entry is a list
    with an array for each class. With `bins` or `max_points` also `error_bound`, the largest step
    of fnr between neighbouring points. If there are no negative samples fpr is nan, and if there
    are no positive samples fnr is nan.

    Example:
        >>> metric = DETCurve()
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> curve = metric.compute()
        >>> curve["fpr"].tolist(), curve["fnr"].tolist(), curve["thresholds"].tolist()
        ([0.0, 0.0, 0.5, 1.0], [1.0, 0.5, 0.0, 0.0], [inf, 0.8, 0.4, 0.1])
    """

    asks = CurveMetric.asks

    def curve(self, ranking: Curve) -> dict[str, Any]:
        """Return `fpr`, `fnr` and `thresholds`."""
        thresholds, _, true = ranking.operating_points()
        _, fpr, missed = ranking.rates()
        if ranking.positives:
            missed = (ranking.positives - true) / ranking.positives
        return {"fpr": fpr, "fnr": missed, "thresholds": thresholds}
