"""Areas of polygons without rounding, and overlaps of exactly the threshold."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
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


@given(st.lists(st.integers(-20, 20), min_size=6, max_size=24), st.integers(1, 7), st.data())
def test_exact_areas_are_shapelys(flat: list[int], scale: int, data: Any) -> None:
    """For borders that cross themselves too: what is enclosed an odd number of times."""
    shapely = requires("shapely")
    corners = [
        np.array(numbers[: len(numbers) // 2 * 2], float).reshape(-1, 2) / scale
        for numbers in (flat, data.draw(st.lists(st.integers(-20, 20), min_size=6, max_size=24)))
    ]
    shapes = polygons.as_shapes(corners)
    common = shapely.area(shapely.intersection(*shapes))

    found = [*map(float, exact_areas(*corners))]
    assert found == pytest.approx([*shapely.area(shapes), common], rel=1e-9, abs=1e-9)
