"""Intervals of bounded means that hold for any distribution: real bets have no less capital."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like._intervals.bounded_means import any_distribution
from tests.helpers.examples import examples

VALUES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 0.999, 1.0]), min_size=2, max_size=30)


def moments(values: list[float]) -> list[Fraction]:
    """The means of the first four powers."""
    exact = [Fraction(value) for value in values]
    return [sum((v**power for v in exact), Fraction(0)) / len(exact) for power in range(1, 5)]


def capital(values: list[float], supposed: float, level: float) -> float:
    """The capital of four bets on larger values, from all values, relative to the one that wins."""
    chance = (1 - level) / 2
    first = math.sqrt(-2 * math.log(chance) / (len(values) * supposed * (1 - supposed)))
    bets = np.minimum(first * 2.0 ** np.arange(4), 0.9 / supposed)
    logs = np.log1p(bets[:, None] * (np.array(values) - supposed)).sum(axis=1)
    return float(np.logaddexp.reduce(logs) - math.log(4) + math.log(chance))


@settings(max_examples=examples(60), deadline=None)
@given(VALUES, st.sampled_from([0.9, 0.95, 0.99]))
def test_the_ends_are_rejected_by_bets_on_all_values(values: list[float], level: float) -> None:
    """What four moments reject, the values themselves reject: their capital is not smaller."""
    ends = any_distribution(moments(values), len(values), level)
    assert ends is not None
    mean = sum(values) / len(values)
    assert 0 <= ends[0] <= mean + 1e-12
    assert mean - 1e-12 <= ends[1] <= 1
    if ends[0] > 0:
        assert capital(values, ends[0], level) > -1e-6
    if ends[1] < 1:
        assert capital([1 - value for value in values], 1 - ends[1], level) > -1e-6


@pytest.mark.parametrize("values", [[1.0] * 30, [1.0] * 27 + [0.0] * 3, [0.25] * 8 + [0.0] * 2])
def test_two_values_lose_nothing(values: list[float]) -> None:
    """If one of at most three values is the bound, the moments determine the capital."""
    ends = any_distribution(moments(values), len(values), 0.95)
    assert ends is not None
    assert capital(values, ends[0], 0.95) == pytest.approx(0, abs=1e-6)


def test_mirrored_values_have_mirrored_ends() -> None:
    """Scores and losses have the same interval."""
    values = [0.0, 0.9, 0.95, 1.0, 0.97, 0.9]
    low, high = any_distribution(moments(values), 6, 0.95) or (0, 0)
    mirrored = any_distribution(moments([1 - v for v in values]), 6, 0.95) or (0, 0)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_values_beyond_the_bounds_have_no_interval() -> None:
    """The moments of such values may not belong to any distribution between the bounds."""
    for odd in (1.5, -0.2):
        assert any_distribution(moments([odd, 0.4, 0.5, 0.6, 0.5]), 5, 0.95) is None
