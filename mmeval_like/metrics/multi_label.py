"""Precision, recall and F1 for samples that have any number of labels."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like.metric import BaseMetric, Statistic
from mmeval_like.metrics._common import as_thresholds
from mmeval_like.metrics._label_sets import as_label_sets, as_rows, check_one_format
from mmeval_like.metrics._weighted_counts import allowed_weights
from mmeval_like.metrics.single_label import AVERAGES, ClassShares, check_items
from mmeval_like.results import Results
from mmeval_like.state import State

__all__ = ["LabelSetCounts", "MultiLabelPrecisionRecallF1score"]


@dataclass(frozen=True)
class LabelSetCounts(Statistic):
    """True positives, predictions and labels of each class, for sets of labels.

    Attributes:
        num_classes: The number of classes C.
        thr: A class is predicted if its score is at least this; None: the topk classes are.
        topk: How many classes are predicted, of equal scores the lowest index first.
        pred_is_onehot: Predictions are scores or one-hot rows (True), index lists (False), or
            what `rows` says (None).
        label_is_onehot: The same for labels.
        use_sample_weight: Sums of weights instead of counts.
    """

    num_classes: int
    thr: float | None = 0.5
    topk: int | None = None
    pred_is_onehot: bool | None = None
    label_is_onehot: bool | None = None
    use_sample_weight: bool = False

    def states(self) -> dict[str, State]:
        """Return `counts`: true positives, predictions and labels; and what came `onehot`."""
        dtype = float if self.use_sample_weight else int
        return {
            "counts": state.sum(dtype, (3, self.num_classes)),
            "onehot": state.sum(int, (2,)),
        }

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return one row of counts per sample.

        Args:
            predictions: Scores (N, C), floats; one-hot rows (N, C); or N lists of class
                indices. Integers of width C that hold only 0 and 1 are one-hot.
            labels: One-hot rows (N, C) or N lists of class indices.
            sample_weight: Non-negative numbers (N,); None: all 1.

        Raises:
            TypeError: Class indices that are not whole numbers.
            ValueError: Different lengths, other shapes, class indices out of range, nan.
        """
        actual, label_is_onehot = as_label_sets(
            labels, "labels", self.num_classes, self.label_is_onehot
        )
        predicted, pred_is_onehot = self._predicted(predictions)
        arrays.check_same_length("predictions", predicted, "labels", actual)
        weights = allowed_weights(sample_weight, len(actual), self.use_sample_weight)
        counts = np.stack([actual & predicted, predicted, actual], axis=1)
        return {
            "counts": counts if weights is None else counts * weights[:, None, None],
            "onehot": np.tile([pred_is_onehot, label_is_onehot], (len(actual), 1)),
        }

    def _predicted(self, predictions: Any) -> tuple[np.ndarray, bool]:
        rows = as_rows(predictions, "predictions")
        if isinstance(rows, np.ndarray) and rows.shape[1:] == (self.num_classes,):
            scores = rows.dtype.kind == "f" if self.pred_is_onehot is None else self.pred_is_onehot
            if scores:
                arrays.check_finite("predictions", rows, allow_infinite=True)
                return self._chosen(rows), True
        return as_label_sets(rows, "predictions", self.num_classes, self.pred_is_onehot)

    def _chosen(self, scores: np.ndarray) -> np.ndarray:
        if self.thr is not None:
            return np.asarray(scores >= self.thr)  # a Python float takes on the scores' dtype
        wide = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
        best = np.argsort(-wide, axis=1, kind="stable")[:, : self.topk]
        chosen = np.zeros(scores.shape, np.bool_)
        np.put_along_axis(chosen, best, True, axis=1)
        return chosen

    def table(self, results: Results) -> np.ndarray:
        """Return (3, C), int64 or float64: true positives, predictions and labels.

        Raises:
            ValueError: Some batches came one-hot and others as lists of class indices.
        """
        for name, onehot in zip(("predictions", "labels"), results.onehot.tolist(), strict=True):
            check_one_format(name, onehot, len(results))
        return np.asarray(results.counts)


class MultiLabelPrecisionRecallF1score(BaseMetric):
    """Precision, recall, F1 and support of sets of labels, in percent.

    Per class: precision = TP / predicted, recall = TP / support, F1 = 2 TP / (predicted +
    support), each 0 where the denominator is 0; times 100, rounded to 4 decimals at the end.

    Args:
        num_classes: The number of classes C.
        thr: A class is predicted if its score is at least this. Default: 0.5, with a warning
            when `topk` is not given either.
        topk: Predict the classes of the k highest scores, of equal scores the lowest index
            first. Not used when `thr` is given.
        items: Which of "precision", "recall", "f1-score", "support".
        average: "macro" (the mean over all C classes), "micro" (from the summed counts),
            "weighted" (the mean weighted by support) or None (a list per class).
        pred_is_onehot: Whether predictions are scores or one-hot rows (True) or lists of class
            indices (False). None: arrays of floats of width C are scores, integers of width C
            that hold only 0 and 1 are one-hot, all others are lists. From three classes on
            nothing fits two of these.
        label_is_onehot: The same for labels.
        use_sample_weight: `add` takes `sample_weight`; sums are then exact sums of floats.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: num_classes below 1, topk out of [1, num_classes], an unknown item or average.

    Returns of `compute`: a value per item: the item's name, then `_thr-{thr}` unless that is
    0.5, or `_top{k}`; then `_micro`, `_weighted` or `_classwise`. Without samples: 0.0.

    Example:
        >>> metric = MultiLabelPrecisionRecallF1score(3, thr=0.5)
        >>> metric.add([[0.9, 0.2, 0.6], [0.1, 0.8, 0.4]], [[0, 2], [0, 1]])
        >>> metric.compute()
        {'precision': 100.0, 'recall': 83.3333, 'f1-score': 88.8889}
    """

    every_rank_computes = True

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
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if num_classes < 1:
            raise ValueError(f"num_classes must be positive, got {num_classes}")
        if topk is not None and not 1 <= topk <= num_classes:
            raise ValueError(f"topk must be in [1, num_classes={num_classes}], got {topk}")
        if thr is None and topk is None:
            warnings.warn("neither thr nor topk is given: thr=0.5 is used", stacklevel=2)
            thr = 0.5
        elif thr is not None and topk is not None:
            warnings.warn("both thr and topk are given: topk is not used", stacklevel=2)
            topk = None
        self.items = check_items(items, average)
        self.average = average
        (self.thr,), self.topk = as_thresholds(thr, "thr"), topk
        self._set_statistic(
            LabelSetCounts(
                num_classes, self.thr, topk, pred_is_onehot, label_is_onehot, use_sample_weight
            )
        )

    def _set_statistic(self, counts: LabelSetCounts) -> None:
        self._counts = counts
        self.statistic = counts

    @property
    def pred_is_onehot(self) -> bool | None:
        """Whether predictions are scores or one-hot rows; None: what `add` gets decides."""
        return self._counts.pred_is_onehot

    @pred_is_onehot.setter
    def pred_is_onehot(self, value: bool | None) -> None:
        self._set_statistic(replace(self._counts, pred_is_onehot=value))

    @property
    def label_is_onehot(self) -> bool | None:
        """Whether labels are one-hot rows; None: what `add` gets decides."""
        return self._counts.label_is_onehot

    @label_is_onehot.setter
    def label_is_onehot(self, value: bool | None) -> None:
        self._set_statistic(replace(self._counts, label_is_onehot=value))

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the items."""
        shares = ClassShares(*self._counts.table(results).tolist())
        suffix = ""
        if self.topk is not None:
            suffix = f"_top{self.topk}"
        elif self.thr != 0.5:
            suffix = f"_thr-{self.thr:.2f}"
        suffix += AVERAGES[self.average]
        return {f"{item}{suffix}": shares.value(item, self.average) for item in self.items}
