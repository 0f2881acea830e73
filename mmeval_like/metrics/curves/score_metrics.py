"""The base classes of metrics of scores: tasks, options, and the average over classes."""

from __future__ import annotations

import math
from abc import abstractmethod
from types import MappingProxyType
from typing import Any, ClassVar

from mmeval_like.metrics._common.averages import check_average
from mmeval_like.metrics._common.option_checks import TASKS, known_num_classes
from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.curves.ranking import Ranking, average
from mmeval_like.metrics.curves.scored_labels import ScoredLabels
from mmeval_like.writing import MetricOptions, Results, Unpack, warn

__all__ = ["PointMetric", "ScoreMetric", "check_share"]


@shared_options
class ScoreMetric(WeightedPairMetric):
    """The base class of metrics that are computed from the scores of positive and negative samples.

    Metrics with equal task and options share the scores in a `MetricCollection`.

    Args:
        task: "binary": predictions are scores of the positive class (N,), labels 0 and 1 (N,).
            "multiclass": scores (N, C), labels are class indices (N,); each class against the
            rest. "multilabel": scores (N, C), labels 0 and 1 (N, C).
        num_classes: The number of classes C; needed with `bins` unless the task is binary. None:
            the number of columns of the scores.
        bins: None: the result is exact. All scores are kept, 4 bytes for each float16 or float32
            and 8 bytes for others; scores that repeat are kept once. A number: scores must be in
            [0, 1] and are counted in this many bins, whose edges are the thresholds. Memory
            is then fixed.
        use_sample_weight: Whether `add` takes `sample_weight`, non-negative numbers (N,). The
            score of a sample of weight 0 is no threshold.
        ignore_index: Samples (in multilabel tasks: entries) with this label do not count. If it is
            a class index, this class is also left out of every average, and its value in lists is
            nan.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: The task is unknown, a number is below 1, or `bins` is given without
            `num_classes`; or there are not 2 names of classes for a binary task.
    """

    _takes_inputs = ScoredLabels.rows

    tasks: ClassVar[tuple[str | None, ...]] = TASKS
    no_bounds: str | None = "the extremes of its values are not known"

    def __init__(
        self,
        task: str | None = "binary",
        num_classes: int | None = None,
        bins: int | None = None,
        use_sample_weight: bool = False,
        ignore_index: int | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if task not in self.tasks:
            raise ValueError(f"task must be one of {[*self.tasks]}, got {task!r}")
        if task == "binary" and num_classes is None:
            known_num_classes(None, self.dataset_meta, task)
        self.task, self.bins = task, bins
        self.scores = ScoredLabels(
            task, num_classes, bins, use_sample_weight, ignore_index=ignore_index
        )
        self.every_rank_computes = bins is not None  # counts are summed, rows gathered
        self.statistic = self.scores


class PointMetric(ScoreMetric):
    """The base class of metrics that have a value, and perhaps a threshold, for every class.

    Args:
        average: "macro" (the mean over classes), "weighted" (the mean weighted by the classes'
            positive samples) or None, also "none" (a list with one value for each class). A class
            whose value is undefined is left out of means, with a warning. For a binary task the
            result is the value of class 1, whatever `average` is.
        **options: As for `ScoreMetric`.
    """

    key: str
    higher_is_better_of = MappingProxyType({"threshold*": None})
    no_interval: str | None = (
        "it is taken at one of many thresholds, which the jackknife over groups cannot capture"
    )

    def __init__(self, *, average: str | None = "macro", **options: Any) -> None:
        super().__init__(**options)
        self.average = check_average(average, ("macro", "weighted", None))

    @abstractmethod
    def value(self, ranking: Ranking) -> tuple[float, float | None]:
        """Return the value of a class, and its threshold or None."""

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the value, and the threshold of every class."""
        rankings = self.scores.rankings(results)
        found = [self.value(ranking) for ranking in rankings]
        ignored = self.scores.ignored(len(rankings))
        for c in ignored:
            found[c] = math.nan, None if found[c][1] is None else math.nan
        values, thresholds = [value for value, _ in found], [threshold for _, threshold in found]
        known = {} if None in thresholds else {"threshold": thresholds}
        if self.task == "binary":
            return {self.key: values[0]} | {key: entries[0] for key, entries in known.items()}
        known = {f"{key}_classwise": entries for key, entries in known.items()}
        if self.average is None:
            return {f"{self.key}_classwise": values} | known
        undefined = [c for c, v in enumerate(values) if v != v and c not in ignored]
        if undefined and len(results):
            text = f"{self.name} is undefined for the classes {undefined}: left out of the mean"
            warn(text, RuntimeWarning)
        weights = [r.positives for r in rankings] if self.average == "weighted" else None
        return {self.key: average(values, weights)} | known


def check_share(name: str, value: float) -> float:
    """Return `value` as a float; ValueError unless it is in [0, 1]."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be in [0, 1], got {value}")
    return float(value)
