"""ROC: the receiver operating characteristic, at every threshold."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._ranking import Ranking
from mmeval_like.metrics._scored_labels import ScoredLabels
from mmeval_like.results import Results

__all__ = ["ROC", "curves"]


class ROC(BaseMetric):
    """The curve of true positive rate against false positive rate.

    At a threshold t: tpr = the share of positive samples with score >= t, fpr = the same share
    of negative samples. Every distinct score is a threshold.

    Args:
        task: As for `AUROC`, with the same inputs of `add`.
        num_classes: C; needed with `bins` unless the task is binary. None: as the scores have.
        bins: None: exact. Else scores must be in [0, 1] and the thresholds are b / bins; the
            points at these are exact.
        use_sample_weight: `add` takes `sample_weight`.
        **options: As for `BaseMetric`.

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

    def __init__(
        self,
        task: str = "binary",
        num_classes: int | None = None,
        bins: int | None = None,
        use_sample_weight: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.task = task
        self._scores = ScoredLabels(task, num_classes, bins, use_sample_weight)
        self.statistic = self._scores

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the curve."""
        return curves(self._scores.rankings(results), _curve, self.task)


def _curve(ranking: Ranking) -> dict[str, Any]:
    negatives, positives = ranking.negatives, ranking.positives
    scores, *above = ranking.above()
    false, true = (np.append(0, counts[::-1]) for counts in above)
    # Infinity in the scores' own dtype; appended arrays take the wider of both.
    start = np.array([np.inf], scores.dtype)
    return {
        "fpr": false / negatives if negatives else np.full(len(false), math.nan),
        "tpr": true / positives if positives else np.full(len(true), math.nan),
        "thresholds": np.append(start, scores[::-1]),
    }


def curves(
    rankings: list[Ranking], curve: Callable[[Ranking], dict[str, Any]], task: str
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
