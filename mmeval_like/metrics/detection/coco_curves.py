"""COCO's precision at 101 recalls, and recall, from matched detections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mmeval_like.metrics.detection import bits
from mmeval_like.metrics.detection.table import Matched

__all__ = ["Curves", "curves_of"]

RECALLS = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True)
class Curves:
    """Precision and recall; -1 where there are no ground truths.

    Attributes:
        precision: float64 (thresholds, 101, classes, ranges), the highest precision at a recall
            of at least 0.00, 0.01, ..., 1.00, with the largest number of detections.
        recall: float64 (thresholds, classes, ranges, numbers of detections).
    """

    precision: np.ndarray
    recall: np.ndarray


def curves_of(matched: Matched, max_dets: Sequence[int]) -> Curves:
    """Return the curves of every class, threshold and area range.

    Args:
        matched: Detections by class and falling score.
        max_dets: How many detections of an image and class count for the recalls.
    """
    classes, ranges = matched.truths.shape
    settings, thresholds = matched.settings, matched.settings // ranges
    precision = np.full((classes, settings, len(RECALLS)), -1.0)
    recall = np.full((classes, settings, len(max_dets)), -1.0)
    hit = np.flatnonzero(matched.hits.any(axis=1))  # a curve only rises there
    bounds = np.searchsorted(hit, matched.starts)
    for label in np.flatnonzero(matched.truths.any(axis=1)).tolist():
        truths = np.repeat(matched.truths[label], thresholds)
        defined = truths > 0
        rows = hit[bounds[label] : bounds[label + 1]]
        hits = bits.unpack_bytes(matched.hits[rows], settings)
        recall[label, defined] = _recalls(hits, matched.turns[rows], max_dets, truths)[defined]
        if len(rows) == 0:
            precision[label, defined] = 0.0
            continue
        start = matched.starts[label]
        ignored = bits.unpack_bytes(matched.ignored[start : rows[-1] + 1], settings)
        counted = _count_up_to(ignored ^ 1, rows - start)
        best = _best_from_here(hits, counted)
        precision[label, defined] = _at_recalls(hits, best, truths)[defined]
    shape = (classes, ranges, thresholds, -1)
    return Curves(
        precision.reshape(shape).transpose(2, 3, 0, 1), recall.reshape(shape).transpose(2, 0, 1, 3)
    )


def _recalls(
    hits: np.ndarray, turns: np.ndarray, max_dets: Sequence[int], truths: np.ndarray
) -> np.ndarray:
    found = [hits[turns < number].sum(axis=0, dtype=np.int64) for number in max_dets]
    recalls: np.ndarray = np.stack(found, axis=1) / np.maximum(truths, 1)[:, None]
    return recalls


def _count_up_to(flags: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return how many flags are set up to and with each of some rows, by column."""
    begins = np.concatenate(([0], rows[:-1] + 1))
    return np.add.reduceat(flags, begins, axis=0, dtype=np.int32).cumsum(axis=0)


def _best_from_here(hits: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return the highest precision at this row or behind it, by column."""
    found = hits.cumsum(axis=0, dtype=np.int32)
    precision = found / np.maximum(counted, 1)
    return np.maximum.accumulate(precision[::-1], axis=0)[::-1]


def _at_recalls(hits: np.ndarray, best: np.ndarray, truths: np.ndarray) -> np.ndarray:
    """Return the best precision (settings, 101) where the recall reaches each of `RECALLS`."""
    # Column after column: the rows of its hits. The k-th hit lifts the recall to k / truths.
    columns, rows = np.nonzero(hits.T)
    found = hits.sum(axis=0, dtype=np.int64)
    begins = np.cumsum(found) - found
    distinct, which = np.unique(truths, return_inverse=True)
    needed = np.stack([_hits_needed(int(count)) for count in distinct])[which]
    reached = needed <= found[:, None]
    places = np.where(reached, begins[:, None] + needed - 1, 0)
    values = best[rows[places], columns[places]]
    return np.where(reached, values, 0.0)


def _hits_needed(truths: int) -> np.ndarray:
    """Return how many hits reach each of `RECALLS`, at least 1."""
    return np.searchsorted(np.arange(1, truths + 1) / max(truths, 1), RECALLS) + 1
