"""Samples that are left out one by one: the variance of a mean, and which ones are chosen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like._intervals.jackknife.left_out import MOST_UNITS, chosen_units, variance_without_one


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=50))
def test_the_variance_of_a_mean_is_the_usual_one(values: list[int]) -> None:
    """For a mean, leaving samples out gives the sample variance over n."""
    numbers = np.array(values, float)
    without = [(numbers.sum() - value) / (len(values) - 1) for value in values]

    found = variance_without_one(without, [1] * len(values), len(values))

    assert found == pytest.approx(numbers.var(ddof=1) / len(values), rel=1e-9, abs=1e-12)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=3000))
def test_units_are_chosen_in_proportion(numbers: list[int]) -> None:
    """All kinds if they are few; else 1,024 samples at equal distances, the common kinds more."""
    places, weights = chosen_units(numbers)

    if len(numbers) <= MOST_UNITS:
        assert (places, weights) == ([*range(len(numbers))], numbers)
        return
    assert sum(weights) == MOST_UNITS
    assert places == sorted(set(places))
    passed = np.cumsum([0, *numbers])
    for place, weight in zip(places, weights, strict=True):
        expected = MOST_UNITS * numbers[place] / passed[-1]
        assert abs(weight - expected) < 1
