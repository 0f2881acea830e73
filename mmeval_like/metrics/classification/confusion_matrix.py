"""ConfusionMatrix: how often each class was predicted for each label."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import Cut, check_count, known_num_classes
from mmeval_like.metrics._common.pair_metrics import WeightedPairMetric
from mmeval_like.metrics.classification.class_inputs import ClassOptions
from mmeval_like.metrics.classification.confusion_counts import ConfusionCounts
from mmeval_like.metrics.classification.label_counts import LabelCounts
from mmeval_like.writing import MetricOptions, Results, Unpack

__all__ = ["ConfusionMatrix"]

_NORMALIZE = (None, "true", "pred", "all")


class ConfusionMatrix(WeightedPairMetric):
    """The number of samples for each label (rows) and each predicted class (columns).

    Formula:
        C_(i j) = sum w [y = i] [p = j]

    Args:
        num_classes: The number of classes C. None: 2 for a binary task, otherwise as many as
            `classes` names.
        normalize: None: the cells are counts. "true": they are shares of each label's samples, so
            that rows add up to 1. "pred": they are shares of each predicted class's samples, so
            that columns add up to 1. "all": they are shares of all samples. In a row or column
            without samples the shares are 0.
        use_sample_weight: Whether `add` takes `sample_weight`. Each cell is then an exact sum of
            floats, which takes 560 bytes of memory.
        task: "binary", "multiclass" or "multilabel", with the inputs of `Precision`.
        threshold: For binary and multilabel tasks: a class is predicted if its score is at least
            this. None: 0.5, and scores must be probabilities: one outside [0, 1] is an error. For
            logits pass 0.
        ignore_index: Positions (multilabel: entries) with this label do not count.
        **options: As for `BaseMetric`.

    Returns of `compute`: `confusion_matrix`, an array (C, C), or for multilabel tasks (C, 2, 2)
    with [[TN, FP], [FN, TP]] for each class. Counts are int64; shares and sums of weights are
    float64. Without samples all cells are 0.

    Raises:
        ValueError: `num_classes` is missing or below 1, or `normalize` or the task is unknown.

    Example:
        >>> metric = ConfusionMatrix(num_classes=2)
        >>> metric.add(predictions=[0, 1, 1], labels=[0, 0, 1])
        >>> metric.compute()["confusion_matrix"]
        array([[1, 1],
               [0, 1]])
    """

    _takes_inputs = ConfusionCounts.rows

    every_rank_computes = True
    no_bounds = "its value is a matrix"

    def __init__(
        self,
        num_classes: int | None = None,
        normalize: str | None = None,
        use_sample_weight: bool = False,
        task: str = "multiclass",
        threshold: float | None = None,
        ignore_index: int | None = None,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        self._threshold = Cut(threshold).least  # part of saved files and records
        num_classes = known_num_classes(num_classes, self.dataset_meta, task)
        check_count("num_classes", num_classes)
        if normalize not in _NORMALIZE:
            raise ValueError(f"normalize must be one of {_NORMALIZE}, got {normalize!r}")
        if task not in ("binary", "multiclass", "multilabel"):
            raise ValueError(f'task must be "binary", "multiclass" or "multilabel", got {task!r}')
        self.normalize = normalize
        self._counts: ConfusionCounts | LabelCounts
        if task == "multilabel":
            self._counts = LabelCounts(num_classes, Cut(threshold), ignore_index, use_sample_weight)
        else:
            asked = ClassOptions(ignore_index, cut=Cut(threshold) if task == "binary" else None)
            self._counts = ConfusionCounts(num_classes, use_sample_weight, asked)
        self.statistic = self._counts

    def compute_metric(self, results: Results) -> dict[str, np.ndarray]:
        """Return `confusion_matrix`."""
        matrix = self._counts.matrix(results)
        if self.normalize is None:
            return {"confusion_matrix": matrix.copy()}
        # Sums of weights are rounded once.
        exact = self._counts.exact_matrix(results) if matrix.dtype.kind == "f" else matrix
        axes: Any = {"true": -1, "pred": -2, "all": (-2, -1)}[self.normalize]
        total = exact.sum(axis=axes, keepdims=True).astype(np.float64)
        shares = np.zeros(matrix.shape)
        np.divide(matrix, total, out=shares, where=np.broadcast_to(total > 0, matrix.shape))
        return {"confusion_matrix": shares}
