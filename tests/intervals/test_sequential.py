"""Numbers that may be looked at again and again."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like._intervals.sequential import Looks


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0.05, 0.999))
def test_the_radius_is_that_of_the_paper(planned: int, count: int, level: float) -> None:
    """Theorem 2.2 of Waudby-Smith et al. (2024), written down in floats."""
    alpha = 1 - level
    rate = max(-2 * math.log(alpha) + math.log(-2 * math.log(alpha)) + 1, -2 * math.log(alpha))
    rho2 = rate / (planned / 5)
    sigma = 0.3
    inside = 2 * (count * rho2 + 1) / (count**2 * rho2)
    wanted = sigma * math.sqrt(inside * math.log(math.sqrt(count * rho2 + 1) / alpha))
    error = Decimal(sigma) / Decimal(count).sqrt()
    assert float(Looks(planned, level).radius(error, count)) == pytest.approx(wanted, rel=1e-6)


@given(st.integers(100, 5000), st.floats(0, 0.2), st.floats(0.5, 0.999))
def test_p_is_below_alpha_where_the_interval_leaves_out_0(
    count: int, difference: float, level: float
) -> None:
    """The p-value and the interval never contradict each other."""
    looks, error = Looks(1000, level), Decimal("0.3") / Decimal(count).sqrt()
    p = looks.p_value(Decimal(difference), error, count)
    outside = Decimal(difference) > looks.radius(error, count)
    assert (p < 1 - level) == outside or p == pytest.approx(1 - level, rel=1e-9)


@given(st.integers(100, 5000), st.floats(0, 0.2), st.floats(0.5, 0.999))
def test_p_belongs_to_the_intervals_of_all_levels(
    count: int, difference: float, level: float
) -> None:
    """A sequence that is tuned for 0.95 has one p-value, below 1 - level where 0 is outside."""
    looks, error = Looks(1000, 0.95), Decimal("0.3") / Decimal(count).sqrt()
    p = looks.p_value(Decimal(difference), error, count)
    outside = Decimal(difference) > looks.radius(error, count, level)
    assert (p < 1 - level) == outside or p == pytest.approx(1 - level, rel=1e-9)
