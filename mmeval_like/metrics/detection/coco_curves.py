"""COCO's precision at 101 or other recalls, and COCO's recall, from matched detections."""

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
        precision: float64 (thresholds, recalls, classes, ranges): the highest precision at a recall
            of at least 0.00, 0.01, ..., 1.00, with the largest of `max_dets`.
        recall: float64 (thresholds, classes, ranges, max_dets).
    """

    precision: np.ndarray
    recall: np.ndarray


def curves_of(matched: Matched, max_dets: Sequence[int], recalls: np.ndarray = RECALLS) -> Curves:
    """Return the curves of every class, threshold and area range.

    Args:
        matched: The detections, sorted by class and descending score.
        max_dets: How many detections of an image and class count for the recalls.
        recalls: The recalls at which precision is read, ascending; the first is 0.
    """
    classes, ranges = matched.truths.shape
    thresholds = matched.settings // ranges
    precision = np.empty((ranges, len(recalls), thresholds, classes))
    recall = np.empty((ranges, thresholds, classes, len(max_dets)))
    rows = bits.any_of(matched.hits)  # recall rises only at these
    hits, turns = matched.hits[:, rows], matched.turns[rows]
    starts = np.searchsorted(rows, matched.starts)  # of the classes
    of_class = np.diff(starts)
    places = rows + 1 - np.repeat(matched.starts[:-1], of_class)  # rank in the class, from 1
    early = [turns < number if number <= turns.max(initial=0) else None for number in max_dets]
    for size in range(ranges):
        truths = matched.truths[:, size]
        needed = _hits_needed(truths, recalls)
        settings = range(size * thresholds, (size + 1) * thresholds)
        ignored = _Ignored(matched, settings, rows, of_class)
        places_counted = places - ignored.alike
        best = np.zeros((thresholds, *needed.shape))
        for thr, setting in enumerate(settings):
            hit = bits.column(hits, setting)
            which = hit.nonzero()[0]
            begins = which.searchsorted(starts)
            found = np.diff(begins)
            so_far = np.arange(1, len(which) + 1) - np.repeat(begins[:-1], found)
            counted = places_counted.take(which) - ignored.others(setting, which, found)
            _set_best(best[thr], so_far / counted, begins[:-1], found, needed)
            for place, kept in enumerate(early):
                number = found if kept is None else _by_class(hit & kept, starts)
                recall[size, thr, :, place] = number
        recall[size] /= np.maximum(truths, 1)[:, None]
        # The highest precision at this recall or a higher one: cumulative from the last recall.
        backwards = precision[size, ::-1]
        backwards[:] = best.transpose(2, 0, 1)[::-1]
        np.maximum.accumulate(backwards, axis=0, out=backwards)
        precision[size][..., truths == 0] = recall[size][:, truths == 0] = -1
    return Curves(precision.transpose(2, 1, 3, 0), recall.transpose(1, 2, 0, 3))


class _Ignored:
    """The number of ignored detections up to each hit of a class, in one range of sizes.

    Unless a detection overlaps with a ground truth, its size alone decides whether it is ignored,
    so the answer is the same at every threshold. The few detections that overlap with one are
    counted for every threshold, all others once.

    Args:
        matched: The detections, sorted by class.
        settings: The settings of the range.
        rows: The rows of the hits, ascending.
        of_class: The number of hits of each class.

    Attributes:
        alike: The number of ignored detections up to each hit in the last setting.
    """

    def __init__(
        self, matched: Matched, settings: range, rows: np.ndarray, of_class: np.ndarray
    ) -> None:
        last = bits.column(matched.ignored, settings[-1])
        uneven = bits.any_unlike(matched.ignored, settings, last)
        sums = _sums(last)
        self.alike = sums.take(rows + 1) - np.repeat(sums[matched.starts[:-1]], of_class)
        self._last, self._uneven = last[uneven].astype(np.int8), matched.ignored[:, uneven]
        # The number of uneven detections before each class, and up to each hit.
        self._before = uneven.searchsorted(matched.starts[:-1])
        up_to = np.bincount(rows.searchsorted(uneven), minlength=len(rows))
        self._up_to = up_to[: len(rows)].cumsum()

    def others(self, setting: int, which: np.ndarray, found: np.ndarray) -> np.ndarray | int:
        """Return how many more than `alike` are ignored, for some hits, `found` per class."""
        if not self._last.size:
            return 0
        sums = _sums(bits.column(self._uneven, setting).astype(np.int8) - self._last)
        more: np.ndarray = sums.take(self._up_to.take(which))
        more -= np.repeat(sums.take(self._before), found)
        return more


def _sums(values: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, ... values, which are -1, 0 or 1."""
    narrow = np.int32 if len(values) < 2**31 else np.int64  # half the memory to fill
    sums = np.zeros(len(values) + 1, narrow)
    np.cumsum(values, out=sums[1:])
    return sums


def _by_class(flags: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the number of flags that are set in each class; classes begin at `starts`."""
    numbers: np.ndarray = np.diff(flags.nonzero()[0].searchsorted(starts))
    return numbers


def _set_best(
    best: np.ndarray,
    precisions: np.ndarray,
    begins: np.ndarray,
    found: np.ndarray,
    needed: np.ndarray,
) -> None:
    """Set the highest precision between each of the recalls that is reached and the next.

    Args:
        best: (classes, recalls), zeros.
        precisions: The precision at every hit, class after class.
        begins: The index of the first hit of each class.
        found: The number of hits of each class.
        needed: The number of hits with which a class reaches each recall, (classes, recalls), at
            least 1.
    """
    reached = needed <= found[:, None]
    places = (begins[:, None] + needed - 1)[reached]
    if len(places):  # the best from each place to the next, which is in this class or begins one
        best[reached] = np.maximum.reduceat(precisions, places)


def _hits_needed(truths: np.ndarray, recalls: np.ndarray) -> np.ndarray:
    """Return the number of hits that reach each recall, (classes, recalls), at least 1."""
    truths = np.maximum(truths, 1)[:, None]
    needed = np.maximum(np.ceil(recalls * truths), 1)
    # The product is rounded, and so is the share of hits that is compared with the recall.
    needed -= (needed > 1) & ((needed - 1) / truths >= recalls)
    needed += needed / truths < recalls
    whole: np.ndarray = needed.astype(np.int64)
    return whole
