"""PASCAL VOC's matching, for all thresholds and ranges of sizes at once.

Within one image and class, every detection is compared with one ground truth only: that of the
largest overlap, or the first of several. If the overlap reaches the threshold, the detection is a
hit unless a detection of higher rank claims that ground truth; otherwise it is a false positive.
"""

from __future__ import annotations

import numpy as np

from mmeval_like.metrics.detection.runs import begins_of_runs

__all__ = ["best_partners", "first_claims", "pascal_match"]


def best_partners(
    detections: np.ndarray, truths: np.ndarray, overlaps: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return each detection's ground truth of the largest overlap, and that overlap.

    Args:
        detections: int64 (p,), ascending: the detection of every pair.
        truths: int64 (p,): the ground truth of every pair, ascending for each detection.
        overlaps: float64 (p,): the overlap of every pair.
        count: The number n of detections.

    Returns:
        int64 (n,) and float64 (n,), both -1 for detections without a pair.

    Example:
        >>> pairs = np.array([0, 0, 2]), np.array([0, 1, 1])
        >>> partners, best = best_partners(*pairs, np.array([0.5, 0.5, 0.1]), 3)
        >>> partners.tolist(), best.tolist()
        ([0, -1, 1], [0.5, -1.0, 0.1])
    """
    partners, best = np.full(count, -1), np.full(count, -1.0)
    order = np.lexsort((truths, -overlaps, detections))
    chosen = order[begins_of_runs(detections)]  # sorting within runs keeps their begins
    partners[detections[chosen]] = truths[chosen]
    best[detections[chosen]] = overlaps[chosen]
    return partners, best


def first_claims(partners: np.ndarray, claims: np.ndarray) -> np.ndarray:
    """Return, in every column, which claims are the first on their ground truth.

    Args:
        partners: int64 (n,): the ground truth of every detection.
        claims: bool (n, columns): whether the detection claims its ground truth.

    Returns:
        bool (n, columns).

    Example:
        >>> claims = np.array([[False, True], [True, True]])
        >>> first_claims(np.array([4, 4]), claims).tolist()
        [[False, True], [True, False]]
    """
    rows, columns = np.nonzero(claims)
    codes = partners[rows] * claims.shape[1] + columns
    first = np.zeros_like(claims)
    place = np.unique(codes, return_index=True)[1]
    first[rows[place], columns[place]] = True
    return first


def pascal_match(
    partners: np.ndarray,
    best: np.ndarray,
    thresholds: np.ndarray,
    counted: np.ndarray,
    within: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Match detections with ground truths.

    Args:
        partners: int64 (n,): each detection's ground truth, -1 for none; detections of one image
            and class are in order of rank.
        best: float64 (n,): the overlap of the detection and that ground truth.
        thresholds: float64 (T,).
        counted: bool (m, R): the ground truths that are not ignored in a range of sizes.
        within: bool (n, R): the detections whose own size is in the range.

    Returns:
        Two bool (n, R * T): hits, and ignored detections; column r * T + t.
    """
    reached = (best[:, None] >= thresholds) & (partners >= 0)[:, None]
    first = first_claims(partners, reached)
    counts = np.zeros((len(partners), counted.shape[1]), np.bool_)
    counts[partners >= 0] = counted[partners[partners >= 0]]
    hits = counts[:, :, None] & first[:, None]
    # A detection that reaches an ignored ground truth is ignored, and so is one that reaches none
    # if its size is out of the range.
    ignored = np.where(reached[:, None], ~counts[:, :, None], ~within[:, :, None])
    shape = (len(best), counted.shape[1] * len(thresholds))
    return hits.reshape(shape), ignored.reshape(shape)
