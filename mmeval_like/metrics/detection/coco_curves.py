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
    thresholds = matched.settings // ranges
    precision = np.empty((ranges, thresholds, classes, len(RECALLS)))
    recall = np.empty((ranges, thresholds, classes, len(max_dets)))
    rows = bits.any_of(matched.hits)  # a curve only rises there
    hits, turns = matched.hits[:, rows], matched.turns[rows]
    labels = np.searchsorted(matched.starts, rows, "right") - 1
    begins_of_class = matched.starts[labels]
    places = rows + 1 - begins_of_class  # in their class, from 1
    for size in range(ranges):
        truths = matched.truths[:, size]
        needed = _hits_needed(truths)
        settings = range(size * thresholds, (size + 1) * thresholds)
        ignored = _Ignored(matched.ignored, settings, begins_of_class, rows + 1)
        for thr, setting in enumerate(settings):
            which = bits.column(hits, setting).nonzero()[0]
            owners = labels[which]
            found = np.bincount(owners, minlength=classes)
            begins = found.cumsum() - found
            so_far = np.arange(len(which)) - begins[owners] + 1
            precisions = so_far / (places[which] - ignored.count(setting, which))
            precision[size, thr] = _at_recalls(precisions, begins, found, needed)
            for place, number in enumerate(max_dets):
                kept = np.bincount(owners[turns[which] < number], minlength=classes)
                recall[size, thr, :, place] = kept / np.maximum(truths, 1)
        precision[size][:, truths == 0] = recall[size][:, truths == 0] = -1
    return Curves(precision.transpose(1, 3, 2, 0), recall.transpose(1, 2, 0, 3))


class _Ignored:
    """How many of some slices of detections are ignored, in the settings of one range of sizes.

    Whether a detection is ignored depends on its own size, hence not on the threshold, unless it
    overlaps with a ground truth. Those are few: they are counted for every threshold, all others
    once.

    Args:
        ignored: Of all detections, planes.
        settings: Those of the range.
        begins: Of the slices.
        ends: The same.
    """

    def __init__(
        self, ignored: np.ndarray, settings: range, begins: np.ndarray, ends: np.ndarray
    ) -> None:
        alike = bits.column(ignored, settings[-1])
        mask = np.zeros((1, 8 * len(ignored)), np.bool_)
        mask[:, settings.start : settings.stop] = True
        everywhere = 0 - alike.view(np.uint8)  # all bits set, or none
        uneven = bits.any_of((ignored ^ everywhere) & bits.to_planes(bits.pack_bytes(mask)))
        self._most = _between(alike, begins, ends)
        self._alike, self._uneven = alike[uneven].astype(np.int8), ignored[:, uneven]
        self._begins, self._ends = np.searchsorted(uneven, [begins, ends])

    def count(self, setting: int, which: np.ndarray) -> np.ndarray:
        """Return the numbers in one setting, for some of the slices."""
        more = bits.column(self._uneven, setting).astype(np.int8) - self._alike
        numbers = _between(more, self._begins[which], self._ends[which])
        numbers += self._most[which]
        return numbers


def _between(values: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the sums of some slices, int64."""
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    difference: np.ndarray = sums[ends] - sums[begins]
    return difference


def _at_recalls(
    precisions: np.ndarray, begins: np.ndarray, found: np.ndarray, needed: np.ndarray
) -> np.ndarray:
    """Return the highest precision at each of `RECALLS` or beyond, (classes, 101).

    Args:
        precisions: At every hit, class after class.
        begins: Where each class begins.
        found: How many hits each class has.
        needed: With how many hits a class reaches each recall, (classes, 101), from 1 on.
    """
    best = np.zeros(needed.shape)
    reached = needed <= found[:, None]
    places = (begins[:, None] + needed - 1)[reached]
    if len(places):  # the best from each place to the next, which is in this class or begins one
        best[reached] = np.maximum.reduceat(precisions, places)
    return np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]


def _hits_needed(truths: np.ndarray) -> np.ndarray:
    """Return how many hits reach each of `RECALLS`, (classes, 101), at least 1."""
    distinct, which = np.unique(truths, return_inverse=True)
    recalls = [np.arange(1, count + 1) / max(count, 1) for count in distinct.tolist()]
    return np.stack([np.searchsorted(recall, RECALLS) + 1 for recall in recalls])[which]
