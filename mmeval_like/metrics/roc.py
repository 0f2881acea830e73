"""ROC: the receiver operating characteristic, at every threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmeval_like._accumulate.results import Results
from mmeval_like.metrics._shared.score_metrics import ScoreMetric
from mmeval_like.metrics.statistics.ranking import Ranking

__all__ = ["ROC", "DETCurve", "curves"]


class ROC(ScoreMetric):
    """The curve of true positive rate against false positive rate.

    At a threshold t: tpr = the share of positive samples with score >= t, fpr = the same share
    of negative samples. Every distinct score is a threshold; with `bins` the points at b / bins
    are exact.

    Args:
        **options: As for `ScoreMetric`.

    Returns of `compute`: arrays `fpr`, `tpr` and `thresholds`, from the highest threshold down;
    the first is infinity, with fpr = tpr = 0. Lists of an array per class unless the task is
    binary. With `bins` also `error_bound`: the largest step of tpr between neighbouring points.
    Rates of no samples are nan.

    Raises:
        ValueError: An unknown task, numbers below 1, `bins` without `num_classes`.

    Example:
        >>> metric = ROC()
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> curve = metric.compute()
        >>> curve["fpr"].tolist(), curve["tpr"].tolist(), curve["thresholds"].tolist()
        ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], [inf, 0.8, 0.4, 0.1])
    """

    no_interval = "a curve is no single number"

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the curve."""
        return curves(self.scores.rankings(results), _curve, self.task)


class DETCurve(ScoreMetric):
    """The detection error tradeoff: false positive and false negative rate, at every threshold.

    At a threshold t: fpr = the share of negative samples with score >= t, fnr = the share of
    positive samples with score < t. Source: A. Martin et al., "The DET curve in assessment of
    detection task performance" (Eurospeech 1997).

    Args:
        **options: As for `ScoreMetric`.

    Returns of `compute`: arrays `fpr`, `fnr` and `thresholds`, from the highest threshold down; the
    first is infinity, with fpr = 0 and fnr = 1. Lists of an array per class unless the task is
    binary. With `bins` also `error_bound`: the largest step of fnr. Rates of no samples are nan.

    Example:
        >>> metric = DETCurve()
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> curve = metric.compute()
        >>> curve["fpr"].tolist(), curve["fnr"].tolist(), curve["thresholds"].tolist()
        ([0.0, 0.0, 0.5, 1.0], [1.0, 0.5, 0.0, 0.0], [inf, 0.8, 0.4, 0.1])
    """

    no_interval = "a curve is no single number"

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the curve."""
        return curves(self.scores.rankings(results), _errors, self.task)


def _errors(ranking: Ranking) -> dict[str, Any]:
    thresholds, _, true = ranking.operating_points()
    _, fpr, missed = ranking.rates()
    if ranking.positives:
        missed = (ranking.positives - true) / ranking.positives
    return {"fpr": fpr, "fnr": missed, "thresholds": thresholds}


def _curve(ranking: Ranking) -> dict[str, Any]:
    thresholds, fpr, tpr = ranking.rates()
    return {"fpr": fpr, "tpr": tpr, "thresholds": thresholds}


def curves(
    rankings: list[Ranking], curve: Callable[[Ranking], dict[str, Any]], task: str | None
) -> dict[str, Any]:
    """Return the arrays of one class, or lists of them, and with bins the largest step."""
    found = []
    for ranking in rankings:
        values = curve(ranking)
        found.append(values | ({"error_bound": ranking.largest_step()} if ranking.binned else {}))
    if task == "binary":
        return found[0]
    names = found[0] if found else curve(Ranking.of([], []))
    return {name: [values[name] for values in found] for name in names}
