"""Precision, recall and F1 for samples that have one label each."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from operator import add
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.averages import check_average, class_values, mean_of_classes
from mmeval_like.metrics._common.option_checks import (
    as_thresholds,
    check_count,
    ignored_classes,
    threshold_keys,
)
from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics.classification.class_counts import class_counts
from mmeval_like.metrics.classification.class_fills import ends_of_counts
from mmeval_like.metrics.classification.class_inputs import ClassOptions
from mmeval_like.metrics.classification.class_metrics import check_zero_division
from mmeval_like.metrics.classification.confusion_counts import ConfusionCounts, by_threshold
from mmeval_like.writing import PERCENT, SHARE, MetricOptions, Results, Unpack, vectorised
from mmeval_like.writing.intervals import rounded, worst_and_best

__all__ = ["AVERAGES", "ClassShares", "SingleLabelPrecisionRecallF1score", "check_items"]

_ITEMS = ("precision", "recall", "f1-score", "support")
AVERAGES = {"macro": "", "micro": "_micro", "weighted": "_weighted", None: "_classwise"}
_SUFFIXES = AVERAGES | {"binary": "_binary"}


class SingleLabelPrecisionRecallF1score(WeightedPairMetric):
    """Precision, recall, F1 and support of a classification, in percent.

    `add` takes predictions, which are class indices (N, ...) or scores (N, C, ...), and labels (N,
    ...). A sample may have many positions; each counts once.

    For each class, precision is TP / predicted, recall is TP / support, and F1 is 2 TP / (predicted
    + support); each is 0 where the denominator is 0. Values are in percent, rounded to 4 decimals
    at the end.

    Formula:
        precision = 100 TP / (TP + FP)
        recall = 100 TP / (TP + FN)
        f1 = 200 TP / (2 TP + FP + FN)

    Args:
        num_classes: The number of classes C; needed when predictions are class indices.
        thrs: The score threshold, or several; a class is predicted only if its score is strictly
            greater. None: no threshold. Thresholds do not apply to class indices.
        items: Which values to return, out of "precision", "recall", "f1-score" and "support".
        average: "macro" (the mean over all C classes), "micro" (the value for the counts summed
            over classes), "weighted" (the mean weighted by support), None, also "none" (a list per
            class), or "binary" (the value of class 1 of two).
        use_sample_weight: Whether `add` takes `sample_weight`. Sums are then exact sums of floats.
            Needs `num_classes`.
        percent: Whether values are in percent, rounded to 4 decimals; False: shares in [0, 1], not
            rounded.
        ignore_index: Positions with this label do not count; a class index in [0, C) is also left
            out of every average, and is nan in lists. Needs `num_classes`.
        zero_division: The value of a share whose denominator is 0; with nan the share is left out
            of means.
        top_k: If the label is among the k classes of highest score, the label counts as predicted,
            otherwise the class of highest score.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: An item or `average` is unknown, `num_classes` is below 1, or the number of
            classes is not 2 for "binary"; `compute` raises the last error if only the scores
            determine the number.

    Returns of `compute`: one value for each item. Its key is the item's name, then, if there are
    several thresholds, `_thr-{thr}` or `_no-thr`, then `_micro`, `_weighted`, `_classwise` or
    `_binary`, according to `average`. `support` is the number of samples of the class. Without
    samples, and for a class that never occurs, the value is 0.0. Higher is better.

    Example:
        >>> metric = SingleLabelPrecisionRecallF1score(num_classes=2)
        >>> metric.add([0, 1, 1, 1], [0, 0, 1, 1])
        >>> metric.compute()
        {'precision': 83.3333, 'recall': 75.0, 'f1-score': 73.3333}
    """

    _takes_inputs = ConfusionCounts.rows

    every_rank_computes = True
    higher_is_better = True
    higher_is_better_of = MappingProxyType({"support*": None})

    def __init__(
        self,
        num_classes: int | None = None,
        thrs: float | Sequence[float | None] | None = None,
        items: Sequence[str] = ("precision", "recall", "f1-score"),
        average: str | None = "macro",
        use_sample_weight: bool = False,
        percent: bool = True,
        ignore_index: int | None = None,
        zero_division: float = 0.0,
        top_k: int = 1,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        check_count("top_k", top_k)
        self.percent, self.zero_division = percent, check_zero_division(zero_division)
        self.ignored = ignored_classes(ignore_index, num_classes or 0)
        self.ranges = {"*support*": (0.0, math.inf), **(PERCENT if percent else SHARE)}
        self.items = check_items(items)
        self.average = check_average(average, tuple(_SUFFIXES))
        if average == "binary" and num_classes not in (None, 2):
            raise ValueError(f'average="binary" needs num_classes=2, got {num_classes}')
        self.thrs = as_thresholds(thrs)
        self._keys = [
            (f"{item}{suffix}{_SUFFIXES[self.average]}", place, item)
            for place, suffix in enumerate(threshold_keys(self.thrs))
            for item in self.items
        ]
        asked = ClassOptions(ignore_index, top_k)
        self._counts = class_counts(num_classes, self.thrs, use_sample_weight, asked)
        self.statistic = self._counts

    @property
    def pooled_keys(self) -> Sequence[str]:  # type: ignore[override]
        """The keys of values that pool all classes: all, for micro averages."""
        return ("*",) if self.average == "micro" else ()

    @property
    def outer_bounds(self) -> bool:  # type: ignore[override]
        """Whether bounds may be too wide: those of means over more than two exclusive classes."""
        several = self._counts.num_classes not in (None, 1, 2)
        return several and self.average in ("macro", "weighted") and {*self.items} > {"recall"}

    def extremes(
        self, scored: Results, worst: Results, best: Results
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the values at the ends of the ranges of all classes' counts; see `class_fills`."""
        if self.average == "micro":  # a prediction is of one class
            found = [self.compute_metric(worst), self.compute_metric(best)]
            return worst_and_best(found, self.direction_of)
        (right, predicted, known), (_, _, support) = (
            self._counts.exact_table(one) for one in (scored, best)
        )
        positive = support - known
        negative = positive.sum(axis=1, keepdims=True) - positive
        found = []
        for tp, every in ends_of_counts(right, predicted, positive, negative):
            lists = by_threshold(np.stack([tp, every, support]))
            results = Results({}, len(best))
            results.once("lists", lambda _, lists=lists: lists)  # type: ignore[misc]
            found.append(self.compute_metric(results))
        return worst_and_best(found, self.direction_of)

    @vectorised
    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the items at every threshold."""
        kind = f"shares, {self.percent}, {self.zero_division}"
        shares = results.once(kind, self._shares)
        values = {}
        for key, place, item in self._keys:
            values[key] = shares[place].value(item, self.average)
        return values

    def _shares(self, results: Results) -> list[ClassShares]:
        lists = results.once("lists", self._counts.lists)
        how = (self.percent, self.zero_division, self.ignored)
        return [ClassShares(tp, predicted, support, *how) for tp, predicted, support in lists]


def check_items(items: Sequence[str]) -> tuple[str, ...]:
    """Return the items as a tuple; ValueError if one is unknown."""
    unknown = [item for item in items if item not in _ITEMS]
    if isinstance(items, str) or unknown:
        raise ValueError(f"items must be a sequence out of {_ITEMS}, got {items!r}")
    return tuple(items)


class ClassShares:
    """Precision, recall, F1 and support of some classes.

    Args:
        true_positive: A number per class.
        predicted: The same.
        support: The same.
        percent: Whether shares are multiplied by 100 and rounded to 4 decimals.
        zero_division: The value of a share whose denominator is 0.
        ignored: The classes that do not count.

    Example:
        >>> ClassShares([1, 1], [1, 3], [2, 2]).value("recall", None)
        [50.0, 50.0]
    """

    def __init__(
        self,
        true_positive: list[Any],
        predicted: list[Any],
        support: list[Any],
        percent: bool = True,
        zero_division: float = 0.0,
        ignored: Collection[int] = (),
    ) -> None:
        self._percent, self._zero = percent, zero_division
        self._support = [0 if c in ignored else s for c, s in enumerate(support)]
        self._each = self._items(true_positive, predicted, support, ignored)
        counted = [c for c in range(len(support)) if c not in ignored]
        pooled = [[sum(n[c] for c in counted)] for n in (true_positive, predicted, support)]
        self._pooled = self._items(*pooled)

    def value(self, item: str, average: str | None) -> Any:
        """Return an item: a float, or a list of C if `average` is None.

        Args:
            item: "precision", "recall", "f1-score", or "support", which is never in percent.
            average: As for `SingleLabelPrecisionRecallF1score`.
        """
        if average == "binary" and len(self._support) not in (0, 2):
            raise ValueError(f'average="binary" needs two classes, got {len(self._support)}')
        if item == "support":
            numbers = self._support[1:] if average == "binary" else self._support
            return list(numbers) if average is None else sum(numbers)
        values = (self._pooled if average == "micro" else self._each)[item]
        if average is None:
            return [self._rounded(value) for value in values]
        if not values:
            return 0.0
        if average == "binary":
            return self._rounded(values[1])
        weights = self._support if average == "weighted" else None
        return self._rounded(mean_of_classes(values, weights))

    def _rounded(self, value: float) -> float:
        return rounded(value, 4) if self._percent else value

    def _items(
        self,
        true_positive: list[Any],
        predicted: list[Any],
        support: list[Any],
        ignored: Collection[int] = (),
    ) -> dict[str, list[float]]:
        """Return all items, computed once for all metrics that share the counts."""
        parts = {
            "precision": (true_positive, predicted),
            "recall": (true_positive, support),
            "f1-score": ([2 * t for t in true_positive], [*map(add, predicted, support)]),
        }
        found = {i: class_values(*part, self._zero, ignored) for i, part in parts.items()}
        if not self._percent:
            return found
        return {item: [100 * value for value in values] for item, values in found.items()}
