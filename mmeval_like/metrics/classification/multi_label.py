"""Precision, recall and F1 for samples that have any number of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from mmeval_like.metrics._common.averages import check_average
from mmeval_like.metrics._common.option_checks import as_thresholds, check_count
from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics.classification.class_metrics import check_zero_division
from mmeval_like.metrics.classification.label_set_counts import LabelSetCounts, SampleShares
from mmeval_like.metrics.classification.single_label import AVERAGES, ClassShares, check_items
from mmeval_like.writing import PERCENT, SHARE, MetricOptions, Results, Unpack, warn
from mmeval_like.writing.intervals import rounded

__all__ = ["MultiLabelPrecisionRecallF1score"]


class MultiLabelPrecisionRecallF1score(WeightedPairMetric):
    """Precision, recall, F1 and support of sets of labels, in percent.

    For each class, precision is TP / predicted, recall is TP / support, and F1 is 2 TP / (predicted
    + support), where predicted is the number of samples for which the class is predicted, and
    support the number that have it as a label. Where a denominator is 0 the value is
    `zero_division`. Values are in percent, rounded to 4 decimals at the end.

    Formula:
        precision = 100 TP / (TP + FP)
        recall = 100 TP / (TP + FN)
        f1 = 200 TP / (2 TP + FP + FN)

    Args:
        num_classes: The number of classes C.
        thr: A class is predicted if its score is at least this threshold. None: 0.5, with a
            warning, unless `topk` is given.
        topk: The number k of highest-scored classes that are predicted; among equal scores, the
            lowest class index comes first. It is not used if `thr` is given.
        items: Which values to return, out of "precision", "recall", "f1-score" and "support".
        average: "macro" (the mean over all C classes), "micro" (the value for the counts summed
            over classes), "weighted" (the mean weighted by support), None, also "none" (a list with
            one value for each class) or "samples" (the mean over samples of the value for the
            sample's own labels; `support` is then not available).
        pred_is_onehot: Whether predictions are scores or one-hot rows (True) or lists of class
            indices (False). None: floats of shape (N, C) are read as scores, integers of shape (N,
            C) that are all 0 or 1 as one-hot rows, and everything else as lists of class indices.
            With three or more classes this is never ambiguous.
        label_is_onehot: The same for labels.
        use_sample_weight: Whether `add` takes `sample_weight`. Sums are then exact sums of floats.
        percent: Whether values are in percent, rounded to 4 decimals; False: shares in [0, 1], not
            rounded.
        ignore_index: Entries with this label do not count; labels must then be rows (N, C). With
            "samples", a sample without any other entry does not count.
        zero_division: The value of a share whose denominator is 0; with nan the share is left out
            of means.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: `num_classes` is below 1, `topk` is out of [1, num_classes], or an item or
            `average` is unknown.

    Returns of `compute`: one value for each item. Its key is the item's name, then `_thr-{thr}`
    unless the threshold is 0.5, or `_top{k}`, then `_micro`, `_weighted`, `_classwise` or
    `_samples`, according to `average`. Without samples the values are 0.0. Higher is better.

    Example:
        >>> metric = MultiLabelPrecisionRecallF1score(3, thr=0.5)
        >>> metric.add([[0.9, 0.2, 0.6], [0.1, 0.8, 0.4]], [[0, 2], [0, 1]])
        >>> metric.compute()
        {'precision': 100.0, 'recall': 83.3333, 'f1-score': 88.8889}
    """

    _takes_inputs = LabelSetCounts.rows

    every_rank_computes = True
    higher_is_better = True
    higher_is_better_of = MappingProxyType({"support*": None})

    def __init__(
        self,
        num_classes: int,
        thr: float | None = None,
        topk: int | None = None,
        items: Sequence[str] = ("precision", "recall", "f1-score"),
        average: str | None = "macro",
        pred_is_onehot: bool | None = None,
        label_is_onehot: bool | None = None,
        use_sample_weight: bool = False,
        percent: bool = True,
        ignore_index: int | None = None,
        zero_division: float = 0.0,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self.percent, self.zero_division = percent, check_zero_division(zero_division)
        self.ranges = {"*support*": (0.0, math.inf), **(PERCENT if percent else SHARE)}
        check_count("num_classes", num_classes)
        if topk is not None and not 1 <= topk <= num_classes:
            raise ValueError(f"topk must be in [1, num_classes={num_classes}], got {topk}")
        if thr is None and topk is None:
            warn("neither thr nor topk is given: thr=0.5 is used", UserWarning)
            thr = 0.5
        elif thr is not None and topk is not None:
            warn("both thr and topk are given: topk is not used", UserWarning)
            topk = None
        self.items = check_items(items)
        if average == "samples" and "support" in items:
            raise ValueError('items must not have "support" for average="samples"')
        self.average = check_average(average, (*AVERAGES, "samples"))
        (self.thr,), self.topk = as_thresholds(thr, "thr"), topk
        self._set_statistic(
            LabelSetCounts(
                num_classes,
                self.thr,
                topk,
                pred_is_onehot,
                label_is_onehot,
                use_sample_weight,
                ignore_index,
            )
        )

    def _set_statistic(self, counts: LabelSetCounts) -> None:
        self._counts = counts
        self._shares = SampleShares(counts, self.zero_division)
        self.statistic = self._shares if self.average == "samples" else counts

    @property
    def pred_is_onehot(self) -> bool | None:
        """Whether predictions are scores or one-hot rows; None: the input of `add` decides."""
        return self._counts.pred_is_onehot

    @pred_is_onehot.setter
    def pred_is_onehot(self, value: bool | None) -> None:
        self._set_statistic(replace(self._counts, pred_is_onehot=value))

    @property
    def label_is_onehot(self) -> bool | None:
        """Whether labels are one-hot rows; None: the input of `add` decides."""
        return self._counts.label_is_onehot

    @label_is_onehot.setter
    def label_is_onehot(self, value: bool | None) -> None:
        self._set_statistic(replace(self._counts, label_is_onehot=value))

    @property
    def pooled_keys(self) -> Sequence[str]:  # type: ignore[override]
        """The keys of values that pool all classes: all, unless classes are averaged."""
        return ("*",) if self.average in ("micro", "samples") else ()

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the items."""
        suffix = ""
        if self.topk is not None:
            suffix = f"_top{self.topk}"
        elif self.thr != 0.5:
            suffix = f"_thr-{self.thr:.2f}"
        if self.average == "samples":
            means = self._shares.values(results)
            if self.percent:
                means = {item: rounded(100 * mean, 4) for item, mean in means.items()}
            return {f"{item}{suffix}_samples": means[item] for item in self.items}
        tp, predicted, support = self._counts.table(results).tolist()
        shares = ClassShares(tp, predicted, support, self.percent, self.zero_division)
        suffix += AVERAGES[self.average]
        return {f"{item}{suffix}": shares.value(item, self.average) for item in self.items}
