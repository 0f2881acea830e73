"""Boxes given by two corners, as the geometry of a metric."""

from __future__ import annotations

import numpy as np

from mmeval_like.metrics.detection import image_dicts, overlaps
from mmeval_like.writing import Ragged

__all__ = ["AxisAligned", "Geometry"]


class Geometry:
    """The geometry of a metric's boxes: how to read, measure and overlay them."""

    def boxes_of(
        self, name: str, images: image_dicts.Images, key: str, optional: str | None = None
    ) -> Ragged:
        """Return the boxes of all images under a key, float64 (n, values per box)."""
        raise NotImplementedError

    def areas(self, boxes: np.ndarray) -> np.ndarray:
        """Return the areas of boxes, float64 (n,)."""
        raise NotImplementedError

    def overlaps(
        self,
        boxes: np.ndarray,
        others: np.ndarray,
        pairs: tuple[np.ndarray, np.ndarray],
        over_own: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the IoU of pairs of boxes, given by indices into `boxes` and `others`.

        Args:
            boxes: The detections.
            others: The ground truths.
            pairs: Indices into `boxes` and into `others`, two int64 (p,).
            over_own: The ground truths for which the intersection is divided by the area of the
                detection, not by the union, bool (m,).
        """
        raise NotImplementedError


class AxisAligned(Geometry):
    """Boxes x1, y1, x2, y2.

    Args:
        extra: Added to widths and heights: 1 if boxes include their last pixel.
    """

    def __init__(self, extra: float = 0.0) -> None:
        self.extra = extra

    def boxes_of(
        self, name: str, images: image_dicts.Images, key: str, optional: str | None = None
    ) -> Ragged:
        """Return boxes (n, 4)."""
        return image_dicts.boxes_of(name, images, key, optional=optional)

    def areas(self, boxes: np.ndarray) -> np.ndarray:
        """Return width times height."""
        return overlaps.box_areas(boxes, self.extra)

    def overlaps(
        self,
        boxes: np.ndarray,
        others: np.ndarray,
        pairs: tuple[np.ndarray, np.ndarray],
        over_own: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the IoU of pairs of boxes."""
        areas, other_areas = self.areas(boxes), self.areas(others)
        return overlaps.box_overlaps(boxes, others, areas, other_areas, pairs, over_own, self.extra)
