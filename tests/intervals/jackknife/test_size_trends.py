"""Clusters whose size tells their share of hits: the largest decide, and a sample has few."""

from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals.interval import Interval
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same


def interval_of(hits: Any, sizes: Any) -> Interval:
    """The interval of the accuracy of clusters of these sizes, with so many hits each."""
    metric = mm.Accuracy(interval=0.95)
    right = np.concatenate([np.arange(size) < hit for hit, size in zip(hits, sizes, strict=True)])
    labels = np.ones(len(right), int)
    metric.add(right.astype(int), labels, clusters=np.repeat(np.arange(len(sizes)), sizes))
    metric.compute()
    found: Interval = metric.intervals["top1"]
    return found


@pytest.mark.parametrize(("slope", "shape", "truth"), [(-0.02, (6, 2), 0.65), (0.02, (2, 6), 0.35)])
def test_the_end_beyond_which_large_clusters_lie_is_far_enough(
    slope: float, shape: tuple[int, int], truth: float
) -> None:
    """0.06 of unmarked intervals of 40 geometric clusters missed the truth on this side."""
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(300):
        sizes = rng.geometric(1 / 6, 40)
        chance = np.clip(rng.beta(*shape, 40) + slope * (sizes - 6), 0.02, 0.98)
        found = interval_of(rng.binomial(sizes, chance), sizes)
        missed += found.thin is None and (truth < found.low if slope < 0 else truth > found.high)
    assert missed / 300 < 0.045


def test_few_of_the_largest_clusters_are_allowed_for() -> None:
    """0.04 of intervals of 100 lognormal clusters ended above the true share: 13 of these 200."""
    rng = np.random.default_rng(6)
    missed = 0
    for _ in range(200):
        sizes = np.maximum(1, np.round(6 * rng.lognormal(size=100))).astype(int)
        chance = np.clip(rng.beta(6, 2, 100) - 0.01 * (sizes - 6), 0.02, 0.98)
        found = interval_of(rng.binomial(sizes, chance), sizes)
        missed += found.thin is None and found.low > 0.5743
    assert missed / 200 < 0.045


def test_hits_that_fall_with_lognormal_sizes_pass_a_gate_at_their_share_rarely() -> None:
    """A gate at the true share passed 98 of 2,000 such test sets, and 11 of these 200."""
    rng = np.random.default_rng(3)
    passed = 0
    for _ in range(200):
        sizes = np.maximum(1, np.round(rng.lognormal(1.5, 1, 100))).astype(int)
        found = interval_of(rng.binomial(sizes, np.clip(0.95 - 0.006 * sizes, 0, 1)), sizes)
        passed += found.thin is None and found.low > 0.8317
    assert passed / 200 < 0.045


def test_swapped_hits_have_the_mirrored_interval() -> None:
    """Small clusters with many hits, and large clusters with few, and the other way round."""
    sizes = np.repeat([2, 5, 10, 30], [14, 10, 6, 2])
    hits = np.round(sizes * np.where(sizes < 10, 0.9, 0.3)).astype(int)
    one, other = interval_of(hits, sizes), interval_of(sizes - hits, sizes)
    assert one.method == other.method == "Wilson, effective n, tilted t"
    assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low), abs=1e-12)


def test_without_a_trend_the_interval_is_that_of_the_standard_error() -> None:
    """Clusters of all sizes have the same shares; and clusters of one size have no trend."""
    sizes = np.repeat([10, 20, 40], 20)
    hits = np.round(sizes * np.tile([0.3, 0.6, 0.7, 0.9], 15)).astype(int)
    assert interval_of(hits, sizes).method == "Wilson, effective n"
    assert interval_of(np.repeat([1, 9, 10], 10), np.full(30, 10)).method == "Wilson, effective n"


def test_ranks_do_not_matter() -> None:
    """The same bits, whichever of three ranks has a sample of a cluster."""
    sizes = np.repeat([2, 5, 10, 31], [14, 10, 6, 2])
    right = np.concatenate([np.arange(n) < n * (0.9 if n < 10 else 0.3) for n in sizes])
    hits, labels = right.astype(int), np.ones(len(right), int)
    clusters = np.repeat(np.arange(32), sizes)

    def of_rank(backend: Any) -> Any:
        metric = mm.Accuracy(interval=0.95, dist_backend=backend)
        mine = slice((backend.rank + 1) % 3, None, 3)
        metric.add(hits[mine], labels[mine], clusters=clusters[mine])
        return metric.compute()

    whole = mm.Accuracy(interval=0.95, dist_backend="non_dist")
    whole.add(hits[::-1], labels, clusters=clusters[::-1])
    expected = whole.compute()
    assert whole.intervals["top1"].method == "Wilson, effective n, tilted t"
    assert all(same(found, expected) for found in LocalWorld(3).run(of_rank))
