"""Rotated boxes, by center, sides and angle or four corners; their exact overlap in float64."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from mmeval_like.metrics.detection import image_dicts
from mmeval_like.metrics.detection.axis_aligned import Geometry
from mmeval_like.writing import Ragged, arrays

__all__ = ["Rotated", "corners_of", "intersection_areas", "smallest_boxes"]

_CHUNK = 1 << 14  # pairs of boxes that are clipped at once: some MiB


class Rotated(Geometry):
    """Boxes of center x, center y, width, height, angle in radians; or of four corners."""

    def boxes_of(
        self, name: str, images: image_dicts.Images, key: str, optional: str | None = None
    ) -> Ragged:
        """Return boxes (n, 5); four corners (n, 8) become the smallest box around them.

        Raises:
            ValueError: A box has neither 5 nor 8 numbers, or a negative side.
        """
        images = [
            {**image, key: _as_rotated(image[key], f"{name}[{index}][{key!r}]")}
            if key in image
            else image
            for index, image in enumerate(images)
        ]
        boxes = image_dicts.boxes_of(name, images, key, 5, optional)
        if (boxes.values[:, 2:4] < 0).any():
            raise ValueError(f"{name}: {key!r} must not have negative widths or heights")
        return boxes

    def areas(self, boxes: np.ndarray) -> np.ndarray:
        """Return width times height."""
        return np.asarray(boxes[:, 2] * boxes[:, 3])

    def overlaps(
        self,
        boxes: np.ndarray,
        others: np.ndarray,
        pairs: tuple[np.ndarray, np.ndarray],
        over_own: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the IoU of pairs of boxes; 0 where one has no area."""
        own, other = pairs
        areas, other_areas = self.areas(boxes)[own], self.areas(others)[other]
        # Only boxes whose circumscribed circles intersect can overlap.
        distances = np.hypot(*(boxes[own, :2] - others[other, :2]).T)
        reach = np.hypot(*boxes[:, 2:4].T)[own] / 2 + np.hypot(*others[:, 2:4].T)[other] / 2
        near = np.flatnonzero((distances < reach) & (areas > 0) & (other_areas > 0))
        inner = np.zeros(len(own))
        for start in range(0, len(near), _CHUNK):
            chunk = near[start : start + _CHUNK]
            inner[chunk] = intersection_areas(boxes[own[chunk]], others[other[chunk]])
        outer = areas + other_areas - inner
        if over_own is not None:
            outer = np.where(over_own[other], areas, outer)
        shares: np.ndarray = np.divide(inner, outer, out=np.zeros(len(own)), where=inner > 0)
        return shares


def _as_rotated(boxes: Any, name: str) -> np.ndarray:
    array = arrays.to_host(boxes, name)
    if array.ndim == 2 and array.shape[1] == 8:
        return smallest_boxes(array.reshape(-1, 4, 2).astype(np.float64))
    return array


def corners_of(boxes: np.ndarray) -> np.ndarray:
    """Return the corners (n, 4, 2) of boxes (n, 5), by ascending angle around the center.

    Example:
        >>> corners_of(np.array([[1.0, 1.0, 4.0, 2.0, 0.0]])).tolist()
        [[[-1.0, 0.0], [3.0, 0.0], [3.0, 2.0], [-1.0, 2.0]]]
    """
    half = boxes[:, None, 2:4] / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    cosine, sine = np.cos(boxes[:, 4, None]), np.sin(boxes[:, 4, None])
    x = half[..., 0] * cosine - half[..., 1] * sine
    y = half[..., 0] * sine + half[..., 1] * cosine
    corners: np.ndarray = np.stack([x, y], axis=-1) + boxes[:, None, :2]
    return corners


def smallest_boxes(corners: np.ndarray) -> np.ndarray:
    """Return the rotated box of least area around every four points.

    A side of that box contains a side of the points' convex hull, and thus is parallel to a line
    through two of the points: all six such directions are tried.

    Args:
        corners: float64 (n, 4, 2), in any order.

    Returns:
        float64 (n, 5): center x, center y, width, height, angle in radians.

    Example:
        >>> square = np.array([[[0.0, 0.0], [2.0, 2.0], [0.0, 4.0], [-2.0, 2.0]]])
        >>> smallest_boxes(square).round(4).tolist()
        [[0.0, 2.0, 2.8284, 2.8284, 0.7854]]
    """
    center = corners.mean(axis=1, keepdims=True)
    points = corners - center
    first, second = np.array([*combinations(range(4), 2)]).T
    lines = points[:, second] - points[:, first]
    angles = np.arctan2(lines[..., 1], lines[..., 0])  # 0 for equal points
    axes = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    along = (points[:, None] * axes[:, :, None]).sum(axis=-1)
    across = (points[:, None] * np.stack([-axes[..., 1], axes[..., 0]], -1)[:, :, None]).sum(-1)
    low = np.stack([along.min(axis=-1), across.min(axis=-1)], axis=-1)
    high = np.stack([along.max(axis=-1), across.max(axis=-1)], axis=-1)
    best = (high - low).prod(axis=-1).argmin(axis=1)
    which = np.arange(len(corners)), best
    middle, sides, axis = ((low + high) / 2)[which], (high - low)[which], axes[which]
    # Collinear points have no area in any direction, except for rounding errors.
    sides[sides < 1e-12 * np.abs(corners).max(axis=(1, 2))[:, None]] = 0.0
    normal = np.stack([-axis[:, 1], axis[:, 0]], axis=-1)
    centers = center[:, 0] + middle[:, :1] * axis + middle[:, 1:] * normal
    return np.concatenate([centers, sides, angles[which][:, None]], axis=1)


def intersection_areas(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the area of the intersection of each pair of boxes.

    The outline of the first box is clipped at the four sides of the second (Sutherland and
    Hodgman), in coordinates in which the second box is centered at 0 and parallel to the axes. The
    shoelace formula gives the area of the result. All pairs are clipped at once.

    Args:
        boxes: float64 (n, 5).
        others: float64 (n, 5).

    Returns:
        float64 (n,).

    Example:
        >>> box = np.array([[0.0, 0.0, 2.0, 2.0, 0.0]])
        >>> intersection_areas(box, box + [1, 0, 0, 0, 0]).tolist()
        [2.0]
    """
    cosine, sine = np.cos(others[:, 4, None]), np.sin(others[:, 4, None])
    outline = corners_of(boxes - others * [1, 1, 0, 0, 0])
    outline = np.stack(
        [
            outline[..., 0] * cosine + outline[..., 1] * sine,
            outline[..., 1] * cosine - outline[..., 0] * sine,
        ],
        axis=-1,
    )
    counts = np.full(len(boxes), 4)
    for axis in (0, 1):
        half = others[:, 2 + axis] / 2
        for sign in (-1.0, 1.0):
            outline, counts = _cut(outline, counts, half[:, None] - sign * outline[..., axis])
    ahead = _next(outline, counts)
    products = outline[..., 0] * ahead[..., 1] - outline[..., 1] * ahead[..., 0]
    inside = np.arange(outline.shape[1]) < counts[:, None]
    areas: np.ndarray = np.abs(np.where(inside, products, 0.0).sum(axis=1)) / 2
    return areas


def _cut(
    outline: np.ndarray, counts: np.ndarray, heights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Keep the part of convex polygons where the height is not negative.

    Args:
        outline: float64 (n, k, 2): vertices; entries from the polygon's count on are arbitrary.
        counts: int64 (n,): how many vertices each polygon has.
        heights: float64 (n, k): the heights of the vertices above the line of the cut.

    Returns:
        The polygons after the cut, and their numbers of vertices. A polygon rarely gains more than
        one vertex: only if rounding lets an outline cross the line again.
    """
    n, k = heights.shape
    real = np.arange(k) < counts[:, None]
    ahead, heights_ahead = _next(outline, counts), _next(heights[..., None], counts)[..., 0]
    inside, inside_ahead = real & (heights >= 0), real & (heights_ahead >= 0)
    crosses = inside != inside_ahead
    rise = np.where(crosses, heights - heights_ahead, 1.0)
    shares = heights / rise
    crossings = outline + shares[..., None] * (ahead - outline)
    # Every vertex is followed by the crossing after it; the valid entries move to the front.
    points = np.stack([outline, crossings], axis=2).reshape(n, 2 * k, 2)
    there = np.stack([inside, crosses], axis=2).reshape(n, 2 * k)
    counts = there.sum(axis=1)
    order = np.argsort(~there, axis=1, kind="stable")[:, : counts.max(initial=0)]
    return np.take_along_axis(points, order[..., None], axis=1), counts


def _next(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the value of each vertex's successor; the first follows the last."""
    places = np.arange(1, values.shape[1] + 1)[None, :]
    places = np.where(places < counts[:, None], places, 0)  # also for entries that are not vertices
    return np.take_along_axis(values, places[..., None], axis=1)
