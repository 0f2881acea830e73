"""Quantiles of the normal and of Student's t distribution, against scipy."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mmeval_like._intervals.distributions import normal_cdf, normal_quantile, t_cdf, t_quantile
from tests.helpers import requires

special = requires("scipy.special")
stats = requires("scipy.stats")

PROBABILITIES = st.floats(1e-9, 1 - 1e-9)
FREEDOMS = st.one_of(st.integers(1, 320), st.integers(321, 10**7))  # on both sides of the switch


@given(PROBABILITIES)
def test_normal_quantiles_are_scipys(probability: float) -> None:
    """The normal quantile, and the probability of it, are scipy's to 13 digits."""
    value = normal_quantile(probability)

    assert value == pytest.approx(stats.norm.ppf(probability), rel=1e-12, abs=1e-12)
    assert normal_cdf(value) == pytest.approx(probability, rel=1e-12)


@given(PROBABILITIES, FREEDOMS)
def test_t_quantiles_are_scipys(probability: float, df: int) -> None:
    """Student's t: scipy's to 11 digits, by the finite sums and by the expansion."""
    value = t_quantile(probability, df)

    # Far in the tails and with few degrees of freedom scipy itself has fewer digits.
    assert value == pytest.approx(stats.t.ppf(probability, df), rel=2e-9, abs=1e-12)
    assert t_cdf(value, df) == pytest.approx(probability, rel=1e-9)


@given(st.floats(0, 1e15), FREEDOMS)
@example(30.0, 301)
@example(1e14, 10**7)
@example(1e-6, 1)
@example(6.4e-9, 1)
def test_probabilities_of_any_value_are_scipys(value: float, df: int) -> None:
    """However far out a value is, its tail has scipy's probability, which may be 0."""
    assert t_cdf(-value, df) == pytest.approx(stats.t.cdf(-value, df), rel=1e-6, abs=1e-30)
    # scipy's own is off by 4e-9 near 0, with one degree of freedom.
    square = value * value
    inner = 0.5 + special.betainc(0.5, df / 2, square / (df + square)) / 2
    expected = inner if square < df else 1 - stats.t.cdf(-value, df)
    assert t_cdf(value, df) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 29, 30, 299, 300, 301, 302, 1000, 10**7])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_usual_levels_are_scipys_to_the_last_digits(level: float, df: int) -> None:
    """At the levels that people use all digits agree, next to the switch as well."""
    upper = (1 + level) / 2

    theirs = stats.t.ppf(upper, df)  # before scipy 1.16 it has 10 digits: its cdf has all of them

    assert t_quantile(upper, df) == pytest.approx(theirs, rel=5e-11)
    assert stats.t.cdf(t_quantile(upper, df), df) == pytest.approx(upper, rel=1e-14)


@given(PROBABILITIES.filter(lambda p: p != 0.5), st.integers(1, 320))
def test_quantiles_are_antisymmetric(probability: float, df: int) -> None:
    """The quantile of p and that of 1 - p are opposite, where 1 - p is exact."""
    other = 1 - probability
    if 1 - other == probability:
        assert t_quantile(probability, df) == pytest.approx(-t_quantile(other, df), rel=1e-12)


@pytest.mark.parametrize("probability", [0.0, 1.0, -1.0, math.nan, math.inf])
def test_what_is_no_probability_is_refused(probability: float) -> None:
    """A probability of 0, 1, or none at all is a ValueError that names the argument."""
    with pytest.raises(ValueError, match="probability must lie between 0 and 1"):
        normal_quantile(probability)
    with pytest.raises(ValueError, match="probability must lie between 0 and 1"):
        t_quantile(probability, 3)


def test_degrees_of_freedom_are_positive() -> None:
    """No degree of freedom is a ValueError."""
    with pytest.raises(ValueError, match="df must be a positive integer, got 0"):
        t_quantile(0.975, 0)
    with pytest.raises(ValueError, match="df must be a positive integer, got 0"):
        t_cdf(0.5, 0)
