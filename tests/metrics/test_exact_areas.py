"""Areas of polygons without rounding, and overlaps of exactly the threshold."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like import HmeanIoU
from mmeval_like.metrics.text import polygons
from mmeval_like.metrics.text.exact_areas import exact_areas
from tests.helpers import requires


@given(
    st.lists(st.integers(-99, 99), min_size=6, max_size=6),
    st.integers(3, 40),
    st.integers(1, 40),
    st.booleans(),
)
def test_exactly_the_threshold_is_no_match(
    numbers: list[int], whole: int, part: int, reverse: bool
) -> None:
    """An affine map with integers keeps quotients of areas: strips of a parallelogram are exact."""
    part = min(part, whole - 1)
    a, b, c, d, *shift = numbers
    if a * d == b * c:
        a, b, c, d = 7, 3, -2, 5
    strips = np.array([[[0, 0], [1, 0], [1, top], [0, top]] for top in (whole, part)])
    larger, smaller = strips @ np.array([[a, b], [c, d]]) + shift
    thr = part / whole  # as a decimal it is the quotient, or less, or more
    exact = Fraction(str(thr)) == Fraction(part, whole)
    above = Fraction(str(thr)) < Fraction(part, whole)
    images = (smaller, larger) if reverse else (larger, smaller)

    value = HmeanIoU(thr, pred_score_thrs=0.5)([[images[0]]], [[1.0]], [[images[1]]], [[False]])
    assert value["best"]["recall"] == float(above and not exact)
    ignored = HmeanIoU(ignore_precision_thr=thr, pred_score_thrs=0.5)(
        [[larger]], [[1.0]], [[smaller]], [[True]]
    )
    assert ignored["best"]["precision"] == float(above and not exact)


def enclosed(polygon: np.ndarray, x: Any, y: Any) -> Any:
    """Whether a polygon encloses points an odd number of times, by rays to the left."""
    inside = np.zeros(np.shape(x), bool)
    for ends in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        (x1, y1), (x2, y2) = sorted(ends, key=lambda end: float(end[1]))  # rounds as its reverse
        if y1 != y2:
            met = x < (x2 - x1) * (y - y1) / (y2 - y1) + x1
            inside ^= ((y1 > y) != (y2 > y)) & met
    return inside


def areas_by_faces(shapely: Any, corners: list[np.ndarray]) -> list[float]:
    """The areas of two polygons and of both, from the faces into which all edges cut the plane."""
    rings = [shapely.linestrings(np.concatenate([border, border[:1]])) for border in corners]
    cut = shapely.get_parts(shapely.union_all([shapely.node(ring) for ring in rings]))
    faces = shapely.get_parts(shapely.polygonize(cut))
    middles = shapely.point_on_surface(faces)
    within = [enclosed(c, shapely.get_x(middles), shapely.get_y(middles)) for c in corners]
    areas = shapely.area(faces)
    return [float(areas[chosen].sum()) for chosen in (*within, within[0] & within[1])]


@given(st.lists(st.integers(-20, 20), min_size=6, max_size=24), st.integers(1, 7), st.data())
def test_exact_areas_are_those_of_faces(flat: list[int], scale: int, data: Any) -> None:
    """For borders that cross themselves too: what is enclosed an odd number of times."""
    shapely = requires("shapely")
    whole = [
        np.array(numbers[: len(numbers) // 2 * 2], float).reshape(-1, 2)
        for numbers in (flat, data.draw(st.lists(st.integers(-20, 20), min_size=6, max_size=24)))
    ]
    corners = [border / scale for border in whole]
    area, other, common = found = [*map(float, exact_areas(*corners))]
    # Of whole numbers, since shapely loses faces between edges that are parallel up to rounding.
    expected = [each / scale**2 for each in areas_by_faces(shapely, whole)]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)

    overlaps = polygons.Overlaps(corners[:1], corners[1:])
    if common > 1e-6:
        iou = common / (area + other - common)
        assert overlaps.ious_above(iou - 1e-6).all()
        assert not overlaps.ious_above(iou + 1e-6).any()


def test_simple_borders_are_shapelys() -> None:
    """Convex polygons, whose areas and overlaps shapely finds."""
    shapely, rng = requires("shapely"), np.random.default_rng(0)
    for _ in range(50):
        shapes = [shapely.convex_hull(shapely.multipoints(rng.random((9, 2)))) for _ in range(2)]
        corners = [shapely.get_coordinates(shape)[:-1] for shape in shapes]
        common = shapely.area(shapely.intersection(*shapes))
        expected = [*shapely.area(shapes), common]
        assert [*map(float, exact_areas(*corners))] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_borders_that_cross_themselves_overlap_exactly() -> None:
    """Shapely finds 103.7 in common of 95 and 105.5; counted on a fine grid it is 31.91."""
    triangle = np.array([[0, 3], [9, 1], [-5, -17]], float)
    bow_tie = np.array([[14, -10], [-4, -4], [9, 1], [-5, -17]], float)
    at = np.meshgrid(np.linspace(-20, 20, 2001) + 0.0031, np.linspace(-20, 20, 2001) + 0.0017)

    counted = np.count_nonzero(enclosed(triangle, *at) & enclosed(bow_tie, *at)) * 0.02**2
    assert float(exact_areas(triangle, bow_tie)[2]) == pytest.approx(counted, rel=1e-3)
    share = counted / 95
    overlaps = polygons.Overlaps([triangle], [bow_tie])
    assert overlaps.shares_above(share - 0.01).all()
    assert not overlaps.shares_above(share + 0.01).any()
