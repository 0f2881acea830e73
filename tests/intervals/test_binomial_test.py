"""Tests of fair coins: exact, also of more throws than integers are quick for."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like._intervals.binomial_test import binomial_test
from tests.helpers.examples import examples


def exact(fewer: int, every: int) -> float:
    """The sum of all terms of the tail, in integers."""
    total, term = 0, 1
    for heads in range(fewer + 1):
        total += term
        term = term * (every - heads) // (heads + 1)
    return min(float(Fraction(2 * total, 1 << every)), 1.0)


@given(st.integers(1990, 2600), st.floats(0, 1))
@settings(max_examples=examples(40), deadline=None)
def test_many_throws_are_tested_as_exactly_as_few(every: int, share: float) -> None:
    """On both sides of 2,000 throws, to the last bit; probabilities that underflow are 0."""
    fewer = round(every // 2 * share)
    assert binomial_test(fewer, every) == exact(fewer, every)


@pytest.mark.parametrize("fewer", [0, 3, 900, 1000])
def test_where_one_side_is_rare(fewer: int) -> None:
    """Of 2,001 throws few are heads."""
    assert binomial_test(fewer, 2001) == exact(fewer, 2001)
    assert math.isfinite(binomial_test(fewer, 10**6))
