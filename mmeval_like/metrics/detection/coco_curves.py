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
    precision = np.empty((ranges, len(RECALLS), thresholds, classes))
    recall = np.empty((ranges, thresholds, classes, len(max_dets)))
    rows = bits.any_of(matched.hits)  # a curve only rises there
    hits, turns = matched.hits[:, rows], matched.turns[rows]
    starts = np.searchsorted(rows, matched.starts)  # of the classes
    of_class = np.diff(starts)
    places = rows + 1 - np.repeat(matched.starts[:-1], of_class)  # in their class, from 1
    early = [turns < number if number <= turns.max(initial=0) else None for number in max_dets]
    for size in range(ranges):
        truths = matched.truths[:, size]
        needed = _hits_needed(truths)
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
        # The highest precision at a recall or beyond: from the last recall on, all at once.
        backwards = precision[size, ::-1]
        backwards[:] = best.transpose(2, 0, 1)[::-1]
        np.maximum.accumulate(backwards, axis=0, out=backwards)
        precision[size][..., truths == 0] = recall[size][:, truths == 0] = -1
    return Curves(precision.transpose(2, 1, 3, 0), recall.transpose(1, 2, 0, 3))


class _Ignored:
    """How many detections are ignored up to each hit of its class, in one range of sizes.

    Whether a detection is ignored depends on its own size, hence not on the threshold, unless it
    overlaps with a ground truth. Those are few: they are counted for every threshold, all others
    once.

    Args:
        matched: Detections by class.
        settings: Those of the range.
        rows: The hits, ascending.
        of_class: How many each class has.

    Attributes:
        alike: The numbers in the last setting.
    """

    def __init__(
        self, matched: Matched, settings: range, rows: np.ndarray, of_class: np.ndarray
    ) -> None:
        last = bits.column(matched.ignored, settings[-1])
        uneven = bits.any_unlike(matched.ignored, settings, last)
        sums = _sums(last)
        self.alike = sums.take(rows + 1) - np.repeat(sums[matched.starts[:-1]], of_class)
        self._last, self._uneven = last[uneven].astype(np.int8), matched.ignored[:, uneven]
        # How many of the uneven ones come before each class, and up to each hit.
        self._before = uneven.searchsorted(matched.starts[:-1])
        up_to = np.bincount(rows.searchsorted(uneven), minlength=len(rows))
        self._up_to = up_to[: len(rows)].cumsum()

    def others(self, setting: int, which: np.ndarray, found: np.ndarray) -> np.ndarray | int:
        """Return how many more are ignored in one setting, for some hits: `found` of each class."""
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
    """Return how many are set in each class, which begin at `starts`."""
    numbers: np.ndarray = np.diff(flags.nonzero()[0].searchsorted(starts))
    return numbers


def _set_best(
    best: np.ndarray,
    precisions: np.ndarray,
    begins: np.ndarray,
    found: np.ndarray,
    needed: np.ndarray,
) -> None:
    """Set the highest precision from each of `RECALLS` to the next, where it is reached.

    Args:
        best: (classes, 101), zeros.
        precisions: At every hit, class after class.
        begins: Where each class begins.
        found: How many hits each class has.
        needed: With how many hits a class reaches each recall, (classes, 101), from 1 on.
    """
    reached = needed <= found[:, None]
    places = (begins[:, None] + needed - 1)[reached]
    if len(places):  # the best from each place to the next, which is in this class or begins one
        best[reached] = np.maximum.reduceat(precisions, places)


def _hits_needed(truths: np.ndarray) -> np.ndarray:
    """Return how many hits reach each of `RECALLS`, (classes, 101), at least 1."""
    truths = np.maximum(truths, 1)[:, None]
    needed = np.maximum(np.ceil(RECALLS * truths), 1)
    # The product is rounded, and so is the share of hits that is compared with the recall.
    needed -= (needed > 1) & ((needed - 1) / truths >= RECALLS)
    needed += needed / truths < RECALLS
    whole: np.ndarray = needed.astype(np.int64)
    return whole
