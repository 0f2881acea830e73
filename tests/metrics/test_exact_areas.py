"""Areas of polygons without rounding, and overlaps of exactly the threshold."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mmeval_like import HmeanIoU
from mmeval_like.metrics._shared import polygons
from mmeval_like.metrics._shared.exact_areas import exact_areas
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


@given(st.lists(st.integers(-20, 20), min_size=6, max_size=10), st.integers(1, 7), st.data())
def test_exact_areas_are_shapelys(flat: list[int], scale: int, data: Any) -> None:
    """Of borders that do not cross themselves: repaired ones have rounded crossings there."""
    shapely = requires("shapely")
    corners = [
        np.array(numbers[: len(numbers) // 2 * 2], float).reshape(-1, 2) / scale
        for numbers in (flat, data.draw(st.lists(st.integers(-20, 20), min_size=6, max_size=10)))
    ]
    assume(all(shapely.is_valid(shapely.polygons(polygon)) for polygon in corners))
    shapes = polygons.as_shapes(corners)
    common = shapely.area(shapely.intersection(*shapes))

    found = [*map(float, exact_areas(*corners))]
    assert found == pytest.approx([*shapely.area(shapes), common], rel=1e-9, abs=1e-9)


def test_borders_that_cross_themselves_overlap_exactly() -> None:
    """Shapely finds 103.7 in common of 95 and 105.5; counted on a fine grid it is 31.91."""
    triangle = np.array([[0, 3], [9, 1], [-5, -17]], float)
    bow_tie = np.array([[14, -10], [-4, -4], [9, 1], [-5, -17]], float)
    x, y = np.meshgrid(np.linspace(-20, 20, 2001) + 0.0031, np.linspace(-20, 20, 2001) + 0.0017)

    def enclosed(polygon: np.ndarray) -> np.ndarray:
        inside = np.zeros(x.shape, bool)
        for (x1, y1), (x2, y2) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            inside ^= ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
        return inside

    counted = np.count_nonzero(enclosed(triangle) & enclosed(bow_tie)) * 0.02**2
    assert float(exact_areas(triangle, bow_tie)[2]) == pytest.approx(counted, rel=1e-3)
    share = counted / 95
    overlaps = polygons.Overlaps([triangle], [bow_tie])
    assert overlaps.shares_above(share - 0.01).all()
    assert not overlaps.shares_above(share + 0.01).any()
