"""Precision and recall at every score, and the average precision under them.

Detections of equal score are accepted or rejected together: they are one point of the curve. The
result is therefore independent of the order of the detections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmeval_like.metrics.detection import bits
from mmeval_like.metrics.detection.table import Matched

__all__ = ["ClassCurve", "average_precisions", "class_curves"]


@dataclass(frozen=True)
class ClassCurve:
    """The counts of one class down to every score.

    Attributes:
        hits: int64 (points, settings): the hits with at least this score.
        counted: int64 (points, settings): hits and false positives with at least this score.
        truths: int64 (settings,): the ground truths.
        detections: The number of detections, ignored ones included.
    """

    hits: np.ndarray
    counted: np.ndarray
    truths: np.ndarray
    detections: int

    @property
    def recalls(self) -> np.ndarray:
        """Hits / ground truths, float64 (settings, points); 0 without ground truths."""
        recalls: np.ndarray = (self.hits / np.maximum(self.truths, 1)).T
        return recalls

    @property
    def precisions(self) -> np.ndarray:
        """Hits / detections that count, float64 (settings, points); 0 without any."""
        precisions: np.ndarray = (self.hits / np.maximum(self.counted, 1)).T
        return precisions


def class_curves(matched: Matched) -> list[ClassCurve]:
    """Return the curve of every class."""
    classes, ranges = matched.truths.shape
    thresholds = matched.settings // ranges
    curves = []
    for label in range(classes):
        rows = slice(matched.starts[label], matched.starts[label + 1])
        scores = matched.scores[rows]
        hits = bits.unpack_bytes(matched.hits[:, rows].T, matched.settings)
        counted = bits.unpack_bytes(matched.ignored[:, rows].T, matched.settings) ^ 1
        lasts = np.flatnonzero(np.diff(scores, append=np.inf))  # ends of runs of equal scores
        curves.append(
            ClassCurve(
                hits.cumsum(axis=0, dtype=np.int64)[lasts],
                counted.cumsum(axis=0, dtype=np.int64)[lasts],
                np.repeat(matched.truths[label], thresholds),
                len(scores),
            )
        )
    return curves


def average_precisions(curve: ClassCurve, eval_mode: str) -> np.ndarray:
    """Return the average precision in every setting, float64 (settings,); nan without truths.

    Args:
        curve: The curve of one class.
        eval_mode: "area": the area under the curve, at every recall the highest precision
            reached at that recall or beyond; "11points": the mean of these precisions at the
            recalls 0, 0.1, ..., 1.

    Example:
        >>> hits, counted = np.array([[1], [2]]), np.array([[1], [4]])
        >>> curve = ClassCurve(hits, counted, np.array([2]), 4)
        >>> average_precisions(curve, "area").tolist()
        [0.75]
    """
    best = np.maximum.accumulate(curve.precisions[:, ::-1], axis=1)[:, ::-1]
    hits = curve.hits.T
    if eval_mode == "area":
        gained = np.diff(hits, prepend=0, axis=1)
        found = (gained * best).sum(axis=1) / np.maximum(curve.truths, 1)
    else:
        found = np.zeros(len(curve.truths))
        for tenth in range(11):
            reached = 10 * hits >= tenth * curve.truths[:, None]
            found += np.where(reached, best, 0.0).max(axis=1, initial=0.0)
        found /= 11
    return np.where(curve.truths > 0, found, np.nan)
