"""Areas of polygons without rounding, so that an overlap of exactly one half is reliable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TypeAlias

import numpy as np

__all__ = ["exact_areas"]

_Point: TypeAlias = "tuple[Fraction, Fraction]"  # height, and position at this height
_Edge: TypeAlias = "tuple[_Point, _Point]"  # the lower end, then the higher end


def exact_areas(polygon: np.ndarray, other: np.ndarray) -> tuple[Fraction, Fraction, Fraction]:
    """Return the areas of two polygons, and of their intersection.

    A polygon consists of the points that its border encloses an odd number of times. Between two
    neighbouring heights of corners and crossings no edges cross: the region between two edges is a
    trapezoid, whose area is its height times its width in the middle.

    Args:
        polygon: The corners of the first polygon (k, 2), finite.
        other: The corners of the other polygon (l, 2).

    Example:
        >>> square, triangle = np.array([[0, 0], [2, 0], [2, 2], [0, 2]]), np.eye(3, 2) * 3
        >>> exact_areas(square, triangle)
        (Fraction(4, 1), Fraction(9, 2), Fraction(7, 2))
    """
    borders = [(0, edge) for edge in _edges(polygon)] + [(1, edge) for edge in _edges(other)]
    edges = [edge for _, edge in borders]
    heights = {end[0] for edge in edges for end in edge} | set(_crossings(edges))
    areas = [Fraction(0)] * 3
    for low, high in pairwise(sorted(heights)):
        middle = (low + high) / 2
        met = [(_place(e, middle), which) for which, e in borders if e[0][0] < middle < e[1][0]]
        inside = [False, False]
        for (left, which), (right, _) in pairwise(sorted(met)):
            inside[which] = not inside[which]
            for place, counts in enumerate((*inside, all(inside))):
                areas[place] += (right - left) * (high - low) * counts
    return areas[0], areas[1], areas[2]


def _edges(polygon: np.ndarray) -> list[_Edge]:
    """Return the edges that are not horizontal."""
    points = [(Fraction(y), Fraction(x)) for x, y in polygon.tolist()]
    edges = [(min(pair), max(pair)) for pair in pairwise([*points, points[0]])]
    return [(low, high) for low, high in edges if low[0] < high[0]]


def _crossings(edges: Iterable[_Edge]) -> Iterator[Fraction]:
    """Yield the heights at which two edges cross."""
    for one, other in combinations(edges, 2):
        low, high = max(one[0][0], other[0][0]), min(one[1][0], other[1][0])
        if low < high:
            below = _place(one, low) - _place(other, low)
            above = _place(one, high) - _place(other, high)
            if below * above < 0:
                yield low + (high - low) * below / (below - above)


def _place(edge: _Edge, height: Fraction) -> Fraction:
    """Return the position of an edge at a height."""
    (low, start), (high, end) = edge
    return start + (end - start) * (height - low) / (high - low)
