"""Failures that are not among the samples: how far intervals of bounded means allow for them.

The worlds contain no failure; the shares of misses are those of all test sets, with the probability
that there is none. The seeds are fixed.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

import mmeval_like as mm
from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.tails import show_failures, unseen_failures

LEVELS = (0.8, 0.9, 0.95, 0.975, 0.99, 0.999, 0.9999)


def interval_of(metric: Any, *batch: Any, **named: Any) -> Interval:
    """The first interval of a metric of one batch."""
    metric.add(*batch, **named)
    metric.compute()
    found: Interval = next(iter(metric.intervals.values()))
    return found


def rate_of_misses(
    shape: tuple[float, float], failing: float, count: int, level: float, times: int
) -> float:
    """How often a test set has no failure and its unmarked interval is above the true mean."""
    rng = np.random.default_rng(count)
    truth, missed = (1 - failing) * shape[0] / sum(shape), 0
    for _ in range(times):
        one = interval_of(mm.Mean(bounds=(0, 1), interval=level), rng.beta(*shape, count))
        missed += one.thin is None and one.low > truth
    return (1 - failing) ** count * missed / times


@pytest.mark.parametrize(("shape", "failing", "count"), [
    ((16, 1.6), 0.01, 240), ((20, 2), 0.01, 280), ((7, 3), 0.03, 50),
])  # fmt: skip
def test_a_failure_that_would_not_make_most_of_the_variance(
    shape: tuple[float, float], failing: float, count: int
) -> None:
    """Intervals by the standard error missed on this side in 3.3% to 3.9% of these draws."""
    assert rate_of_misses(shape, failing, count, 0.95, 60) < 0.03


@pytest.mark.parametrize(("level", "times"), [(0.99, 50), (0.9999, 30)])
def test_400_samples_do_not_show_failures_of_1_percent_at_higher_levels(
    level: float, times: int
) -> None:
    """As at 0.95, they had the usual interval: 1.5% and 0.6% were above the truth."""
    assert rate_of_misses((30, 3), 0.01, 400, level, times) < 1.3 * (1 - level) / 2


def test_samples_show_failures_if_none_is_as_rare_as_a_miss() -> None:
    """With 0.99^n, the probability of no failure."""
    for level in LEVELS:
        least = next(n for n in range(2000) if show_failures(n, level))
        assert 0.99**least <= (1 - level) / 2 < 0.99 ** (least - 1)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99, 0.9999])
def test_the_end_is_students_with_a_larger_chance_moved_by_the_failures(level: float) -> None:
    """A miss given no failure, times the probability of no failure, is a miss of the level."""
    chance = (1 - level) / 2
    quantile = norm.ppf(1 - chance)
    for count in (20, 90, 229):
        for size in np.linspace(0.05, 1.5, 12):
            farthest, error = 0.8, 0.8 / count / size
            none = (1 - np.arange(1, count) / count) ** count
            every = np.flatnonzero(none > chance)
            arms = (every + 1) * farthest / count
            arms += t.ppf(1 - chance / none[every], count - 1) * error
            found = unseen_failures(count, farthest, error, level)
            if found:
                assert found == pytest.approx(arms.max(), rel=1e-9)
            else:  # none would matter
                assert size < quantile
                assert arms.max() < t.ppf(1 - chance, count - 1) * error


def test_an_interval_of_a_higher_level_contains_that_of_a_lower_one() -> None:
    """Also where samples are many at the one and few at the other, and in clusters."""
    rng = np.random.default_rng(8)
    for count, spread in ((60, 0.1), (240, 0.04), (240, 0.06), (350, 0.02), (400, 0.03)):
        scores = np.clip(rng.normal(0.9, spread, count), 0, 1)
        hits, clusters = (rng.random(4 * count) < 0.9).astype(int), np.arange(4 * count) // 4
        alone = [interval_of(mm.Mean(bounds=(0, 1), interval=level), scores) for level in LEVELS]
        together = [
            interval_of(mm.Accuracy(interval=level), hits, hits**0, clusters=clusters)
            for level in (LEVELS if count == 60 else ())
        ]
        for several in (alone, together):
            for one, other in pairwise(several):
                assert other.low <= one.low <= one.high <= other.high


def test_hits_in_clusters_at_a_higher_level() -> None:
    """60 clusters with 90% hits, of which 4% fail: half of the intervals without one missed."""
    rng, clusters = np.random.default_rng(9), np.arange(600) // 10
    for _ in range(6):
        hits = (rng.random(600) < 0.9).astype(int)
        one = interval_of(mm.Accuracy(interval=0.99), hits, hits**0, clusters=clusters)
        assert one.thin is None
        assert one.low < 0.96 * 0.9


def test_heavy_samples_at_a_higher_level() -> None:
    """Ten unseen ones may fail at 0.9999, and about four at 0.95, as long as none is seen.

    Of 1,200 samples, 400 are heavy: these show failures at 0.95 alone.
    """
    rng = np.random.default_rng(10)
    scores, weights = rng.beta(30, 3, 1200), np.repeat([1.0, 10.0], [800, 400])
    usual, wide = (
        interval_of(mm.Mean(bounds=(0, 1), interval=level), scores, sample_weight=weights)
        for level in (0.95, 0.9999)
    )
    one = 10 / weights.sum() * usual.value
    assert usual.value - usual.low < 3 * one
    assert wide.value - wide.low > 9 * one
