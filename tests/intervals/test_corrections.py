"""Corrections for how many tests were made, against their definitions and scipy."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like._intervals.corrections import adjusted
from tests.helpers import requires

P_VALUES = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), max_size=7)


@given(P_VALUES)
def test_holm_is_bonferroni_of_every_intersection(values: list[float]) -> None:
    """The closure principle: the largest of the corrected p-values of all sets with this test.

    R. Marcus, E. Peritz and K. R. Gabriel, On closed testing procedures, Biometrika 1976.
    """
    found = adjusted(values, "holm")
    for place, one in enumerate(found):
        others = [p for i, p in enumerate(values) if i != place]
        sets = [
            [values[place], *chosen]
            for size in range(len(values))
            for chosen in combinations(others, size)
        ]
        assert one == pytest.approx(max(min(1.0, len(s) * min(s)) for s in sets))


@given(P_VALUES)
def test_bh_is_scipys(values: list[float]) -> None:
    """The false discovery rate of Benjamini and Hochberg."""
    theirs = requires("scipy.stats").false_discovery_control(values) if values else []
    assert adjusted(values, "bh") == pytest.approx(list(theirs))


def test_what_is_unknown_is_no_test() -> None:
    """Values that are nan stay nan, and do not count; None corrects nothing."""
    found = adjusted([0.01, math.nan, 0.03], "holm")
    assert found[::2] == [0.02, 0.03]
    assert math.isnan(found[1])
    assert adjusted([0.01, 0.03], None) == [0.01, 0.03]
