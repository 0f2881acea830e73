"""Intervals of samples in clusters: laws of their meaning, brute force, any ranks and batches."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.testing.local_world import LocalWorld
from tests.helpers.examples import examples

pytestmark = pytest.mark.filterwarnings(
    "ignore:intervals that promise less", "ignore:.*no samples", "ignore:.*undefined"
)

THREE: dict[str, Any] = {"task": "multiclass", "num_classes": 3}


def numbers(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Floats, many of them equal."""
    return (np.round(rng.lognormal(size=count), 1),)


def classes(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Predictions and labels of three classes."""
    labels = rng.integers(0, 3, count)
    return np.where(rng.random(count) < 0.7, labels, rng.integers(0, 3, count)), labels


def scores(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Scores and binary labels."""
    labels = rng.integers(0, 2, count)
    return np.round(rng.random(count) + labels / 2, 1), labels


def pairs(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Predictions and targets."""
    targets = rng.normal(size=count)
    return np.round(targets + rng.normal(size=count), 1), targets


Make = Callable[..., mm.BaseMetric]
# By name: the metric, its samples, and the key of one number.
METRICS: dict[str, tuple[Make, Callable[..., tuple[np.ndarray, ...]], str]] = {
    "mean": (mm.Mean, numbers, "mean"),
    "bounded mean": (lambda **o: mm.Mean(bounds=(0, 200), **o), numbers, "mean"),
    "accuracy": (mm.Accuracy, classes, "top1"),
    "f1": (lambda **o: mm.FBetaScore(**THREE, **o), classes, "fbeta"),
    "recall of each": (lambda **o: mm.Recall(average=None, **THREE, **o), classes, "recall"),
    "kappa": (lambda **o: mm.CohenKappa(3, **o), classes, "cohen_kappa"),
    "matrix": (lambda **o: mm.ConfusionMatrix(3, **o), classes, ""),
    "rmse": (mm.RootMeanSquaredError, pairs, ""),
    "r2": (mm.R2Score, pairs, ""),
    "auroc": (mm.AUROC, scores, "auroc"),
    "spearman": (mm.SpearmanCorrCoef, pairs, ""),
}


def computed(metric: mm.BaseMetric, *batch: Any, **options: Any) -> dict[str, Any]:
    """The intervals of a metric that got one batch."""
    metric.add(*batch, **options)
    metric.compute()
    return dict(metric.intervals)


def flat(intervals: Any) -> list[Any]:
    """All intervals of a result."""
    lists = (i if isinstance(i, list) else [i] for i in intervals.values())
    return [one for several in lists for one in several]


@pytest.mark.parametrize("size", [1, 7])
def test_equal_clusters_are_samples_of_their_means(size: int) -> None:
    """Means .2 .5 .9 .4: the standard error of the t interval, and of cluster-robust regression.

    statsmodels' `OLS` on a constant with `cov_type="cluster"` has .14719601443880 for them.
    """
    means = np.array([0.2, 0.5, 0.9, 0.4])
    rng = np.random.default_rng(size)
    noise = rng.normal(size=(4, size))
    values = means[:, None] + noise - noise.mean(axis=1, keepdims=True)
    groups = np.repeat(np.arange(4), size)
    [found] = flat(computed(mm.Mean(interval=0.95), values.reshape(-1), clusters=groups))
    assert found.standard_error == pytest.approx(0.14719601443880, abs=1e-13)
    t = 3.182446305284264  # of 3 degrees of freedom
    assert found.value - found.low == pytest.approx(t * found.standard_error, rel=1e-9)
    assert found.high - found.value > found.value - found.low  # 0.9 is far from the others
    assert (found.method, found.unit, found.units) == ("tilted t", "cluster", 4)
    assert found.thin == "there are only 4 clusters"


@pytest.mark.parametrize("count", [60, 1500])
@pytest.mark.parametrize("name", ["mean", "accuracy", "f1", "recall of each", "kappa"])
def test_a_cluster_for_each_sample_changes_no_standard_error(name: str, count: int) -> None:
    """Also where there are more clusters than are left out one by one."""
    make, draw, _ = METRICS[name]
    batch = draw(np.random.default_rng(count), count)
    alone = flat(computed(make(interval=0.9), *batch))
    together = flat(computed(make(interval=0.9), *batch, clusters=np.arange(count)[::-1]))
    for one, other in zip(alone, together, strict=True):
        # Of more than 1,024 numbers those at equal distances stand for all.
        near = {"rel": 0.1} if name == "mean" and count > 1024 else {"rel": 1e-9}
        assert other.standard_error == pytest.approx(one.standard_error, **near)
        assert (other.units, other.unit) == (count, "cluster")
        if not name.startswith("mean"):
            assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=0.01)


@pytest.mark.parametrize("name", ["mean", "accuracy", "f1", "recall of each", "kappa"])
def test_doubled_samples_tell_no_more(name: str) -> None:
    """Every sample twice, in clusters of two: the standard error of the samples once."""
    make, draw, _ = METRICS[name]
    batch = draw(np.random.default_rng(1), 50)
    twice = [np.repeat(column, 2, axis=0) for column in batch]
    alone = flat(computed(make(interval=0.9), *batch))
    together = flat(computed(make(interval=0.9), *twice, clusters=np.arange(100) // 2))
    counted = flat(computed(make(interval=0.9), *twice))
    for one, other, wrong in zip(alone, together, counted, strict=True):
        assert other.standard_error == pytest.approx(one.standard_error, rel=1e-9)
        assert wrong.standard_error < 0.8 * one.standard_error


@pytest.mark.parametrize("name", sorted(METRICS))
def test_standard_errors_are_those_of_computing_without_each_cluster(name: str) -> None:
    """The jackknife, by computing the metric of the samples of the other clusters.

    The error of a root is that of its square over twice the root.
    """
    make, draw, _ = METRICS[name]
    rng = np.random.default_rng(len(name))
    batch, groups = draw(rng, 90), rng.integers(0, 12, 90)
    metric = make(interval=0.95)
    found = flat(computed(metric, *batch, clusters=groups))
    parts = [
        flat_numbers(make()(*[column[groups != g] for column in batch])) for g in np.unique(groups)
    ]
    without = np.array(parts) ** (2 if name == "rmse" else 1)
    number = len(without)
    expected = np.sqrt(((without - without.mean(axis=0)) ** 2).sum(axis=0) * (number - 1) / number)
    if name == "rmse":
        expected /= 2 * found[0].value
    assert [one.standard_error for one in found] == pytest.approx(expected.tolist(), rel=1e-6)
    assert {one.unit for one in found} <= {"cluster"}


def flat_numbers(result: dict[str, Any]) -> list[float]:
    """The floats of a result, and those in its lists."""
    found: list[float] = []
    for value in result.values():
        if isinstance(value, float):
            found.append(value)
        elif isinstance(value, list):
            found += value
    return found


@settings(max_examples=examples(12), deadline=None)
@given(
    st.sampled_from(sorted(METRICS)), st.integers(1, 5), st.integers(1, 9), st.booleans(),
    st.booleans(), st.booleans(), st.randoms(use_true_random=False),
)  # fmt: skip
def test_the_same_bits_on_any_ranks(
    name: str, ranks: int, batch: int, with_ids: bool, texts: bool, bare: bool, random: Any
) -> None:
    """Clusters dealt over the ranks, in any order, with and without ids, some ranks empty."""
    make, draw, _ = METRICS[name]
    rng = np.random.default_rng(random.randrange(1 << 30))
    count = int(rng.integers(10, 60))
    samples, groups = draw(rng, count), rng.integers(0, 9, count)
    named = np.array([f"patient {g}" for g in groups.tolist()]) if texts else groups
    order = rng.permutation(count) if name not in ("auroc", "spearman") else np.arange(count)
    rank_of = rng.integers(0, ranks, count)

    def program(backend: Any) -> tuple[Any, Any]:
        metric = make(interval=0.95, dist_backend=backend)
        mine = order[rank_of == backend.rank]
        for start in range(0, len(mine), batch):
            here = mine[start : start + batch]
            options = {"ids": here} if with_ids else {}
            metric.add(*[column[here] for column in samples], clusters=named[here], **options)
        return metric.compute(), metric.intervals

    alone = make(interval=0.95)
    alone.add(*samples, clusters=groups)
    expected = repr((alone.compute(), alone.intervals))
    for found in LocalWorld(ranks, members_only=bare).run(program):
        assert repr(found) == expected


@pytest.mark.parametrize("name", ["accuracy", "f1", "mean"])
def test_ranks_without_samples_know_nothing_of_clusters(name: str) -> None:
    """Whichever ranks have none, what they send adds nothing."""
    make, draw, _ = METRICS[name]
    samples, groups = draw(np.random.default_rng(1), 30), np.arange(30) // 4
    alone = make(interval=0.95)
    alone.add(*samples, clusters=groups)
    expected = repr((alone.compute(), alone.intervals))
    for empty in ({0}, {1, 2}, {0, 1, 3}):

        def program(backend: Any, empty: set[int] = empty) -> str:
            metric = make(interval=0.95, dist_backend=backend)
            filled = [rank for rank in range(5) if rank not in empty]
            if backend.rank in filled:
                mine = slice(filled.index(backend.rank), None, len(filled))
                metric.add(*[column[mine] for column in samples], clusters=groups[mine])
            return repr((metric.compute(), metric.intervals))

        assert LocalWorld(5).run(program) == [expected] * 5


def test_few_clusters_are_thin() -> None:
    """One cluster: the whole range, or none; large ones beside small ones count as fewer."""
    [one] = flat(computed(mm.Accuracy(interval=0.95), [1, 0, 1], [1, 1, 1], clusters=[7, 7, 7]))
    assert (one.low, one.high, one.units) == (0.0, 1.0, 1)
    assert one.thin == "there is only one cluster"
    [none] = flat(computed(mm.Mean(interval=0.95), [1.0, 2.0], clusters=["x", "x"]))
    assert math.isnan(none.low)
    groups = [0] * 60 + [1, 2, 3, 4, 5, 6]
    [uneven] = flat(computed(mm.Mean(interval=0.95), np.arange(66.0), clusters=groups))
    assert uneven.thin == "given their sizes, 7 clusters count as 1.2"
    right, groups = np.arange(66) % 2, [n // 11 for n in range(66)]
    [enough] = flat(computed(mm.Accuracy(interval=0.95), right, right**0, clusters=groups))
    assert enough.thin is None


def test_a_maximum_has_no_interval_with_clusters() -> None:
    """It does not know what it was without a cluster, and says so."""
    [found] = flat(computed(mm.Max(interval=0.95), [1.0, 2.0, 3.0], clusters=[1, 2, 3]))
    assert math.isnan(found.low)
    assert found.thin


def drawn(rng: np.random.Generator, name: str) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Samples of 20 clusters of uneven sizes, which err alike: a correlation of 0.3 in each."""
    groups = np.repeat(np.arange(20), np.maximum(1, rng.lognormal(2, 0.6, 20).astype(int)))
    if name == "mean":
        return (rng.normal(size=20)[groups] * 0.65 + rng.normal(size=len(groups)),), groups
    right = rng.random(len(groups)) < rng.beta(0.8 * 7 / 3, 0.2 * 7 / 3, 20)[groups]
    labels = rng.integers(0, 3, len(groups))
    return (np.where(right, labels, (labels + 1) % 3), labels), groups


@pytest.mark.parametrize(("name", "truth"), [("accuracy", 0.8), ("f1", 0.8), ("mean", 0.0)])
def test_intervals_cover_with_clusters_and_not_without(name: str, truth: float) -> None:
    """200 draws from fixed seeds: of 0.95 about 0.95; without `clusters=` far fewer."""
    make = METRICS[name][0]
    rng, inside, ignored = np.random.default_rng(11), 0, 0
    for _ in range(200):
        batch, groups = drawn(rng, name)
        [one] = flat(computed(make(interval=0.95), *batch, clusters=groups))
        inside += one.low <= truth <= one.high
        [other] = flat(computed(make(interval=0.95), *batch))
        ignored += other.low <= truth <= other.high
    assert inside / 200 > 0.94 - 3 * math.sqrt(0.05 * 0.95 / 200)
    assert ignored / 200 < 0.85
