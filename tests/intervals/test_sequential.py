"""Numbers that may be looked at again and again."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like._intervals.sequential import Looks, two_sided_at_any_time
from tests.helpers import requires


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


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_test_of_coins_is_a_ratio_of_beta_functions(heads: int, tails: int) -> None:
    """1 / (2^n B(10 + heads, 10 + tails) / B(10, 10)), as scipy has it; it is symmetric."""
    special = requires("scipy.special")
    log = special.betaln(10 + heads, 10 + tails) - special.betaln(10, 10)
    wanted = min(1.0, math.exp(-log - (heads + tails) * math.log(2)))
    assert two_sided_at_any_time(heads, tails) == pytest.approx(wanted, rel=1e-9)
    assert two_sided_at_any_time(heads, tails) == two_sided_at_any_time(tails, heads)


def test_the_test_of_coins_is_a_fair_bet() -> None:
    """The expected likelihood ratio after one more throw is the one before: a martingale."""
    heads, tails = 7, 31

    def ratio(more_heads: int, more_tails: int) -> Fraction:
        count = heads + tails + more_heads + more_tails
        ways = math.comb(count + 18, heads + more_heads + 9) * (count + 19)
        return Fraction(math.comb(18, 9) * 19 << count, ways)

    assert (ratio(1, 0) + ratio(0, 1)) / 2 == ratio(0, 0)
    assert float(1 / ratio(0, 0)) == two_sided_at_any_time(heads, tails)


def test_looks_at_coins_seldom_mislead() -> None:
    """Of 1,000 fair sequences that are looked at 55 times at most 5 of 100 ever seem unfair.

    With a test for one look it is more than 25: so this test can fail.
    """
    rng = np.random.default_rng(0)
    looks = np.linspace(20, 2000, 55).astype(int)
    heads = np.cumsum(rng.random((1000, 2000)) < 0.5, axis=1)[:, looks - 1]
    usual = np.abs(2 * heads - looks) / np.sqrt(looks) > 1.96
    known = {(h, n): two_sided_at_any_time(h, n - h) < 0.05 for h, n in _pairs(heads, looks)}
    ours = [any(known[int(h), int(n)] for h, n in zip(row, looks, strict=True)) for row in heads]
    assert np.mean(ours) <= 0.05
    assert usual.any(axis=1).mean() > 0.25


def _pairs(heads: np.ndarray, looks: np.ndarray) -> set[tuple[int, int]]:
    return {(int(h), int(n)) for row in heads for h, n in zip(row, looks, strict=True)}
