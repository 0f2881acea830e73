"""Differences of independent values: p-values far beyond the level, as many slices need them."""

import math

import numpy as np
import pytest

from mmeval_like._intervals.independent import difference_of
from mmeval_like._intervals.interval import Interval, estimate, share


def share_of(hits: int, count: int, level: float) -> Interval:
    """The interval of a share of hits."""
    return share(hits / count, level, count, (0.0, 1.0))


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    ("slices", "count", "rate", "level"),
    [(100, 100, 0.07, 0.95), (50, 400, 0.0225, 0.95), (20, 200, 0.065, 0.8), (50, 100, 0.12, 0.8)],
)
def test_many_slices_of_rare_hits_are_named_no_more_often_than_the_level_says(
    slices: int, count: int, rate: float, level: float, mirrored: bool
) -> None:
    """The chances of all slices that differ by chance, from the binomial distribution, add up.

    By Bonferroni's correction, one of 100 slices without a hit was named in 7% of cases, not 5%: a
    p-value is that of the interval which ends at 0, and intervals of rare hits grow faster towards
    the middle than the quantile.
    """
    others = (slices - 1) * count
    rest = round(rate * others)
    known = share_of(others - rest if mirrored else rest, others, level)
    named = 0.0
    for hits in range(count + 1):
        chance = math.comb(count, hits) * rate**hits * (1 - rate) ** (count - hits)
        if chance < 1e-9:
            continue
        one = share_of(count - hits if mirrored else hits, count, level)
        if difference_of(one, known).p * slices < 1 - level:
            named += chance * slices
    assert 0 < named <= 1 - level


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("counts", [(20, 20), (12, 150)])
def test_p_is_below_the_level_exactly_if_0_is_outside(
    counts: tuple[int, int], level: float
) -> None:
    """The interval and the p-value of two shares never contradict each other."""
    outside = 0
    for one in range(counts[0] + 1):
        for other in range(0, counts[1] + 1, 3):
            found = difference_of(
                share_of(one, counts[0], level), share_of(other, counts[1], level)
            )
            apart = not found.interval.low <= 0 <= found.interval.high
            assert (found.p < 1 - level) == apart
            outside += apart
    assert outside


def test_shares_in_per_cent_have_the_same_p() -> None:
    """The unit of the values changes no p-value."""
    for hits in (0, 2, 9):
        one = difference_of(share_of(hits, 100, 0.95), share_of(80, 900, 0.95))
        percent = difference_of(
            share(100.0 * hits / 100, 0.95, 100, (0.0, 100.0)),
            share(100 * 80 / 900, 0.95, 900, (0.0, 100.0)),
        )
        assert percent.p == pytest.approx(one.p, rel=1e-9)


@pytest.mark.parametrize("rates", [(0.02, 0.03, 0.95), (0.1, 0.2, 0.7), (0.005, 0.015, 0.98)])
def test_slices_of_bounded_values_are_named_no_more_often_than_the_level_says(
    rates: tuple[float, ...],
) -> None:
    """Of scores of 0, 1/2 and 1, also at the level of ten slices, where arms are extrapolated."""
    rng = np.random.default_rng(6)

    def score_of(count: int) -> Interval:
        values = rng.choice([0.0, 0.5, 1.0], count, p=rates)
        variance = float(values.var(ddof=1)) / count
        return estimate(float(values.mean()), variance, (0.0, 1.0), 0.95, count, count - 1)

    found = [difference_of(score_of(20), score_of(180)).p for _ in range(600)]
    for level, most in ((0.05, 0.065), (0.005, 0.009)):
        assert np.mean(np.less(found, level)) < most
