"""Accuracy: the share of samples whose label is among the k best-scored classes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like import arrays, state
from mmeval_like.metric import BaseMetric
from mmeval_like.metrics._common import as_thresholds, check_scores, ratio, threshold_keys
from mmeval_like.results import Results
from mmeval_like.state import State

__all__ = ["Accuracy"]


class Accuracy(BaseMetric):
    """Top-k accuracy, for each k and each score threshold.

    A sample counts as correct for (k, thr) if its label is among the k classes of highest
    score and that class's score is strictly greater than thr. Of classes with equal scores the
    lowest index ranks first.

    Args:
        topk: k, or several.
        thrs: Threshold, or several; None: no threshold. The default 0.0 suits probabilities;
            for logits or log-probabilities pass None.
        **options: As for `BaseMetric`.

    Raises:
        ValueError: A k below 1, or no k.
        TypeError: A k or threshold of another type.

    Returns of `compute`: a float per (k, thr), in [0, 1]: `top{k}`; with several thresholds
    `top{k}_thr-{thr}` and `top{k}_no-thr`. For predicted class indices: `top1` only. Without
    samples: nan.

    Example:
        >>> metric = Accuracy(topk=(1, 2))
        >>> metric.add([[0.7, 0.2, 0.1], [0.5, 0.4, 0.1]], [0, 1])
        >>> metric.compute()
        {'top1': 0.5, 'top2': 1.0}
    """

    every_rank_computes = True

    def __init__(
        self,
        topk: int | Sequence[int] = (1,),
        thrs: float | Sequence[float | None] | None = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.topk = (topk,) if isinstance(topk, int) else tuple(topk)
        self.thrs = as_thresholds(thrs)
        if not self.topk or any(k < 1 for k in self.topk):
            raise ValueError(f"topk must be positive, got {topk}")
        self._warn_negative = 0.0 in self.thrs

    def states(self) -> dict[str, State]:
        """Return the hits for every (thr, k), and how many samples were class indices."""
        shape = (len(self.thrs), len(self.topk))
        return {"correct": state.sum(int, shape), "indices": state.sum(int)}

    def rows(self, predictions: Any, labels: Any) -> dict[str, np.ndarray]:
        """Return one row per sample.

        Args:
            predictions: Scores (N, C) of any real dtype, or predicted class indices (N,).
            labels: Class indices (N,), integers in [0, C).

        Raises:
            TypeError: Class indices that are not whole numbers.
            ValueError: Different lengths, labels out of range, nan scores, k > C.
        """
        scores = arrays.as_numbers(predictions, "predictions")
        labels = arrays.as_integers(labels, "labels")
        if labels.ndim != 1:
            raise ValueError(f"labels must have shape (N,), got {labels.shape}")
        if scores.ndim == 1:
            arrays.check_same_length("predictions", scores, "labels", labels)
            classes = arrays.as_integers(scores, "predictions")
            return {"correct": self._spread(classes, labels), "indices": arrays.ones(len(labels))}
        check_scores(scores, labels)
        if max(self.topk) > scores.shape[1]:
            raise ValueError(f"topk must be at most the {scores.shape[1]} classes, got {self.topk}")
        if self._warn_negative and scores.size and scores.min() < 0:
            self._warn_negative = False
            warnings.warn(
                "negative scores are never above the threshold 0.0 and count as wrong; for "
                "logits or log-probabilities pass Accuracy(thrs=None)",
                stacklevel=4,
            )
        return {"correct": self._hits(scores, labels), "indices": np.zeros(len(labels), np.int8)}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the share of hits for every (k, thr)."""
        if results.indices not in (0, len(results)):
            raise ValueError(
                f"predictions must be class indices for all samples or scores for all, got "
                f"indices for {results.indices} of {len(results)} samples"
            )
        if results.indices:
            return {"top1": ratio(int(results.correct[0, 0]), len(results))}
        return {
            f"top{k}{suffix}": ratio(int(results.correct[i, j]), len(results))
            for j, k in enumerate(self.topk)
            for i, suffix in enumerate(threshold_keys(self.thrs))
        }

    def _spread(self, classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        hits = np.equal(classes[:, None, None], labels[:, None, None])
        if len(self.thrs) * len(self.topk) == 1:
            return hits
        correct = np.zeros((len(labels), len(self.thrs), len(self.topk)), np.bool_)
        correct[:, :1, :1] = hits
        return correct

    def _hits(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        own = scores[np.arange(len(labels)), labels]
        if self.topk == (1,):
            ranked = (scores.argmax(axis=1) == labels)[:, None]  # the first of equal scores
        else:
            higher = np.count_nonzero(scores > own[:, None], axis=1)
            before = np.arange(scores.shape[1]) < labels[:, None]
            higher += np.count_nonzero((scores == own[:, None]) & before, axis=1)
            ranked = higher[:, None] < np.array(self.topk)
        above = np.stack([own > thr if thr is not None else own == own for thr in self.thrs], 1)
        return np.logical_and(above[:, :, None], ranked[:, None, :])
