"""Accuracy: the share of samples whose label is among the k best-scored classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like._accumulate.results import Results
from mmeval_like._inference.ranges import SHARE
from mmeval_like.errors import warn
from mmeval_like.metric import BaseMetric, Statistic
from mmeval_like.metrics._shared.averages import check_average, class_average
from mmeval_like.metrics._shared.class_metrics import check_zero_division
from mmeval_like.metrics._shared.common import as_thresholds, check_scores, ratio, threshold_keys
from mmeval_like.metrics.statistics.class_counts import ConfusionCounts
from mmeval_like.metrics.statistics.class_inputs import flatten
from mmeval_like.metrics.statistics.weighted_counts import (
    allowed_weights,
    code_rows,
    counter,
)
from mmeval_like.options import MetricOptions, Unpack
from mmeval_like.state import State

__all__ = ["Accuracy"]

_NEGATIVE = "must not be negative, give num_classes= and ignore_index= for labels that do not count"


class Accuracy(BaseMetric):
    """Top-k accuracy, for each k and each score threshold.

    A sample counts as correct for (k, thr) if its label is among the k classes of highest
    score and that class's score is strictly greater than thr. Of classes with equal scores the
    lowest index ranks first.

    Args:
        topk: k, or several.
        thrs: Threshold, or several; None: no threshold. The default 0.0 suits probabilities;
            for logits or log-probabilities pass None. For class indices there is no threshold;
            with None the metric then needs no counts of its own in a `MetricCollection` that
            counts a confusion matrix.
        use_sample_weight: `add` takes `sample_weight`; sums are then exact sums of floats.
        num_classes: The number of classes C. It is needed for all that follows, and for samples
            of many positions: labels (N, ...), predictions (N, ...) or (N, C, ...), or lists of
            arrays. Each position then counts once.
        average: "micro": the share of all samples. "macro": the mean over all C classes of the
            share of their labels that are hit. "weighted": their mean weighted by the classes'
            labels. None: a list per class.
        ignore_index: Positions with this label do not count. A class index in [0, C) also
            leaves every average, and is nan in lists.
        zero_division: The value of a class without labels; nan leaves it out of means.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: A k below 1, or no k; an unknown average; `num_classes` missing or below 1.
        TypeError: A k or threshold of another type.

    Returns of `compute`: a float per (k, thr), in [0, 1]: `top{k}`; with several thresholds
    `top{k}_thr-{thr}` and `top{k}_no-thr`; with `_classwise` behind it for lists. For predicted
    class indices: `top1` only. Without samples: nan.

    Example:
        >>> metric = Accuracy(topk=(1, 2))
        >>> metric.add([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1]], [0, 1])
        >>> metric.compute()
        {'top1': 0.5, 'top2': 1.0}
    """

    every_rank_computes = True
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        topk: int | Sequence[int] = (1,),
        thrs: float | Sequence[float | None] | None = 0.0,
        use_sample_weight: bool = False,
        num_classes: int | None = None,
        average: str | None = "micro",
        ignore_index: int | None = None,
        zero_division: float = 0.0,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        if num_classes is None and (average != "micro" or ignore_index is not None):
            raise ValueError(
                "num_classes must be given for ignore_index= and for other averages than micro"
            )
        if num_classes is not None and num_classes < 1:
            raise ValueError(f"num_classes must be positive, got {num_classes}")
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
        self.use_sample_weight = use_sample_weight
        self._single = len(self.topk) * len(self.thrs) == 1
        # Class indices and scores give different keys unless only top1 is asked for: then
        # which of them came is counted, so that a mixture is found.
        self._count_indices = not self._single or self.topk != (1,)
        self._keys = [
            (f"top{k}{suffix}", i, j)
            for j, k in enumerate(self.topk)
            for i, suffix in enumerate(threshold_keys(self.thrs))
        ]
        self._warn_negative = 0.0 in self.thrs
        self._first = np.zeros(self._shape, np.bool_)  # where hits of class indices are counted
        self._first[0, 0] = True

    def states(self) -> dict[str, State]:
        """Return the hits for every (thr, k), `indices` and `weight` where they are needed."""
        if self.num_classes is not None:
            hits = self.num_classes * self._cells + 1  # one more for what is no hit
            return {
                "hits": counter(hits, self._cells, self.use_sample_weight),
                "support": counter(self.num_classes + 1, 1, self.use_sample_weight),
                "indices": state.sum(int),
            }
        dtype = float if self.use_sample_weight else bool
        states = {"correct": state.sum(dtype, () if self._single else self._shape)}
        if self._count_indices:
            states["indices"] = state.sum(bool)
        return states | ({"weight": state.sum()} if self.use_sample_weight else {})

    def derive(self, other: Statistic) -> Callable[[Results], Results] | None:
        """Follow from a confusion matrix, when neither thresholds nor weights ask for more."""
        if self.num_classes is not None:
            return None
        counts_hits = self.topk == (1,) and self.thrs == (None,) and not self.use_sample_weight
        if not counts_hits or not isinstance(other, ConfusionCounts) or other.use_sample_weight:
            return None
        return partial(_hits_of, other)

    @property
    def on_accelerator(self) -> bool:
        """Whether tensors stay on a GPU: the counts of each class are taken on the host."""
        return self.num_classes is None

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.thrs), len(self.topk)

    @property
    def _cells(self) -> int:
        return len(self.thrs) * len(self.topk)

    def rows(
        self, predictions: Any, labels: Any, sample_weight: Any = None
    ) -> dict[str, np.ndarray]:
        """Return one row per sample.

        Args:
            predictions: Scores (N, C) of any real dtype, or predicted class indices (N,).
            labels: Class indices (N,), integers in [0, C).
            sample_weight: Non-negative numbers (N,); None: all 1.

        Raises:
            TypeError: Class indices that are not whole numbers.
            ValueError: Different lengths, classes out of range, nan scores, k > C, or weights
                without `use_sample_weight`.
        """
        if self.num_classes is not None:
            return self._class_rows(predictions, labels, sample_weight)
        scores = arrays.as_numbers(predictions, "predictions")
        labels = arrays.as_integers(labels, "labels")
        correct = self._equal(scores, labels) if scores.ndim == 1 else self._ranked(scores, labels)
        rows = {"correct": correct}
        if self._count_indices:
            rows["indices"] = np.full(len(labels), scores.ndim == 1)
        weights = allowed_weights(sample_weight, len(labels), self.use_sample_weight)
        if weights is not None:
            shape = (-1, *[1] * (correct.ndim - 1))
            rows |= {"correct": correct * weights.reshape(shape), "weight": weights}
        return rows

    def _class_rows(
        self, predictions: Any, labels: Any, sample_weight: Any
    ) -> dict[str, np.ndarray]:
        """Return for every position the codes of its class, where it is hit, and its label."""
        scores, truth, layout = flatten(predictions, labels)
        layout.check_weights(sample_weight)
        weights = allowed_weights(sample_weight, layout.count, self.use_sample_weight)
        counted = np.ones(truth.shape, np.bool_)
        if self.ignore_index is not None:
            counted = truth != self.ignore_index
        size, cells = self.num_classes or 0, self._cells
        if scores.ndim == 2 and scores.shape[1] != size:
            raise ValueError(
                f"predictions must have scores of {size} classes, got {scores.shape[1]}"
            )
        known = np.where(counted, truth, 0)
        arrays.check_range("labels", known, size)
        if scores.shape == known.shape:  # what is predicted at an ignored label may be anything
            scores = np.where(counted, scores, 0)
        hits = self._equal(scores, known) if scores.ndim == 1 else self._ranked(scores, known)
        hits = hits.reshape(len(known), cells) & counted[:, None]
        codes = np.where(hits, known[:, None] * cells + np.arange(cells), size * cells)
        support = np.where(counted, known, size)
        return {
            "hits": code_rows(layout.by_sample(codes), weights),
            "support": code_rows(layout.by_sample(support), weights),
            "indices": np.full(layout.count, scores.ndim == 1),
        }

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the share of hits for every (k, thr)."""
        if self.num_classes is not None:
            return self._averages(results)
        total = results.weight if self.use_sample_weight else len(results)
        correct = [[results.correct]] if self._single else results.correct.tolist()
        if self._count_indices and _all_indices(results):
            return {"top1": ratio(correct[0][0], total)}
        return {key: ratio(correct[i][j], total) for key, i, j in self._keys}

    def _averages(self, results: Results) -> dict[str, Any]:
        size, weighted = self.num_classes or 0, self.use_sample_weight
        hits, support = (
            np.asarray(results.exact(name) if weighted else getattr(results, name))
            for name in ("hits", "support")
        )
        labels = support[:size].tolist()
        ignored = [c for c in range(size) if c == self.ignore_index]
        keys = [("top1", 0, 0)] if _all_indices(results) else self._keys
        values: dict[str, Any] = {}
        for key, i, j in keys:
            name = key if self.average is not None else f"{key}_classwise"
            right = hits[i * len(self.topk) + j : size * self._cells : self._cells].tolist()
            zero = self.zero_division if sum(labels) else math.nan
            values[name] = class_average(right, labels, labels, self.average, zero, ignored)
        return values

    def _equal(self, classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        if labels.shape != classes.shape:
            arrays.check_same_length("predictions", classes, "labels", labels)
            raise ValueError(f"labels must have shape (N,), got {labels.shape}")
        if classes.dtype.kind == "f":
            classes = arrays.as_integers(classes, "predictions")
        for name, values in (("predictions", classes), ("labels", labels)):
            if self.num_classes is not None:
                arrays.check_range(name, values, self.num_classes)
            else:
                arrays.require(name, values, values >= 0, _NEGATIVE)
        hits: np.ndarray = classes == labels
        return hits if self._single else hits[:, None, None] & self._first

    def _ranked(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        check_scores(scores, labels)
        if max(self.topk) > scores.shape[1]:
            raise ValueError(f"topk must be at most the {scores.shape[1]} classes, got {self.topk}")
        host = type(scores) is np.ndarray  # nobody waits for an accelerator to warn
        if host and self._warn_negative and scores.size and scores.min() < 0:
            self._warn_negative = False
            warn(
                "negative scores are never above the threshold 0.0 and count as wrong; for "
                "logits or log-probabilities pass Accuracy(thrs=None)",
                UserWarning,
            )
        own = scores[np.arange(len(labels)), labels]
        if self.topk == (1,):
            hits = (scores.argmax(axis=1) == labels)[:, None]  # the first of equal scores
        else:
            hits = _rank(scores, labels, own)[:, None] < np.array(self.topk)
        # A Python float takes on the scores' dtype: the float32 nearest to 0.7 is not above 0.7.
        above = np.stack([own == own if thr is None else own > thr for thr in self.thrs], 1)
        correct: np.ndarray = above[:, :, None] & hits[:, None, :]
        return correct.reshape(len(labels)) if self._single else correct


def _all_indices(results: Results) -> bool:
    """Return whether predictions were class indices; ValueError unless it is all or none."""
    if results.indices not in (0, len(results)):
        raise ValueError(
            f"predictions must be class indices for all samples or scores for all, got "
            f"indices for {results.indices} of {len(results)} samples"
        )
    return bool(results.indices)


def _hits_of(counts: ConfusionCounts, results: Results) -> Results:
    [[right, *_]] = results.once("lists", counts.lists)
    return Results({"correct": sum(right)}, len(results))


def _rank(scores: np.ndarray, labels: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return how many classes rank before the label, whose score is `own`."""
    rank: np.ndarray = (scores > own[:, None]).sum(axis=1)
    equal = scores == own[:, None]
    ties = arrays.places(equal.sum(axis=1) > 1)
    if len(ties):
        before = np.arange(scores.shape[1]) < labels[ties, None]
        rank[ties] += (equal[ties] & before).sum(axis=1)
    return rank
