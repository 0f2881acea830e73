"""Polygons: reading, repairing, and the overlaps of pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mmeval_like.metrics.text.exact_areas import exact_areas
from mmeval_like.writing import arrays

__all__ = ["Overlaps", "as_corners", "as_shapes", "load_shapely"]

_NEAR = 1e-6  # quotients of shapely's areas are more precise than this
_FARTHEST = 1e100  # the largest coordinate


def load_shapely() -> Any:
    """Return the module shapely; it is imported here, so that it is optional.

    Raises:
        ImportError: shapely is not installed.
    """
    try:
        import shapely
    except ImportError as error:
        raise ImportError("polygons need shapely: pip install 'mmeval-like[detection]'") from error
    return shapely


def as_corners(polygons: Any, name: str) -> list[np.ndarray]:
    """Return the corners of each polygon, float64 of shape (k, 2).

    Args:
        polygons: For each polygon at least 3 points, (2k,) as x1, y1, x2, y2, ... or (k, 2).
        name: The argument's name, for the errors.

    Raises:
        TypeError: A polygon is not numeric.
        ValueError: A shape does not fit, a polygon has too few points, or a coordinate is not
            finite or beyond 1e100.
    """
    found = [_as_points(polygon, f"{name}[{place}]") for place, polygon in enumerate(polygons)]
    if found and not (np.abs(np.concatenate(found)) <= _FARTHEST).all():
        for place, points in enumerate(found):
            if not np.isfinite(points).all():
                raise ValueError(f"{name}[{place}] must not contain nan or infinity")
            rule = f"must be within {_FARTHEST:g}, so that areas are finite"
            arrays.require(f"{name}[{place}]", points, np.abs(points) <= _FARTHEST, rule)
    return found


def as_shapes(corners: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return shapely polygons, an object array of shape (n,), and which of them are repaired.

    A polygon whose border crosses itself becomes nearly the points that it encloses an odd number
    of times: its crossings are rounded, and points may be added where the border runs along itself.
    A polygon without area becomes empty.

    Args:
        corners: The corners of each polygon, as `as_corners` returns them.

    Example:
        >>> bow_tie = [0, 0, 2, 2, 2, 0, 0, 2]
        >>> [shape], repaired = as_shapes(as_corners([bow_tie], "polygons"))
        >>> shape.area, repaired.tolist()
        (2.0, [True])
    """
    if not corners:
        return np.empty(0, object), np.empty(0, np.bool_)
    shapely = load_shapely()
    places = np.repeat(np.arange(len(corners)), [len(polygon) for polygon in corners])
    rings = shapely.linearrings(np.concatenate(corners), indices=places)
    shapes: np.ndarray = shapely.polygons(rings)
    invalid: np.ndarray = ~shapely.is_valid(shapes)
    if invalid.any():
        # A buffer of 0 keeps areas and drops the lines that collapsed parts leave.
        shapes[invalid] = shapely.buffer(shapely.make_valid(shapes[invalid]), 0)
    return shapes, invalid


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


class Overlaps:
    """The overlaps of each polygon with each of the others.

    Shapely's areas are rounded. Where a quotient of areas is near a threshold, or the border of a
    polygon crosses itself, the areas are computed again without rounding: whether an overlap is
    exactly a half is treated reliably. A threshold is taken as the decimal number that Python
    prints for it.

    Args:
        polygons: The corners of n polygons, as `as_corners` returns them.
        others: The corners of m polygons.
    """

    def __init__(self, polygons: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> None:
        self._polygons, self._others = polygons, others
        shapely = load_shapely()
        (shapes, repaired), (other_shapes, others_repaired) = as_shapes(polygons), as_shapes(others)
        self._areas = shapely.area(shapes)[:, None]
        self._other_areas = shapely.area(other_shapes)
        self._common = np.zeros((len(polygons), len(others)))
        if self._common.size:
            pairs = shapely.STRtree(other_shapes).query(shapes)  # bounding boxes overlap
            with np.errstate(all="ignore"):  # for extreme coordinates
                met = shapely.intersection(shapes[pairs[0]], other_shapes[pairs[1]])
            self._common[tuple(pairs)] = shapely.area(met)
            # Near the rounded crossings of repaired polygons, shapely's overlaps are unreliable.
            inexact = repaired[pairs[0]] | others_repaired[pairs[1]]
            for i, j in pairs[:, inexact].T.tolist():
                areas = map(float, exact_areas(polygons[i], others[j]))
                self._areas[i, 0], self._other_areas[j], self._common[i, j] = areas

    def shares_above(self, thr: float) -> np.ndarray:
        """Return whether more than a share `thr` of a polygon lies in the other, bool (n, m)."""
        return self._above(thr, self._areas, lambda area, other, common: area)

    def ious_above(self, thr: float) -> np.ndarray:
        """Return whether the intersection is more than a share `thr` of the union, bool (n, m)."""
        union = self._areas + self._other_areas - self._common
        return self._above(thr, union, lambda area, other, common: area + other - common)

    def _above(self, thr: float, wholes: np.ndarray, whole: Callable[..., Fraction]) -> np.ndarray:
        common = self._common
        quotients = np.divide(common, wholes, out=np.zeros_like(common), where=wholes > 0)
        above: np.ndarray = quotients > thr
        near = (np.abs(quotients - thr) < _NEAR) & (quotients > 0)
        for i, j in np.argwhere(near).tolist():
            areas = exact_areas(self._polygons[i], self._others[j])
            above[i, j] = areas[2] > Fraction(str(float(thr))) * whole(*areas)
        return above
