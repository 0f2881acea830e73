"""Intervals of bounded means that hold for any distribution: real bets have no less capital."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like._intervals.bounded_means import any_clusters, any_distribution
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


def test_clusters_of_equal_sizes_are_as_samples() -> None:
    """Their interval is that of the moments of their means, whatever the size."""
    rng = np.random.default_rng(3)
    for share in (0.98, 0.6, 0.1):
        hits = [Fraction(int(n)) for n in rng.binomial(10, share, 30)]
        powers = [sum((h / 10) ** power for h in hits) / 30 for power in (1, 2, 3, 4)]
        known = any_distribution(powers, 30, 0.95)
        assert any_clusters(hits, [Fraction(10)] * 30, 0.95) == pytest.approx(known, abs=1e-11)
        thrice = any_clusters([3 * h for h in hits], [Fraction(30)] * 30, 0.95)
        assert thrice == pytest.approx(known, abs=1e-11)


def test_clusters_of_unequal_sizes_bet_on_their_sums() -> None:
    """The capital of the same bets on every cluster is at least that of the least favourable ones.

    So the end is never above that of these bets, and close to it.
    """
    rng = np.random.default_rng(4)
    for share in (0.97, 0.8, 0.3):
        sizes = rng.geometric(0.1, 60)
        hits = rng.binomial(sizes, rng.beta(9 * share, 9 * (1 - share), 60))

        def won(mean: float, hits: np.ndarray = hits, sizes: np.ndarray = sizes) -> float:
            apart, most = (hits - mean * sizes) / sizes.max(), 0.9 / mean
            bet = math.sqrt(2 * math.log(40) / (60 * mean * (1 - mean)))
            bets = [min(bet * 2**k, most) for k in range(4)]
            return float(np.mean([np.prod(1 + each * apart) for each in bets]))

        below, above = 1e-6, hits.sum() / sizes.sum()
        for _ in range(60):
            middle = (below + above) / 2
            below, above = (middle, above) if won(middle) >= 40 else (below, middle)
        counted = ([*map(Fraction, each.tolist())] for each in (hits, sizes))
        found = any_clusters(*counted, 0.95)
        assert found is not None
        assert below - 0.02 < found[0] <= below + 1e-9


def test_clusters_beyond_the_bounds_have_no_interval() -> None:
    """A mean of a cluster above 1 is no mean of values in [0, 1]."""
    assert any_clusters([Fraction(3), Fraction(1)], [Fraction(2), Fraction(2)], 0.95) is None
