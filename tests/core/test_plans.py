"""Plans in plans: what one member needs does not change what another one says."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._samples.combine import combine
from mmeval_like.testing.same import same

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

BY = {"x": list("aabbab"), "y": list("kllkkl")}
PREDICTIONS, LABELS = [1, 1, 0, 1, 0, 1], [1, 1, 1, 0, 0, 1]


class Counting(mm.Accuracy):
    """A metric with an `add` of its own, which remembers how often it was called."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.seen = 0

    def add(self, *batch: Any, **named: Any) -> None:
        """Count."""
        self.seen += 1
        super().add(*batch, **named)

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Also how often."""
        return {**super().compute_metric(results), "seen": self.seen}


class Clearing(mm.ConfusionMatrix):
    """A metric that changes its results in place."""

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """Clear them."""
        found = super().compute_metric(results)
        results.matrix[:] = 0
        return found


@pytest.mark.parametrize("order", [("sure", "plain"), ("plain", "sure")])
def test_members_of_slices_have_keys_of_their_own(order: tuple[str, str]) -> None:
    """With clusters, a member with intervals has other keys than one without."""
    makers = {"sure": mm.Precision(interval=0.9), "plain": mm.MeanSquaredError()}
    sliced = mm.Sliced(mm.MetricCollection({name: makers[name] for name in order}), by="x")
    sliced.add(PREDICTIONS, LABELS, by={"x": BY["x"]}, clusters=[0, 1, 2, 3, 4, 5])
    found = sliced.compute()

    for value in "ab":
        which = [place for place, one in enumerate(BY["x"]) if one == value]
        rows = [np.array(PREDICTIONS)[which], np.array(LABELS)[which]]
        assert found[f"x={value}"]["plain"] == mm.MeanSquaredError()(*rows)
        assert found[f"x={value}"]["sure"]["precision"] == mm.Precision()(*rows)["precision"]


@pytest.mark.parametrize("first", ["plain", "sliced"])
def test_slices_of_slices_of_some_members(first: str) -> None:
    """Members with slices of their own stand beside members without, in any order."""
    members = {"plain": mm.Accuracy(), "sliced": mm.Sliced(mm.Accuracy(), by="y")}
    order = [first, *(name for name in members if name != first)]
    outer = mm.Sliced(mm.MetricCollection({name: members[name] for name in order}), by="x")
    outer.add(PREDICTIONS, LABELS, by=BY)
    found = outer.compute()

    alone = mm.Sliced(mm.Accuracy(), by=[("x",), ("x", "y")])
    alone.add(PREDICTIONS, LABELS, by=BY)
    expected = alone.compute()
    assert found["x=a"]["plain"] == expected["x=a"] == found["x=a"]["sliced"]["all"]
    assert found["x=b"]["sliced"]["y=k"] == expected["x=b,y=k"]


@pytest.mark.parametrize("sliced", [False, True])
def test_merged_results_are_concluded_as_those_of_each_metric_alone(sliced: bool) -> None:
    """Members that share results, derive them or change them in place get what is their own."""
    alone: dict[str, Any] = {
        "changes": Clearing(num_classes=2),
        "accuracy": mm.Accuracy(thrs=None),  # follows from the matrix
        "matrix": mm.ConfusionMatrix(2),
        "sure": mm.MeanSquaredError(interval=0.9),
        "again": mm.ConfusionMatrix(2),
        **({"sliced": mm.Sliced(mm.Accuracy(), by="x")} if sliced else {}),
    }
    by = {"by": {"x": BY["x"]}}
    metrics = mm.MetricCollection(alone)
    metrics.add(PREDICTIONS, LABELS, **(by if sliced else {}))
    plan = metrics.plan
    merged = [
        combine(store.states, [store.part()], kept=None, mode="unzip", size=None)[0]
        for store in metrics._samples().stores()
    ]
    found = plan.concluded(merged)

    assert same(found, dict(metrics.compute()))
    for name, metric in alone.items():
        metric.add(PREDICTIONS, LABELS, **(by if name == "sliced" else {}))
        assert same(found[name], dict(metric.compute()))


def test_a_merge_or_subtract_that_fails_changes_nothing() -> None:
    """Neither the slot that refuses, nor the slots before it."""

    def made() -> Any:
        return mm.MetricCollection(a=mm.Accuracy(), w=mm.Windowed(mm.Accuracy(), 4, 2))

    both, other = made(), made()
    for one in (both, other):
        one.add(PREDICTIONS, LABELS)
    both.merge(other)
    before = both.compute()
    with pytest.raises(TypeError, match="drops old ones itself"):
        both.subtract(other)
    assert same(both.compute(), before)
    assert both.compute().samples == 12

    pair, odd = mm.Paired(mm.Accuracy()), mm.Paired(mm.Accuracy())
    for side in (pair.a, pair.b, odd.a):
        side.add([1], [1], ids=[0 if side is not odd.a else 1])
    odd.b.add([1], [1], ids=["text"])
    with pytest.raises(ValueError, match="ids"):
        pair.merge(odd)
    assert pair.compute()["samples"] == 1


def test_a_load_that_fails_merges_no_file(tmp_path: Any) -> None:
    """Files of samples with clusters and without do not go together."""
    names = [tmp_path / "with", tmp_path / "without"]
    for name, clusters in zip(names, ([0, 1], None), strict=True):
        metric = mm.Accuracy(interval=0.9)
        metric.add([1, 0], [1, 1], clusters=clusters)
        metric.save(name)
    metric = mm.Accuracy(interval=0.9)
    with pytest.raises(ValueError, match="clusters"):
        metric.load(names)
    assert metric.state_dict()["0/counts"].tolist() == [0, 0]


def test_the_last_samples_of_slices_have_no_slices() -> None:
    """Said when it is constructed, with the order that works."""
    last = mm.Running(mm.Sliced(mm.Accuracy(), by="y"), 2)
    with pytest.raises(TypeError, match=r"Running\(Sliced\(Sliced"):
        mm.Sliced(last, by="x")


@pytest.mark.parametrize("clusters", [[1, 2, 3], [1.5, 2.5], 5])
def test_wrong_clusters_are_errors_even_where_they_change_nothing(clusters: Any) -> None:
    """In slices as well, without intervals."""
    sliced = mm.Sliced(mm.Accuracy(), by="x")
    with pytest.raises((TypeError, ValueError)):
        sliced.add([1, 0], [1, 1], by={"x": ["a", "b"]}, clusters=clusters)


@pytest.mark.parametrize("kind", ["collection", "sliced", "windowed", "pair", "recorded"])
def test_a_shallow_copy_goes_on_alone(kind: str) -> None:
    """What is added to it, its reset and its options are its own."""
    made: dict[str, Any] = {
        "collection": lambda: mm.MetricCollection(a=Counting()),
        "sliced": lambda: mm.Sliced(Counting(), by="x"),
        "windowed": lambda: mm.Windowed(Counting(), 10, 2),
        "pair": lambda: mm.Paired(mm.Accuracy()),
        "recorded": lambda: mm.Recorded(Counting()),
    }
    one = made[kind]()
    named: dict[str, Any] = {"by": {"x": ["a", "b"]}} if kind == "sliced" else {}
    sides = [one.a, one.b] if kind == "pair" else [one]
    if kind == "pair":
        named = {"ids": [0, 1]}
    for side in sides:
        side.add([1, 0], [1, 1], **named)
    before = one.compute()
    other = copy.copy(one)
    if kind == "recorded":
        other.shard = "b"
        assert one.shard is None
    for side in [other.a, other.b] if kind == "pair" else [other]:
        side.reset()
        side.add([0, 0], [1, 1], **named)
    assert same(one.compute(), before)


def test_a_copy_made_in_a_block_computes() -> None:
    """The block is that of the original."""
    metric = mm.Accuracy()
    with metric.evaluation():
        metric.add([1], [1])
        copies = [copy.copy(metric), copy.deepcopy(metric)]
    assert [one.compute() for one in copies] == [{"top1": 1.0}] * 2


def test_many_members_are_no_deep_recursion() -> None:
    """A thousand stores are locked at once."""
    many = mm.MetricCollection({f"m{n}": mm.Quantile(n / 2000) for n in range(1100)})
    many.add([1.0, 2.0])
    assert len(many.compute()) == 1100


def test_a_record_of_the_last_samples_is_theirs() -> None:
    """The count and the digest are those of the samples that count."""
    running = mm.Recorded(mm.Running(mm.Accuracy(), 3)), mm.Running(mm.Recorded(mm.Accuracy()), 3)
    alone = mm.Recorded(mm.Accuracy())
    alone.add([1, 0, 1], [1, 1, 1])
    for one in running:
        one.add([0, 1, 0, 1], [1, 1, 1, 1])
        one.compute()
    alone.compute()
    claim, expected = running[1].record()["claim"], alone.record()["claim"]
    assert claim["samples"]["count"] == expected["samples"]["count"] == 3
    assert claim["rows"] == expected["rows"]
    assert claim["states"] == expected["states"]


def test_shards_of_two_records_count_once() -> None:
    """And are those of a member that is taken from the collection."""
    recorded = [mm.Recorded(mm.Accuracy()), mm.Recorded(mm.CohenKappa(2))]
    for one in recorded:
        one.shard = "s"
    both = mm.MetricCollection(a=recorded[0], b=recorded[1])
    both.add([1, 0], [1, 1])
    assert [count for count, _ in both["a"].shards.values()] == [2]


@pytest.mark.parametrize("name", ["plan", "compute", "add"])
def test_a_state_does_not_hide_a_member_of_every_metric(name: str) -> None:
    """The class is refused when it is written, with the name; other names are free."""
    with pytest.raises(TypeError, match=f"the state '{name}' of Hiding would hide"):
        type("Hiding", (mm.BaseMetric,), {name: mm.state.sum(int)})

    assert type("Named", (mm.BaseMetric,), {"intervals": mm.state.sum(int)}).intervals
