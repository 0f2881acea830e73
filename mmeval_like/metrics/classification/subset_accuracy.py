"""SubsetAccuracy: the share of samples that are completely right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mmeval_like.metrics.classification.class_fills import filled
from mmeval_like.metrics.classification.class_inputs import read_classes
from mmeval_like.metrics.classification.class_metrics import ClassMetric
from mmeval_like.metrics.classification.confusion_counts import ConfusionCounts
from mmeval_like.metrics.classification.label_counts import LabelCounts
from mmeval_like.metrics.classification.weighted_counts import allowed_weights
from mmeval_like.writing import BaseMetric, Ragged, Results, State, ratio, state

__all__ = ["SubsetAccuracy"]


class SubsetAccuracy(ClassMetric):
    """The fraction of samples that are right in every position, or in all their labels.

    For multilabel tasks the value is also named exact match ratio. A sample is left out if none of
    its positions counts. To compare whole answers of several tokens, pass each answer as one sample
    of many positions.

    Formula:
        accuracy = mean prod_j [p_j = y_j]

    Args:
        **options: As for `ClassMetric`. Weights are those of whole samples.

    Returns of `compute`: `subset_accuracy`, in [0, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = SubsetAccuracy(task="multilabel", num_classes=3)
        >>> metric.add([[0.9, 0.2, 0.6], [0.1, 0.8, 0.4]], [[1, 0, 1], [1, 1, 0]])
        >>> metric.compute()
        {'subset_accuracy': 0.5}
    """

    _takes_inputs = ConfusionCounts.rows

    class_inputs = ("predictions", "labels")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if not isinstance(self.counts, LabelCounts):
            self.statistic = self

    def states(self) -> dict[str, State]:
        """Return the numbers of samples that are completely right, and of samples that count."""
        dtype = float if self.counts.use_sample_weight else int
        return {"right": state.sum(dtype), "counted": state.sum(dtype)}

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return whether each sample is right, and whether it counts."""
        counts: Any = self.counts
        inputs = read_classes(predictions, labels, self.num_classes, counts.options)
        weights = allowed_weights(sample_weight, inputs.layout.count, counts.use_sample_weight)
        wrong = inputs.classes != inputs.labels
        valid = np.ones(len(wrong), np.bool_) if inputs.counted is None else inputs.counted
        counted = _any_of(inputs.layout.by_sample(valid))
        exact = counted & ~_any_of(inputs.layout.by_sample(wrong & valid))
        if weights is None:
            return {"right": exact, "counted": counted}
        return {"right": exact * weights, "counted": counted * weights}

    def filled(self, fill: Any, count: int, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return rows of samples whose predictions are right, wrong, or a given class."""
        return filled(self, self.num_classes, fill, inputs, self.counts.ignore_index)

    extremes = BaseMetric.extremes

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `subset_accuracy`."""
        return {"subset_accuracy": ratio(results.right, results.counted)}


def _any_of(flags: Any) -> np.ndarray:
    """Return which samples have any true flag."""
    if isinstance(flags, Ragged):
        sample = np.repeat(np.arange(len(flags)), flags.lengths)
        return np.bincount(sample[flags.values], minlength=len(flags)) > 0
    found: np.ndarray = flags.any(axis=1) if flags.ndim > 1 else flags
    return found
