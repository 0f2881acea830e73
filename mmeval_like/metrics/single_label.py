"""Precision, recall and F1 for samples that have one label each."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import Any

from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._common import as_thresholds, threshold_keys
from mmeval_like.metrics.class_counts import class_counts
from mmeval_like.results import Results

__all__ = ["AVERAGES", "ClassShares", "SingleLabelPrecisionRecallF1score", "check_items"]

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
        self._keys = [
            (f"{item}{suffix}{AVERAGES[average]}", place, item)
            for place, suffix in enumerate(threshold_keys(self.thrs))
            for item in self.items
        ]
        self._counts = class_counts(num_classes, self.thrs, use_sample_weight)
        self.statistic = self._counts

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the items at every threshold."""
        shares = results.once("shares", self._shares)
        values = {}
        for key, place, item in self._keys:
            values[key] = shares[place].value(item, self.average)
        return values

    def _shares(self, results: Results) -> list[ClassShares]:
        lists = results.once("lists", self._counts.lists)
        return [ClassShares(*counts) for counts in lists]


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


class ClassShares:
    """Precision, recall, F1 and support of some classes, in percent.

    Summed class by class: numpy's sums change their order with the processor.

    Args:
        true_positive: A number per class.
        predicted: The same.
        support: The same.

    Example:
        >>> ClassShares([1, 1], [1, 3], [2, 2]).value("recall", None)
        [50.0, 50.0]
    """

    def __init__(self, true_positive: list[Any], predicted: list[Any], support: list[Any]) -> None:
        self._support = support
        self._each = _percent(true_positive, predicted, support)
        self._pooled = _percent([sum(true_positive)], [sum(predicted)], [sum(support)])

    def value(self, item: str, average: str | None) -> Any:
        """Return an item: a float, or a list of C if `average` is None, rounded to 4 decimals.

        Args:
            item: "precision", "recall", "f1-score", or "support", which is not rounded.
            average: As for `SingleLabelPrecisionRecallF1score`.
        """
        if item == "support":
            return list(self._support) if average is None else sum(self._support)
        percent = (self._pooled if average == "micro" else self._each)[item]
        if average is None:
            return [round(value, 4) for value in percent]
        if average == "weighted":
            total = sum(self._support)
            return round(sum(map(mul, percent, self._support)) / total, 4) if total else 0.0
        return round(sum(percent) / len(percent), 4) if percent else 0.0


def _percent(
    true_positive: list[Any], predicted: list[Any], support: list[Any]
) -> dict[str, list[float]]:
    """All items at once: metrics that share the counts share what is computed here."""
    precision, recall, f1 = [], [], []
    for t, p, s in zip(true_positive, predicted, support, strict=True):
        precision.append(100 * (t / p) if p else 0.0)
        recall.append(100 * (t / s) if s else 0.0)
        f1.append(100 * (2 * t / (p + s)) if p + s else 0.0)
    return {"precision": precision, "recall": recall, "f1-score": f1}
