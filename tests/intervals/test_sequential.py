"""Numbers that may be looked at again and again."""

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like._intervals.sequential import LEAST_DIFFERENT, Looks, added_flips


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


def test_a_gate_at_the_true_difference_seldom_passes_at_any_look() -> None:
    """All flips go in one direction: of 10,000 streams, at most 2.5 in 100 pass; 3.1 did.

    There is a look after every sample, from 400 samples on, where the first streams have 20 flips.
    """
    rng, streams, share = np.random.default_rng(3), 10_000, 0.05
    looks, counts = Looks(10_000, 0.95), np.arange(400, 6000)
    radii = np.array([float(looks.radius(Decimal(1), int(count))) for count in counts])
    added, passed = added_flips(1.0), 0
    for _ in range(streams // 200):
        before = rng.binomial(counts[0] - 1, share, (200, 1))
        flips = before + (rng.random((200, len(counts)), np.float32) < share).cumsum(axis=1)
        mean = flips / counts
        error = np.sqrt(mean * (1 - mean) / (counts - 1) + added / counts**2)
        passes = (share - mean > radii * error) & (flips >= LEAST_DIFFERENT)
        passed += int(passes.any(axis=1).sum())
    assert 0 < passed / streams < 0.025 + 2 * math.sqrt(0.025 * 0.975 / streams), passed
