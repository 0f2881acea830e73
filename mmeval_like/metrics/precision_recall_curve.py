"""PrecisionRecallCurve: precision and recall, at every threshold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mmeval_like._accumulate.results import Results
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics.roc import curves
from mmeval_like.metrics.statistics.ranking import Ranking
from mmeval_like.metrics.statistics.scored_labels import ScoredLabels
from mmeval_like.options import MetricOptions, Unpack

__all__ = ["PrecisionRecallCurve"]


class PrecisionRecallCurve(BaseMetric):
    """The curve of precision against recall.

    At a threshold t: precision = the share of positive samples among those with score >= t,
    recall = the share of positive samples that have score >= t. Every distinct score is a
    threshold.

    Args:
        task: As for `AUROC`, with the same inputs of `add`.
        num_classes: C; needed with `bins` unless the task is binary. None: as the scores have.
        bins: None: exact. Else scores must be in [0, 1] and the thresholds are b / bins; the
            points at these are exact. Thresholds above every score have precision 1.
        use_sample_weight: `add` takes `sample_weight`.
        ignore_index: Samples (multilabel: entries) with this label do not count.
        **options: As for `BaseMetric`.

    Returns of `compute`: arrays `precision`, `recall` and `thresholds`, from the lowest
    threshold up; after the last threshold follows the point precision 1, recall 0. Lists of an
    array per class unless the task is binary. With `bins` also `error_bound`: the largest step
    of recall between neighbouring points. Recall without positive samples is nan.

    Raises:
        ValueError: An unknown task, numbers below 1, `bins` without `num_classes`.

    Example:
        >>> metric = PrecisionRecallCurve()
        >>> metric.add([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
        >>> curve = metric.compute()
        >>> curve["precision"].round(4).tolist(), curve["recall"].tolist()
        ([0.5, 0.6667, 1.0, 1.0], [1.0, 1.0, 0.5, 0.0])
    """

    def __init__(
        self,
        task: str = "binary",
        num_classes: int | None = None,
        bins: int | None = None,
        use_sample_weight: bool = False,
        ignore_index: int | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.task = task
        self._scores = ScoredLabels(
            task, num_classes, bins, use_sample_weight, ignore_index=ignore_index
        )
        self.every_rank_computes = bins is not None  # counts add up, rows do not
        self.statistic = self._scores

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the curve."""
        return curves(self._scores.rankings(results), _curve, self.task)


def _curve(ranking: Ranking) -> dict[str, Any]:
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
