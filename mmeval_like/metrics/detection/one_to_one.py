"""One-to-one matching by overlap: the closest pair first."""

from __future__ import annotations

import numpy as np

__all__ = ["closest_pairs"]


def closest_pairs(truths: np.ndarray, boxes: np.ndarray, overlaps: np.ndarray) -> np.ndarray:
    """Return the pairs that are matched if the closest remaining pair is taken repeatedly.

    Among equally close pairs, that of the first ground truth, then of the first box, is taken. A
    pair that is the closest pair of both its members is always taken: all such pairs are taken at
    once, so there are few rounds, however many images are in the batch.

    Args:
        truths: int64 (p,): the ground truth of every pair, as its index in the batch.
        boxes: int64 (p,): the box of every pair.
        overlaps: float64 (p,): the overlap of every pair.

    Returns:
        int64: the indices of the matched pairs.

    Example:
        >>> truths, boxes = np.array([0, 0, 1]), np.array([5, 6, 5])
        >>> closest_pairs(truths, boxes, np.array([0.6, 0.5, 0.7])).tolist()
        [2, 1]
    """
    order = np.lexsort((boxes, truths, -overlaps))  # the closest first
    matched = [np.empty(0, np.int64)]
    truths_left = np.ones(truths.max(initial=-1) + 1, np.bool_)
    boxes_left = np.ones(boxes.max(initial=-1) + 1, np.bool_)
    while len(order):
        own, other = truths[order], boxes[order]
        taken = order[_is_first(own) & _is_first(other)]
        matched.append(taken)
        truths_left[truths[taken]] = False
        boxes_left[boxes[taken]] = False
        order = order[truths_left[own] & boxes_left[other]]
    return np.concatenate(matched)


def _is_first(values: np.ndarray) -> np.ndarray:
    """Return whether each value occurs for the first time."""
    places = np.arange(len(values))
    first = np.empty(values.max() + 1, np.int64)
    first[values[::-1]] = places[::-1]  # the last of several assignments wins
    return np.asarray(first[values] == places)
