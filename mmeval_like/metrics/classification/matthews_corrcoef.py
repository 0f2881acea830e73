"""MatthewsCorrCoef: the correlation of predicted classes and labels."""

from __future__ import annotations

import math
from typing import Any

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics._common.option_checks import TASKS, Cut, known_num_classes
from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics.classification.class_counts import AnyClassCounts, class_counts
from mmeval_like.metrics.classification.class_inputs import ClassOptions
from mmeval_like.metrics.classification.confusion_counts import ConfusionCounts, exact_lists
from mmeval_like.metrics.classification.label_counts import LabelCounts
from mmeval_like.writing import CORRELATION, MetricOptions, Results, Unpack, entrywise, vectorised
from mmeval_like.writing.exact import correlation, exact_dot_of_counts

__all__ = ["MatthewsCorrCoef"]


class MatthewsCorrCoef(WeightedPairMetric):
    """Matthews' correlation coefficient (MCC), for two or more classes.

    Of N samples, c are predicted correctly; class k is predicted p_k times and is the label t_k
    times. 1 is perfect, and 0 is no better than guessing. For more than two classes the coefficient
    is also named R_K. Source: J. Gorodkin, "Comparing two K-category assignments by a K-category
    correlation coefficient", Computational Biology and Chemistry 28 (2004).

    `add` takes the same arguments as that of `Precision`, with samples of many positions. For a
    multilabel task all entries, of all samples and classes, are counted as one binary task.

    Formula:
        mcc = (c N - sum_k p_k t_k) / (sqrt(N^2 - sum_k p_k^2) sqrt(N^2 - sum_k t_k^2))

    Args:
        num_classes: The number of classes C. None: 2 for a binary task, otherwise as many as
            `classes` names.
        use_sample_weight: Whether `add` takes `sample_weight`. Sums are then exact sums of floats.
        ignore_index: Positions (multilabel: entries) with this label do not count.
        task: "binary", "multiclass" or "multilabel", with the inputs of `Precision`.
        threshold: For binary and multilabel tasks: a class is predicted if its score is at least
            this. None: 0.5, and scores must be probabilities: one outside [0, 1] is an error. For
            logits pass 0.
        **options: As for `BaseMetric`.

    Returns of `compute`: `mcc`, in [-1, 1]; 0 if all predictions or all labels are one class;
    nan without samples. Higher is better.

    Raises:
        ValueError: `num_classes` is missing, below 1, or not 2 for a binary task; or the task is
            unknown.

    Example:
        >>> metric = MatthewsCorrCoef(num_classes=2)
        >>> metric.add(predictions=[0, 1, 1, 1], labels=[0, 0, 1, 1])
        >>> round(metric.compute()["mcc"], 6)
        0.57735
    """

    _takes_inputs = ConfusionCounts.rows

    every_rank_computes = True
    ranges = CORRELATION
    higher_is_better = True

    def __init__(
        self,
        num_classes: int | None = None,
        use_sample_weight: bool = False,
        ignore_index: int | None = None,
        task: str = "multiclass",
        threshold: float | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self._threshold = Cut(threshold).least  # part of saved files and records
        check_option("task", task, TASKS)
        num_classes = known_num_classes(num_classes, self.dataset_meta, task)
        asked = ClassOptions(ignore_index, cut=Cut(threshold) if task == "binary" else None)
        self._counts: AnyClassCounts | LabelCounts
        self._counts = class_counts(num_classes, (None,), use_sample_weight, asked)
        if task == "multilabel":
            self._counts = LabelCounts(num_classes, Cut(threshold), ignore_index, use_sample_weight)
        self.statistic = self._counts
        if task == "multiclass" and num_classes > 2:
            self.no_bounds = "for more than two classes, the extremes are not known"

    @vectorised
    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `mcc`."""
        # Python numbers, since products of counts may overflow int64.
        if isinstance(self._counts, LabelCounts):
            (tn, fp), (fn, tp) = self._counts.exact_matrix(results).sum(axis=0).tolist()
            right, predicted, support = [tn, tp], [tn + fn, fp + tp], [tn + fp, fn + tp]
        else:
            right, predicted, support = exact_lists(self._counts, results)
        columns = ((predicted, support), (predicted, predicted), (support, support))
        products = [exact_dot_of_counts(*pair) for pair in columns]
        return {"mcc": entrywise(_coefficient, sum(right), sum(support), *products)}


def _coefficient(right: Any, total: Any, together: Any, predicted: Any, support: Any) -> float:
    """Return the coefficient from counts of positions and from sums of products over classes.

    The result is nan for sums that no table has, which may occur when an interval is computed.
    """
    spread = (total**2 - predicted) * (total**2 - support)
    if total == 0 or spread < 0:
        return math.nan
    return correlation(right * total - together, spread) if spread else 0.0
