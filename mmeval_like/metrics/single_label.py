"""Precision, recall and F1 for samples that have one label each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._common import as_thresholds, threshold_keys
from mmeval_like.metrics.class_counts import class_counts
from mmeval_like.results import Results

__all__ = ["AVERAGES", "SingleLabelPrecisionRecallF1score", "check_items", "precision_recall_f1"]

_ITEMS = ("precision", "recall", "f1-score", "support")
AVERAGES = {"macro": "", "micro": "_micro", "weighted": "_weighted", None: "_classwise"}


class SingleLabelPrecisionRecallF1score(BaseMetric):
    """Precision, recall, F1 and support of a classification, in percent.

    Per class: precision = TP / predicted, recall = TP / support, F1 = 2 TP / (predicted +
    support), each 0 where the denominator is 0; times 100, rounded to 4 decimals at the end.

    Args:
        num_classes: The number of classes C; needed when predictions are class indices.
        thrs: Threshold, or several; a prediction by scores counts only if its score is
            strictly greater. None: no threshold. Class indices have no threshold.
        items: Which of "precision", "recall", "f1-score", "support".
        average: "macro" (the mean over all C classes), "micro" (from the summed counts),
            "weighted" (the mean weighted by support) or None (a list per class).
        use_sample_weight: `add` takes `sample_weight`; sums are then exact sums of floats.
            Needs `num_classes`.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: An unknown item or average, or num_classes below 1.

    Returns of `compute`: a value per item: the item's name, then `_thr-{thr}` or `_no-thr` when
    there are several thresholds, then `_micro`, `_weighted` or `_classwise`. `support` is a
    number of samples. Without samples: 0.0, as for every class that never occurs.

    Example:
        >>> metric = SingleLabelPrecisionRecallF1score(num_classes=2)
        >>> metric.add([0, 1, 1, 1], [0, 0, 1, 1])
        >>> metric.compute()
        {'precision': 83.3333, 'recall': 75.0, 'f1-score': 73.3333}
    """

    every_rank_computes = True

    def __init__(
        self,
        num_classes: int | None = None,
        thrs: float | Sequence[float | None] | None = None,
        items: Sequence[str] = ("precision", "recall", "f1-score"),
        average: str | None = "macro",
        use_sample_weight: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.items = check_items(items, average)
        self.average = average
        self.thrs = as_thresholds(thrs)
        self._counts = class_counts(num_classes, self.thrs, use_sample_weight)
        self.statistic = self._counts

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the items at every threshold."""
        table = self._counts.table(results)
        values: dict[str, Any] = {}
        for index, suffix in enumerate(threshold_keys(self.thrs)):
            right, predicted, support = table[:, index]
            found = precision_recall_f1(right, predicted, support, self.average)
            for item in self.items:
                values[f"{item}{suffix}{AVERAGES[self.average]}"] = found[item]
        return values


def check_items(items: Sequence[str], average: str | None) -> tuple[str, ...]:
    """Return the items as a tuple.

    Raises:
        ValueError: An unknown item or average.
    """
    unknown = [item for item in items if item not in _ITEMS]
    if isinstance(items, str) or unknown:
        raise ValueError(f"items must be a sequence out of {_ITEMS}, got {items!r}")
    if average not in AVERAGES:
        raise ValueError(f"average must be one of {[*AVERAGES]}, got {average!r}")
    return tuple(items)


def precision_recall_f1(
    true_positive: np.ndarray, predicted: np.ndarray, support: np.ndarray, average: str | None
) -> dict[str, Any]:
    """Return precision, recall, F1 and support from counts per class, (C,).

    Returns:
        By item: percent rounded to 4 decimals, floats, or lists of C when `average` is None;
        the support is not rounded.
    """
    weights = support.tolist()
    if average == "micro":
        counts = (true_positive, predicted, support)
        true_positive, predicted, support = (np.array([sum(c.tolist())]) for c in counts)
    percent = {
        "precision": 100 * _divide(true_positive, predicted),
        "recall": 100 * _divide(true_positive, support),
        "f1-score": 100 * _divide(2 * true_positive, predicted + support),
    }
    values = {item: array.tolist() for item, array in percent.items()}
    if average is None:
        lists = {item: [round(v, 4) for v in entries] for item, entries in values.items()}
        return lists | {"support": weights}
    if average != "weighted":
        weights = [1] * len(support)
    # Summed class by class: numpy's sums change their order with the processor.
    total = sum(weights)
    return {
        item: round(sum(v * w for v, w in zip(entries, weights, strict=True)) / total, 4)
        if total
        else 0.0
        for item, entries in values.items()
    } | {"support": sum(support.tolist())}


def _divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    return np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0)
