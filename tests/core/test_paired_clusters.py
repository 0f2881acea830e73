"""Two systems on samples in clusters."""

import math
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing.local_world import LocalWorld
from tests.helpers import requires
from tests.helpers.paired import compared, systems

stats = requires("scipy.stats")
pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*no samples")


@pytest.mark.parametrize("size", [1, 6])
def test_equal_clusters_are_compared_as_their_means(size: int) -> None:
    """Every cluster is one difference, as `Mean` has it; on any ranks, with clusters by name.

    Student's interval, as scipy has it, lies inside.
    """
    rng = np.random.default_rng(size)
    groups = np.repeat(np.arange(30), size)
    shared = rng.normal(size=(2, 30))[:, groups]
    errors = rng.normal(size=(2, 30 * size)) + shared
    labels = np.zeros(30 * size)

    def program(backend: Any, ranks: int) -> tuple[Any, Any]:
        pair = mm.Paired(mm.MeanAbsoluteError(), dist_backend=backend)
        for side, values in ((pair.a, errors[0]), (pair.b, errors[1])):
            mine = rng.permutation(30 * size) if ranks == 1 else np.arange(30 * size)
            mine = mine[backend.rank :: ranks]
            names = [f"document {g}" for g in groups[mine].tolist()]
            side.add(values[mine], labels[mine], ids=mine, clusters=names)
        return pair.compute(), pair.intervals

    means = np.abs(errors).reshape(2, 30, size).mean(axis=2)
    apart = mm.Paired(mm.Mean(), dist_backend="non_dist")
    for side, own in ((apart.a, means[0]), (apart.b, means[1])):
        side.add(own, ids=np.arange(30))
    apart.compute()
    [one] = apart.intervals.values()
    theirs = stats.ttest_rel(means[1], means[0])
    ends = theirs.confidence_interval(0.95)
    every = [
        found
        for ranks in (1, 3)
        for found in LocalWorld(ranks).run(lambda b, n=ranks: program(b, n))
    ]
    for found, intervals in every:
        assert repr((found, intervals)) == repr(every[0])
        assert found["mae_p"] == pytest.approx(one.p)
        assert found["mae_difference_low"] == pytest.approx(one.low)
        assert found["mae_difference_high"] == pytest.approx(one.high)
        assert one.low < ends.low + 1e-9 < ends.high - 1e-9 < one.high
        assert intervals["mae_difference"].unit == "cluster"
        assert intervals["mae_difference"].units == 30


def test_a_cluster_for_each_sample_changes_no_comparison() -> None:
    """The same interval, p and flips."""
    a, b, labels = systems(300, 4)
    for metric in (mm.Accuracy(), mm.BalancedAccuracy(task="multiclass", num_classes=3)):
        alone = compared(metric, a, b, labels).compute()
        pair = mm.Paired(mm.Sliced(metric, by="x"), dist_backend="non_dist")
        for side, predictions in ((pair.a, a), (pair.b, b)):
            ids, by = np.arange(300), {"x": labels}
            side.add(predictions, labels, ids=ids, clusters=ids, by=by)
        together = pair.compute()
        assert together["all"] == pytest.approx(alone, rel=1e-9)
        which = labels == 1
        part = compared(metric, a[which], b[which], labels[which]).compute()
        key = next(name for name in part if name.endswith("_p"))
        assert together["x=1"][key] == pytest.approx(part[key], rel=1e-9)


def test_many_clusters_are_dealt_into_groups() -> None:
    """More than 1,024: fifty groups of whole clusters; the interval is about as wide."""
    a, b, labels = systems(6000, 5)
    clusters = np.arange(6000) // 4
    pair = mm.Paired(mm.Accuracy(), dist_backend="non_dist")
    for side, predictions in ((pair.a, a), (pair.b, b)):
        side.add(predictions, labels, ids=np.arange(6000), clusters=clusters)
    pair.compute()
    found = pair.intervals["top1_difference"]
    alone = compared(mm.Accuracy(), a, b, labels).intervals["top1_difference"]
    assert (found.unit, found.units) == ("group", 50)
    assert found.standard_error == pytest.approx(alone.standard_error, rel=0.3)


def test_both_systems_have_the_same_clusters() -> None:
    """Samples in other clusters are named; clusters of one system alone are refused."""
    pair = mm.Paired(mm.Accuracy(), dist_backend="non_dist")
    pair.a.add([1, 0, 1], [1, 1, 1], ids=[5, 6, 7], clusters=["x", "x", "y"])
    pair.b.add([1, 1, 1], [1, 1, 1], ids=[5, 6, 7], clusters=["x", "y", "y"])
    with pytest.raises(ValueError, match=r"same slices and clusters; the ids \[6\]"):
        pair.compute()
    pair.b.reset()
    pair.b.add([1, 1, 1], [1, 1, 1], ids=[5, 6, 7])
    with pytest.raises(ValueError, match="both systems must have clusters="):
        pair.compute()
    pair = mm.Paired(mm.Accuracy(), anytime=True, planned=9, dist_backend="non_dist")
    for side in (pair.a, pair.b):
        side.add([1], [1], ids=[5], clusters=[1])
    with pytest.raises(ValueError, match="anytime=True does not support clusters="):
        pair.compute()


def test_few_clusters_are_said_to_be_few() -> None:
    """Three clusters: the interval says so; one: there is none."""
    for number, why in ((3, "there are only 3 clusters"), (1, "there is only one cluster")):
        a, b, labels = systems(60, 6)
        pair = mm.Paired(mm.Accuracy(), dist_backend="non_dist")
        for side, predictions in ((pair.a, a), (pair.b, b)):
            side.add(predictions, labels, ids=np.arange(60), clusters=np.arange(60) % number)
        pair.compute()
        assert pair.intervals["top1_difference"].thin == why


def test_wrong_passes_are_rare_where_a_few_clusters_are_large() -> None:
    """If none of the large ones changed, they may: exactly, from the chance of every number."""
    clusters = np.repeat(np.arange(80), [10] * 8 + [1] * 72)
    share = 0.2

    def chance(count: int, changed: int) -> float:
        return math.comb(count, changed) * share**changed * (1 - share) ** (count - changed)

    def passes(large: int, small: int) -> bool:
        worse = (np.arange(80) < large) | ((np.arange(80) >= 8) & (np.arange(80) < 8 + small))
        b, labels = (~worse[clusters]).astype(int), np.ones(152, int)
        pair = mm.Paired(mm.Accuracy())
        for side, found in ((pair.a, labels), (pair.b, b)):
            side.add(found, labels, ids=range(152), clusters=clusters)
        pair.compute()
        return mm.gate(pair, "top1", margin=share).outcome == "pass"

    wrong = 0.0
    for large in range(4):  # with more, fewer than 4 of the small ones change
        small = next((n for n in range(30, 3, -1) if passes(large, n)), 3)
        wrong += chance(8, large) * sum(chance(72, n) for n in range(small + 1))
    assert wrong <= 0.031
