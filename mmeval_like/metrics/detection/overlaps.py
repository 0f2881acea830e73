"""Pairs of detections and ground truths, and the overlap of axis-aligned boxes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["blocks", "box_areas", "box_overlaps", "pairs_of_groups", "to_corners"]

# Pairs of a detection and a ground truth that are processed together: some tens of MiB.
_BLOCK_PAIRS = 1 << 18
# Pairs whose overlaps are computed together, so that they fit in the processor's cache.
_CHUNK_PAIRS = 1 << 14


def blocks(detections: np.ndarray, truths: np.ndarray) -> Iterator[slice]:
    """Yield blocks of consecutive images with a bounded number of pairs; at least one block.

    Args:
        detections: int64 (n,): how many detections each image has.
        truths: int64 (n,): how many ground truths each image has.

    Example:
        >>> [(b.start, b.stop) for b in blocks(np.array([9, 9]), np.array([1 << 14, 1 << 15]))]
        [(0, 1), (1, 2)]
    """
    if len(detections) <= 1:
        yield slice(0, len(detections))
        return
    # Each detection counts once more, so that images without ground truths count too.
    ends = np.cumsum(detections * (truths + 1))
    start = 0
    while start < len(ends):
        before = ends[start - 1] if start else 0
        stop = int(np.searchsorted(ends, before + _BLOCK_PAIRS, side="right"))
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop


def pairs_of_groups(
    detection_groups: np.ndarray, truth_groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of a detection and a ground truth of the same group.

    Args:
        detection_groups: int64 (n,): each detection's group.
        truth_groups: int64 (m,), ascending: each ground truth's group.

    Returns:
        The detection and the ground truth of every pair, int64; detection by detection, the
        ground truths of each ascending.

    Example:
        >>> detections, truths = pairs_of_groups(np.array([0, 1, 1]), np.array([1, 1, 2]))
        >>> detections.tolist(), truths.tolist()
        ([1, 1, 2, 2], [0, 1, 0, 1])
    """
    first = np.searchsorted(truth_groups, detection_groups, side="left")
    counts = np.searchsorted(truth_groups, detection_groups, side="right") - first
    detections = np.repeat(np.arange(len(detection_groups)), counts)
    within = np.arange(len(detections)) - np.repeat(np.cumsum(counts) - counts, counts)
    return detections, first[detections] + within


def to_corners(boxes: np.ndarray) -> np.ndarray:
    """Return boxes (n, 4) of x, y, width, height as x1, y1, x2, y2."""
    corners = boxes.copy()
    corners[:, 2:] += boxes[:, :2]
    return corners


def box_areas(corners: np.ndarray, extra: float = 0.0) -> np.ndarray:
    """Return (x2 - x1 + extra) (y2 - y1 + extra)."""
    sides = corners[:, 2:] - corners[:, :2] + extra
    return np.asarray(sides[:, 0] * sides[:, 1])


def box_overlaps(
    boxes: np.ndarray,
    others: np.ndarray,
    areas: np.ndarray,
    other_areas: np.ndarray,
    pairs: tuple[np.ndarray, np.ndarray],
    over_own: np.ndarray | None = None,
    extra: float = 0.0,
) -> np.ndarray:
    """Return the intersection over union of pairs of boxes, in float64.

    Args:
        boxes: x1, y1, x2, y2; float64 (n, 4).
        others: The same, (m, 4).
        areas: The areas of `boxes`, (n,).
        other_areas: The areas of `others`, (m,).
        pairs: Indices into `boxes` and into `others`, two int64 (p,).
        over_own: bool (m,): the entries of `others` for which the intersection is divided by the
            area of the box in `boxes` instead of by the union.
        extra: Added to widths and heights: 1 if a box includes its last pixel.

    Returns:
        float64 (p,); 0 for boxes that do not intersect, whatever their areas.

    Example:
        >>> box, area = np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([4.0])
        >>> first = np.array([0])
        >>> box_overlaps(box, box + [1, 0, 1, 0], area, area, (first, first)).round(4).tolist()
        [0.3333]
    """
    found = np.zeros(len(pairs[0]))
    for start in range(0, len(found), _CHUNK_PAIRS):
        part = slice(start, start + _CHUNK_PAIRS)
        own, other = pairs[0][part], pairs[1][part]
        low = np.maximum(boxes[own, :2], others[other, :2])
        sides = np.minimum(boxes[own, 2:], others[other, 2:]) - low + extra
        inner = sides[:, 0] * sides[:, 1]
        outer = areas[own] + other_areas[other] - inner
        if over_own is not None:
            outer = np.where(over_own[other], areas[own], outer)
        # The product of tiny sides may underflow to an area of 0 although the boxes intersect.
        meet = (sides[:, 0] > 0) & (sides[:, 1] > 0) & (outer > 0)
        np.divide(inner, outer, out=found[part], where=meet)
    return found
