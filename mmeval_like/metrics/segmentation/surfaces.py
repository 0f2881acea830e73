"""The surfaces of masks, and the distances between surfaces."""

from __future__ import annotations

import importlib
import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics.segmentation.class_maps import ClassMeanMetric
from mmeval_like.writing import arrays

__all__ = ["SurfaceMetric", "surface_distances", "surfaces_of"]


def surfaces_of(classes: np.ndarray, wanted: Sequence[int]) -> list[np.ndarray]:
    """Return the surfaces of classes: pixels with a face on another class or the map's border.

    Args:
        classes: A map of integers, of any number of axes.
        wanted: The classes whose surfaces are returned.

    Returns:
        For each class, the indices of its surface's pixels, int64 (points, axes).

    Example:
        >>> disk = np.zeros((5, 5), int)
        >>> disk[1:4, 1:4] = 1
        >>> len(surfaces_of(disk, [1])[0])  # all nine but the one in the middle
        8
    """
    edge = np.zeros(classes.shape, np.bool_)
    for axis in range(classes.ndim):
        along, edges = np.moveaxis(classes, axis, 0), np.moveaxis(edge, axis, 0)
        differ = along[1:] != along[:-1]
        edges[1:] |= differ
        edges[:-1] |= differ
        edges[:1] = edges[-1:] = True
    places = np.flatnonzero(edge)
    owners = classes.reshape(-1)[places]
    points = np.stack(np.unravel_index(places, classes.shape), axis=1)
    return [points[owners == one] for one in wanted]


def surface_distances(
    surface: np.ndarray, other: np.ndarray, spacing: np.ndarray, power: float = 2.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distance of each point of a surface from the other one, and vice versa.

    Args:
        surface: Indices of pixels (n, axes).
        other: Indices of the other surface's pixels (m, axes).
        spacing: The distance between pixels along each axis.
        power: 2: Euclidean; 1: the sum over axes; infinity: the largest over axes.

    Returns:
        Two float64 arrays, (n,) and (m,); infinity where the other surface has no points.

    Example:
        >>> one, other = np.array([[0, 0], [0, 1]]), np.array([[3, 4]])
        >>> [d.round(4).tolist() for d in surface_distances(one, other, np.ones(2))]
        [[5.0, 4.2426], [4.2426]]
    """
    from scipy.spatial import cKDTree

    if not len(surface) or not len(other):
        return np.full(len(surface), math.inf), np.full(len(other), math.inf)
    points, others = surface * spacing, other * spacing
    places = cKDTree(others).query(points, p=power)[1], cKDTree(points).query(others, p=power)[1]
    # Steps between pixels are integers, so that a distance does not depend on its place.
    steps = surface - other[places[0]], other - surface[places[1]]
    there, back = (_lengths(np.abs(step) * spacing, power) for step in steps)
    return there, back


def _lengths(steps: np.ndarray, power: float) -> np.ndarray:
    if math.isinf(power):
        return np.asarray(steps.max(axis=1))
    return arrays.sum_rows(steps) if power == 1 else np.sqrt(arrays.sum_rows(steps * steps))


class SurfaceMetric(ClassMeanMetric):
    """The base class of metrics of distances between surfaces of masks, averaged over images.

    A surface is the pixels of a mask that have a face on a pixel outside, or on the border of the
    image; distances are those between centres of pixels. A class that is in neither map of an image
    is left out of the image's mean. The background, class 0, does not count unless
    `include_background=True`. `add` takes `predictions` and `groundtruths`, maps of classes (N, H,
    W) or masks of all classes (N, C, H, W).

    Args:
        spacing: The distance between neighbouring pixels along each axis, for instance in
            millimetres; None: 1 along all axes.
        missing: The value of a class that is in only one of the two maps of an image: a number,
            which may be infinity, or nan, with which the class is left out of the image's mean.
        include_background: Whether class 0 counts.
        **options: As for `ClassMeanMetric`.
    """

    higher_is_better: bool | None = False
    power = 2.0
    """The power of the distance, as in `surface_distances`."""

    def __init__(
        self,
        num_classes: int,
        *,
        spacing: Sequence[float] | None = None,
        missing: float = math.inf,
        include_background: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(num_classes, include_background=include_background, **options)
        lengths = np.ones(self.spatial_ndim) if spacing is None else np.asarray(spacing, np.float64)
        if lengths.shape != (self.spatial_ndim,) or not ((lengths > 0) & (lengths < 1e100)).all():
            raise ValueError(
                f"spacing must be {self.spatial_ndim} positive numbers, one per axis, got {spacing}"
            )
        self.spacing = lengths
        self.missing = float(missing)
        try:
            importlib.import_module("scipy.spatial")
        except ImportError as error:
            raise ImportError(
                f"{type(self).__name__} needs scipy: pip install 'mmeval-like[image]'"
            ) from error

    @abstractmethod
    def value(self, there: np.ndarray, back: np.ndarray, index: int) -> float:
        """Return a class's value from the distances of the prediction's and the truth's surface."""

    def class_values(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return the values of all classes of every image."""
        values = []
        for prediction, truth in self.maps.pairs(predictions, groundtruths):
            found, goals = self._surfaces(prediction, truth)
            places = range(len(self.maps.counted))
            values.append([self._value(*one) for one in zip(found, goals, places, strict=True)])
        return np.reshape(np.array(values, np.float64), (len(values), len(self.maps.counted)))

    def _value(self, surface: np.ndarray, other: np.ndarray, index: int) -> float:
        if len(surface) and len(other):
            distances = surface_distances(surface, other, self.spacing, self.power)
            return self.value(*distances, index)
        return self.missing if len(surface) or len(other) else math.nan

    def _surfaces(self, prediction: np.ndarray, truth: np.ndarray) -> list[list[np.ndarray]]:
        """Return the surfaces of all classes that count, in both maps."""
        if prediction.ndim > self.spatial_ndim:
            return [
                [surfaces_of(side[c], [1])[0] for c in self.maps.counted.tolist()]
                for side in (self.maps.kept(prediction, truth), self.maps.kept(truth, truth))
            ]
        ignored = truth == self.ignore_index  # None: false everywhere
        surfaces = []
        for name, side in (("predictions", prediction), ("groundtruths", truth)):
            classes = np.where(ignored, 0, side)
            arrays.check_range(name, classes, self.num_classes)
            known = np.where(ignored, -1, classes.astype(np.int64))
            surfaces.append(surfaces_of(known, self.maps.counted.tolist()))
        return surfaces
