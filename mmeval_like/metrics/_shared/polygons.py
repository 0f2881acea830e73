"""Polygons as shapely sees them: read, repaired, and the areas that pairs have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like import arrays

__all__ = ["as_polygons", "common_areas", "load_shapely"]


def load_shapely() -> Any:
    """Return the module; loaded late, so that only those who need it must have it.

    Raises:
        ImportError: It is not installed.
    """
    try:
        import shapely
    except ImportError as error:
        raise ImportError("polygons need shapely: pip install 'mmeval-like[detection]'") from error
    return shapely


def as_polygons(polygons: Any, name: str) -> np.ndarray:
    """Return shapely polygons, an object array of shape (n,); invalid ones repaired.

    A polygon whose border crosses itself becomes the points that it encloses an odd number of
    times; one without area becomes empty.

    Args:
        polygons: For each at least 3 points, (2k,) as x1, y1, x2, y2, ... or (k, 2).
        name: The argument's name, for the errors.

    Raises:
        TypeError: A polygon is not numeric.
        ValueError: Another shape, too few points, coordinates that are not finite.

    Example:
        >>> bow_tie = [0, 0, 2, 2, 2, 0, 0, 2]
        >>> as_polygons([bow_tie], "polygons")[0].area
        2.0
    """
    shapely = load_shapely()
    points = [_as_points(polygon, f"{name}[{place}]") for place, polygon in enumerate(polygons)]
    if not points:
        return np.empty(0, object)
    places = np.repeat(np.arange(len(points)), [len(polygon) for polygon in points])
    coordinates = np.concatenate(points)
    finite = np.isfinite(coordinates).all(axis=1)
    if not finite.all():
        place = places[np.argmin(finite)]
        raise ValueError(f"{name}[{place}] must not contain nan or infinity")
    shapes: np.ndarray = shapely.polygons(shapely.linearrings(coordinates, indices=places))
    invalid = ~shapely.is_valid(shapes)
    # A buffer of 0 keeps areas and drops the lines that a collapsed part becomes.
    shapes[invalid] = shapely.buffer(shapely.make_valid(shapes[invalid]), 0)
    return shapes


def _as_points(polygon: Any, name: str) -> np.ndarray:
    points = arrays.as_floats(polygon, name)
    shape = points.shape
    if points.ndim == 1 and points.size % 2 == 0:
        points = points.reshape(-1, 2)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
        raise ValueError(
            f"{name} must be at least 3 points, (2k,) as x1, y1, x2, y2, ... or (k, 2), "
            f"got shape {shape}"
        )
    return points


def common_areas(polygons: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the area of the intersection of every pair, shape (n, m).

    Args:
        polygons: Valid shapely polygons (n,).
        others: Valid shapely polygons (m,).
    """
    shapely = load_shapely()
    common = np.zeros((len(polygons), len(others)))
    if common.size:
        first, second = shapely.STRtree(others).query(polygons)  # whose bounding boxes meet
        common[first, second] = shapely.area(shapely.intersection(polygons[first], others[second]))
    return common
