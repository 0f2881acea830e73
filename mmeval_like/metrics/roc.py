"""ROC: the receiver operating characteristic, at every threshold."""

from __future__ import annotations

from typing import Any

from mmeval_like.metrics._shared.curves import CurveMetric
from mmeval_like.metrics.statistics.curve_points import Curve

__all__ = ["ROC", "DETCurve"]


class ROC(CurveMetric):
    """The curve of true positive rate against false positive rate.

    At a threshold t: tpr = the share of positive samples with score >= t, fpr = the same share
    of negative samples. Every distinct score is a threshold; with `bins` the points at b / bins
    are exact.

    Formula:
        tpr(t) = TP(t) / (TP(t) + FN(t))
        fpr(t) = FP(t) / (FP(t) + TN(t))

    Args:
        **options: As for `CurveMetric`.

    Returns of `compute`: arrays `fpr`, `tpr` and `thresholds`, from the highest threshold down;
    the first is infinity, with fpr = tpr = 0. Lists of an array per class unless there is
    one curve. With `bins` or `max_points` also `error_bound`: the largest step of tpr between
    neighbouring points. Rates of no samples are nan.

    Raises:
        ValueError: An unknown task, numbers below 1, `bins` without `num_classes`.

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
    """The detection error tradeoff: false positive and false negative rate, at every threshold.

    At a threshold t: fpr = the share of negative samples with score >= t, fnr = the share of
    positive samples with score < t. Source: A. Martin et al., "The DET curve in assessment of
    detection task performance" (Eurospeech 1997).

    Formula:
        fpr(t) = FP(t) / (FP(t) + TN(t))
        fnr(t) = FN(t) / (TP(t) + FN(t))

    Args:
        **options: As for `CurveMetric`.

    Returns of `compute`: arrays `fpr`, `fnr` and `thresholds`, from the highest threshold down; the
    first is infinity, with fpr = 0 and fnr = 1. Lists of an array per class unless there is
    one curve. With `bins` or `max_points` also `error_bound`: the largest step of fnr. Rates of no
    samples are nan.

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
