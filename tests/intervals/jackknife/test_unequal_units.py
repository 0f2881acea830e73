"""Two systems on clusters of unequal sizes: neither too narrow nor too wide."""

import math
from bisect import bisect_left

import numpy as np
import pytest

import mmeval_like as mm
from tools.paired_worlds import compared

stats = pytest.importorskip("scipy.stats")
pytestmark = pytest.mark.filterwarnings("ignore")

SEED = 20261130


@pytest.mark.parametrize("spread", [0.7, 1.0])
def test_flips_in_clusters_of_unequal_sizes_are_found(spread: float) -> None:
    """Samples flip one by one: at most 1.3 times as wide as Student's interval of residuals.

    No cluster flips as a whole, and 150 show that. The intervals were 2 or 4 times as wide.
    """
    rng, widths = np.random.default_rng(SEED), []
    for _ in range(5):
        sizes = np.maximum(1, np.round(5 * rng.lognormal(0, spread, 150))).astype(int)
        clusters = np.repeat(np.arange(150), sizes)
        apart = rng.choice([-1, 0, 1], len(clusters), p=[0.04, 0.89, 0.07])
        one = compared(mm.Mean(bounds=(-1, 1)), apart, clusters)
        residuals = np.bincount(clusters, apart - apart.mean())
        error = math.sqrt((residuals**2).sum() * 150 / 149) / len(clusters)
        widths.append((one.high - one.low) / (2 * stats.t.ppf(0.975, 149) * error))

    assert min(widths) >= 1
    assert np.median(widths) <= 1.3


def test_flips_of_heavy_samples_are_found() -> None:
    """Of 400 samples with lognormal weights, 5% flip: at most 2 times as wide as Student's.

    They were 2.4 times as wide.
    """
    rng, widths = np.random.default_rng(SEED), []
    for _ in range(5):
        weights, worse = rng.lognormal(0, 1, 400), rng.random(400) < 0.05
        pair = mm.Paired(mm.Accuracy(use_sample_weight=True), dist_backend="non_dist")
        for side, hits in ((pair.a, np.ones(400, int)), (pair.b, 1 - worse)):
            side.add(hits, np.ones(400, int), sample_weight=weights, ids=np.arange(400))
        pair.compute()
        [one] = pair.intervals.values()
        residuals = weights * (worse - np.average(worse, weights=weights))
        error = math.sqrt((residuals**2).sum() * 400 / 399) / weights.sum()
        widths.append((one.high - one.low) / (2 * stats.t.ppf(0.975, 399) * error))

    assert np.median(widths) <= 2


def test_large_clusters_that_did_not_change_may() -> None:
    """20 of 200 clusters are large, and each is lost with a chance of 10%: exactly, by all numbers.

    3.3% of gates at the margin passed wrongly.
    """
    clusters = np.repeat(np.arange(200), [10] * 20 + [1] * 180)
    share, wrong = 0.1, 0.0

    def fails(large: int, small: int) -> bool:
        lost = (np.arange(200) < large) | ((np.arange(200) >= 20) & (np.arange(200) < 20 + small))
        one = compared(mm.Accuracy(), 1.0 * lost[clusters], clusters)
        return one.thin is not None or one.low < -share

    for large in range(3):  # with more, hardly any of the small ones may change
        small = range(4, 40) if large == 0 else range(4 - large, 40)
        passing = bisect_left(small, True, key=lambda n, large=large: fails(large, n))
        chance = stats.binom.cdf(small[0] + passing - 1, 180, share) if passing else 0.0
        wrong += stats.binom.pmf(large, 20, share) * chance
    assert wrong <= 0.025
