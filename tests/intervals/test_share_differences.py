"""Differences of paired shares: the score interval, by a search over the likelihood."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like._intervals.share_differences import difference_of_shares, no_difference
from tests.helpers import requires
from tests.helpers.examples import examples

optimize, stats = requires("scipy.optimize"), requires("scipy.stats")

tables = st.integers(1, 200).flatmap(
    lambda n: st.tuples(st.integers(0, n), st.integers(0, n), st.just(n))
)


def score(up: int, down: int, count: int, supposed: float) -> float:
    """The score statistic, the likeliest shares under the supposed difference found by search."""

    def unlikely(share: float) -> float:
        shares = [share + supposed, share, 1 - 2 * share - supposed]
        pairs = zip((up, down, count - up - down), shares, strict=True)
        return -sum(k * math.log(p) if p > 0 else -math.inf for k, p in pairs if k)

    least, most = max(0.0, -supposed), (1 - supposed) / 2
    options = {"xatol": 1e-13, "maxiter": 500}
    found = optimize.minimize_scalar(
        unlikely, bounds=(least, most), method="bounded", options=options
    )
    share = min((least, float(found.x), most), key=unlikely)
    variance = count * (2 * share + supposed * (1 - supposed))
    return float((up - down - count * supposed) / math.sqrt(variance))


@settings(max_examples=examples(30), deadline=None)
@given(tables, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_ends_are_the_last_that_are_not_rejected(table: tuple[int, ...], level: float) -> None:
    """At an end that is no certainty the score statistic is the quantile; beyond it is larger."""
    up, down, count = table[0] * table[2] // max(sum(table[:2]), 1), table[1], table[2]
    down = min(down, count - up)
    quantile = stats.norm.ppf((1 + level) / 2)

    low, high = difference_of_shares(up, down, count, level)

    assert -1 <= low <= (up - down) / count <= high <= 1
    for end, sign in ((low, 1), (high, -1)):
        if abs(end) < 1:
            assert sign * score(up, down, count, end) == pytest.approx(quantile, rel=1e-4)
            assert sign * score(up, down, count, end - sign * 1e-4 * (1 - abs(end))) > quantile


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 1000))
def test_what_an_interval_must_keep(up: int, down: int, alike: int) -> None:
    """Mirrored tables have mirrored ends, a lower level lies inside; p and the ends agree on 0."""
    count = up + down + alike
    if count == 0:
        return
    low, high = difference_of_shares(up, down, count, 0.95)
    inside = difference_of_shares(up, down, count, 0.8)

    assert difference_of_shares(down, up, count, 0.95) == (-high, -low)
    assert low <= inside[0] <= inside[1] <= high
    assert (no_difference(up, down) < 0.05) == (not low <= 0 <= high)
    expected = stats.chi2.sf((up - down) ** 2 / max(up + down, 1), 1)
    assert no_difference(up, down) == pytest.approx(expected, rel=1e-9, abs=1e-40)


@pytest.mark.parametrize("count", [1, 10, 1000])
def test_tables_without_a_spread(count: int) -> None:
    """Nothing flips, or everything in one direction: the ends have closed forms."""
    square = stats.norm.ppf(0.975) ** 2

    none = difference_of_shares(0, 0, count, 0.95)
    every = difference_of_shares(count, 0, count, 0.95)

    assert none == pytest.approx((-square / (count + square), square / (count + square)))
    assert every == pytest.approx(((count - square) / (count + square), 1.0))


def test_coverage_of_few_flips() -> None:
    """Of 100 samples, 12.5 and 2.5 of 100 of which flip, by all tables: an end misses in 3 of 100.

    The end towards which fewer samples flip, by which gates pass, misses in 2.5 of 100 at most.
    """
    count, up, down = 100, 0.025, 0.125
    ups, downs = (found.ravel() for found in np.mgrid[0:30, 0:60])
    rest = count - ups - downs
    likely = stats.multinomial.pmf(
        np.stack([ups, downs, rest], 1), count, [up, down, 1 - up - down]
    )
    kept = np.flatnonzero(likely > 1e-7)
    ends = np.array([difference_of_shares(int(ups[i]), int(downs[i]), count, 0.95) for i in kept])

    assert likely[kept].sum() > 0.999
    assert likely[kept][ends[:, 0] > up - down].sum() <= 0.025
    assert likely[kept][ends[:, 1] < up - down].sum() <= 0.031
