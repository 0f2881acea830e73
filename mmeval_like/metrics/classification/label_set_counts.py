"""Counts and shares for samples with sets of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from mmeval_like.metrics._common.option_checks import check_ignore_index
from mmeval_like.metrics.classification.confusion_counts import WAYS, jackknife_of_sets
from mmeval_like.metrics.classification.label_sets import as_label_sets, as_rows, check_one_format
from mmeval_like.metrics.classification.weighted_counts import allowed_weights
from mmeval_like.writing import Results, State, Statistic, arrays, ratio, state
from mmeval_like.writing.intervals import Jackknife

__all__ = ["LabelSetCounts", "SampleShares"]

# The inputs that may be class names, and the method that converts their indices to rows.
_ONEHOT = MappingProxyType({"predictions": "onehot", "labels": "onehot"})


@dataclass(frozen=True)
class LabelSetCounts(Statistic):
    """True positives, predictions and labels of each class, for sets of labels.

    Attributes:
        num_classes: The number of classes C.
        thr: A class is predicted if its score is at least this; None: the top `topk` classes are
            predicted.
        topk: How many classes are predicted; on ties the lowest index comes first.
        pred_is_onehot: Predictions are scores or one-hot rows (True) or index lists (False); None:
            `rows` decides.
        label_is_onehot: The same for labels.
        use_sample_weight: Whether to sum weights instead of counting.
        ignore_index: Entries of one-hot labels that do not count.
    """

    class_inputs: ClassVar[Mapping[str, str]] = _ONEHOT

    num_classes: int
    thr: float | None = 0.5
    topk: int | None = None
    pred_is_onehot: bool | None = None
    label_is_onehot: bool | None = None
    use_sample_weight: bool = False
    ignore_index: int | None = None

    def __post_init__(self) -> None:
        check_ignore_index(self.ignore_index)

    def states(self) -> dict[str, State]:
        """Return `counts` (true positives, predictions and labels), and the `onehot` formats."""
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
            sample_weight: The weight of each sample, numbers of at least 0 (N,); None: all are 1.

        Raises:
            TypeError: A class index is not a whole number.
            ValueError: Lengths or shapes differ, a class index is out of range, or a value is nan.
        """
        counts, onehot, _ = self.sets(predictions, labels)
        weights = allowed_weights(sample_weight, len(counts), self.use_sample_weight)
        return {
            "counts": counts if weights is None else counts * weights[:, None, None],
            "onehot": onehot,
        }

    def sets(self, predictions: Any, labels: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return hits, predictions and labels of each sample as rows (N, 3, C) of bools.

        Returns:
            These rows; the formats of predictions and labels (N, 2); and which samples have an
            entry that counts (N,).
        """
        label_is_onehot, valid = self.label_is_onehot, None
        if self.ignore_index is not None:
            labels = arrays.as_integers(labels, "labels")
            valid, label_is_onehot = labels != self.ignore_index, True
            labels = np.where(valid, labels, 0)
        actual, label_is_onehot = as_label_sets(labels, "labels", self.num_classes, label_is_onehot)
        predicted, pred_is_onehot = self._predicted(predictions)
        arrays.check_same_length("predictions", predicted, "labels", actual)
        counted = np.ones(len(actual), np.bool_)
        if valid is not None and len(valid):  # an empty list has no width
            predicted, counted = predicted & valid, valid.any(axis=1)
        sets = np.stack([actual & predicted, predicted, actual], axis=1)
        return sets, np.tile([pred_is_onehot, label_is_onehot], (len(actual), 1)), counted

    def onehot(self, name: str, indices: Any) -> Any:
        """Return lists of class indices as one-hot rows, which are unambiguous."""
        given = self.pred_is_onehot if name == "predictions" else self.label_is_onehot
        if not isinstance(indices, list) or given is False:
            return indices
        rows = np.zeros((len(indices), self.num_classes), np.int64)
        for row, chosen in zip(rows, indices, strict=True):
            arrays.check_range(name, chosen, self.num_classes)
            row[chosen] = 1
        return rows

    def _predicted(self, predictions: Any) -> tuple[np.ndarray, bool]:
        rows = as_rows(predictions, "predictions")
        if isinstance(rows, np.ndarray) and rows.shape[1:] == (self.num_classes,):
            scores = rows.dtype.kind == "f" if self.pred_is_onehot is None else self.pred_is_onehot
            if scores:
                arrays.check_finite("predictions", rows, allow_infinite=True)
                return self._chosen(rows), True
            self._refuse_other_meaning(rows)
        return as_label_sets(rows, "predictions", self.num_classes, self.pred_is_onehot)

    def _refuse_other_meaning(self, rows: np.ndarray) -> None:
        """Raise ValueError if one-hot rows, read as floats beside a score, are other classes."""
        as_scores = self.thr is not None and 0 < self.thr <= 1
        unclear = self.pred_is_onehot is None and not as_scores
        if unclear and rows.size and ((rows == 0) | (rows == 1)).all(axis=1).any():
            raise ValueError(
                "predictions of 0 and 1 are one-hot rows as integers, but scores as floats: say "
                "which by pred_is_onehot=True (scores) or False (lists of class indices)"
            )

    def _chosen(self, scores: np.ndarray) -> np.ndarray:
        if self.thr is not None:
            return np.asarray(scores >= self.thr)  # a Python float adopts the dtype
        arrays.check_exact("predictions", scores)
        wide = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
        best = np.argsort(-wide, axis=1, kind="stable")[:, : self.topk]
        chosen = np.zeros(scores.shape, np.bool_)
        np.put_along_axis(chosen, best, True, axis=1)
        return chosen

    @property
    def jackknife(self) -> Jackknife:
        """The jackknife, in which one more sample of a class counts in one of four ways.

        Classes with few labels are named.
        """
        support = None if self.use_sample_weight else self._support
        return jackknife_of_sets(support, self._plus_one)

    def _support(self, results: Results) -> Sequence[float]:
        labels: list[float] = self.table(results)[2].tolist()
        return labels

    def _plus_one(self, results: Results) -> Sequence[Results]:
        ways = () if self.use_sample_weight else WAYS
        more = [results.counts + np.array([way]).T for way in ways]
        return [Results({"counts": one, "onehot": results.onehot}, len(results)) for one in more]

    def table(self, results: Results) -> np.ndarray:
        """Return (3, C), int64 or float64: true positives, predictions and labels.

        Raises:
            ValueError: As for `check_formats`.
        """
        self.check_formats(results)
        return np.asarray(results.counts)

    @staticmethod
    def check_formats(results: Results) -> None:
        """Raise ValueError if some batches were one-hot and others lists of class indices."""
        for name, onehot in zip(("predictions", "labels"), results.onehot.tolist(), strict=True):
            check_one_format(name, onehot, len(results))


@dataclass(frozen=True)
class SampleShares(Statistic):
    """Precision, recall and F1 of the label sets of each sample, summed over samples.

    Attributes:
        counts: How samples are read.
        zero_division: The value of a share whose denominator is 0; nan leaves the sample out.
    """

    class_inputs: ClassVar[Mapping[str, str]] = _ONEHOT

    counts: LabelSetCounts
    zero_division: float = 0.0

    def states(self) -> dict[str, State]:
        """Return the sums of shares and of their weights, (3,), and the `onehot` formats."""
        sums = {"share": state.sum(float, (3,)), "weight": state.sum(float, (3,))}
        return sums | {"onehot": state.sum(int, (2,))}

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return the shares of every sample; arguments are those of `LabelSetCounts`."""
        sets, onehot, counted = self.counts.sets(predictions, labels)
        tp, predicted, actual = sets.sum(axis=2, dtype=np.int64).T
        weights = allowed_weights(sample_weight, len(tp), self.counts.use_sample_weight)
        wide = np.ones((len(tp), 3)) if weights is None else np.repeat(weights[:, None], 3, axis=1)
        parts = (tp, predicted), (tp, actual), (2 * tp, predicted + actual)
        shares = np.full((len(tp), 3), self.zero_division)
        for column, (numerator, denominator) in enumerate(parts):
            some = denominator > 0
            shares[some, column] = numerator[some] / denominator[some]
        wide[np.isnan(shares) | ~counted[:, None]] = 0.0
        return {
            "share": np.where(wide > 0, shares * wide, 0.0),
            "weight": wide,
            "onehot": onehot,
        }

    def onehot(self, name: str, indices: Any) -> Any:
        """Return lists of class indices as one-hot rows, as `LabelSetCounts` does."""
        return self.counts.onehot(name, indices)

    def values(self, results: Results) -> dict[str, float]:
        """Return the mean of each share; where no sample counts, it is `zero_division`."""
        self.counts.check_formats(results)
        empty = self.zero_division if len(results) else 0.0
        pairs = zip(results.share.tolist(), results.weight.tolist(), strict=True)
        means = [ratio(share, weight, empty=empty) for share, weight in pairs]
        return dict(zip(("precision", "recall", "f1-score"), means, strict=True))
