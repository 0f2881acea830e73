"""Accuracy: the share of samples whose label is among the k best-scored classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics._common.averages import check_average, class_average
from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.option_checks import (
    Cut,
    as_thresholds,
    check_count,
    check_ignore_index,
    threshold_keys,
)
from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics.classification.class_metrics import check_zero_division
from mmeval_like.metrics.classification.hit_rule import HitRule
from mmeval_like.metrics.classification.top_hits import ClassHits, TopHits
from mmeval_like.writing import SHARE, MetricOptions, Results, Unpack, ratio

__all__ = ["Accuracy"]


class Accuracy(WeightedPairMetric):
    """The fraction of samples that are classified correctly, for each k and score threshold.

    A sample counts as correct for a number k and a threshold thr if its label is among the k
    classes of highest score, best_k, and the label's score s is strictly greater than thr. Among
    classes with equal scores, the one with the lowest index ranks first.

    Formula:
        top_k = (sum w [y in best_k and s > thr]) / (sum w)

    Args:
        topk: The number k of highest-scored classes among which the label must be, or several such
            numbers.
        thrs: The score threshold, or several; None: no threshold. The default 0.0 suits
            probabilities; for logits or log-probabilities pass None. Class indices have no scores,
            so no threshold applies to them. With None, the metric takes its counts from the
            confusion matrix, if a `MetricCollection` counts one.
        use_sample_weight: Whether `add` takes `sample_weight`. Sums are then exact sums of floats.
        num_classes: The number of classes C. The options below need it, and so do samples of many
            positions: labels (N, ...), predictions (N, ...) or (N, C, ...), or lists of arrays,
            where each position counts once. If predictions are class indices, and neither this
            number nor names of classes (`classes`) are given, the metric cannot know how large a
            label may be: a label that means "ignore", such as 255, then counts as wrong.
            With scores, the number of classes is known; negative labels are always an error.
        average: "micro": the share of all samples. "macro": the mean over all C classes of the
            share of a class's labels that are predicted. "weighted": the same mean, weighted by the
            number of labels of each class. None, also "none": a list with one value for each class.
        ignore_index: Positions with this label do not count. If it is a class index in [0, C), this
            class is also left out of every average, and its value in lists is nan.
        zero_division: The value of a class without labels; with nan the class is left out of means.
        task: "multiclass", or "binary": predictions are then scores of class 1 (N,), floats, or 0
            and 1; `topk` and `thrs` must keep their defaults.
        threshold: For binary tasks: class 1 is predicted if its score is at least this. None: 0.5,
            and scores must be probabilities: one outside [0, 1] is an error. For logits pass 0.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: A k is below 1, or there is no k; `average` is unknown; `num_classes` is missing
            or below 1; the task is unknown, or an option does not apply to it.
        TypeError: A k or a threshold has the wrong type.

    Returns of `compute`: a float in [0, 1] for each k and threshold. The keys are `top{k}`, or with
    several thresholds `top{k}_thr-{thr}` and `top{k}_no-thr`; keys of lists end in `_classwise`.
    For predicted class indices `top1` is the only key. Without samples the values are nan. Higher
    is better.

    Example:
        >>> metric = Accuracy(topk=(1, 2))
        >>> metric.add([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1]], [0, 1])
        >>> metric.compute()
        {'top1': 0.5, 'top2': 1.0}
    """

    every_rank_computes = True
    ranges = SHARE
    higher_is_better = True

    _takes_inputs = TopHits.rows

    def __init__(
        self,
        topk: int | Sequence[int] = (1,),
        thrs: float | Sequence[float | None] | None = 0.0,
        use_sample_weight: bool = False,
        num_classes: int | None = None,
        average: str | None = "micro",
        ignore_index: int | None = None,
        zero_division: float = 0.0,
        task: str = "multiclass",
        threshold: float | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        check_option("task", task, ("binary", "multiclass"))
        cut = Cut(threshold) if task == "binary" else None
        self._task = None if cut is None else task  # files of earlier versions name no task
        if threshold is not None and cut is None:
            raise ValueError(f'threshold applies to task="binary"; for {task} pass thrs=')
        if num_classes is None and (average != "micro" or ignore_index is not None):
            raise ValueError(
                "num_classes must be given for ignore_index= and for averages other than micro"
            )
        if num_classes is not None:
            check_count("num_classes", num_classes)
        check_ignore_index(ignore_index)
        self.num_classes, self.ignore_index = num_classes, ignore_index
        self.average = check_average(average)
        self.zero_division = check_zero_division(zero_division)
        several = tuple(topk) if isinstance(topk, list | tuple) else (topk,)
        if any(isinstance(k, bool) or not isinstance(k, int | np.integer) for k in several):
            raise TypeError(f"topk must be an integer or several, got {topk!r}")
        if not several or min(several) < 1:
            raise ValueError(f"topk must be positive, got {topk!r}")
        self.topk = tuple(int(k) for k in several)
        self.thrs = as_thresholds(thrs)
        if cut is not None:
            if self.topk != (1,) or self.thrs != (0.0,) or num_classes not in (None, 2):
                raise ValueError(
                    'topk, thrs and num_classes do not apply to task="binary": pass threshold='
                )
            self.thrs = (None,)
        self._keys = [
            (f"top{k}{suffix}", i, j)
            for j, k in enumerate(self.topk)
            for i, suffix in enumerate(threshold_keys(self.thrs))
        ]
        named = self.plan.classes
        known = len(named) if num_classes is None and named else num_classes
        rule = HitRule(self.topk, self.thrs, known if cut is None else 2, cut)
        self._hits: TopHits | ClassHits = TopHits(rule, use_sample_weight)
        if num_classes is not None:
            self._hits = ClassHits(rule, ignore_index, use_sample_weight)
        self.statistic = self._hits

    @property
    def pooled_keys(self) -> Sequence[str]:  # type: ignore[override]
        """The keys of values that pool all classes: all, for micro averages."""
        return ("*",) if self.average == "micro" else ()

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the share of hits for every (k, thr)."""
        filled = self.unscored not in (None, "drop")
        keys = [("top1", 0, 0)] if self._hits.only_indices(results, filled) else self._keys
        if isinstance(self._hits, TopHits):
            correct, total = self._hits.table(results)
            return {key: ratio(correct[i][j], total) for key, i, j in keys}
        hits, labels = self._hits.table(results)
        zero = self.zero_division if sum(labels) else math.nan
        ignored = [c for c in range(len(labels)) if c == self.ignore_index]
        suffix = "_classwise" if self.average is None else ""
        values: dict[str, Any] = {}
        for key, i, j in keys:
            right = hits[:, i, j].tolist()
            values[key + suffix] = class_average(right, labels, labels, self.average, zero, ignored)
        return values
