"""The protocol of one compute: how many exchanges there are, and what they carry."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import BaseDistBackend
from mmeval_like.testing import LocalWorld
from tests.exchange.in_world import Kept, ListAccuracy, Wide, WideEverywhere, compute_in, worlds
from tests.exchange.interrupting import LooseWorld


def test_one_exchange_for_any_number_of_metrics():
    """Ten metrics whose counts fit into the slot: one all-gather of bytes, nothing else."""
    members = {
        f"{average}-{item}": mm.SingleLabelPrecisionRecallF1score(
            10, average=average, items=(item,)
        )
        for average in ("macro", "micro", "weighted")
        for item in ("precision", "recall", "f1-score")
    }
    world = LocalWorld(4)

    def evaluate(backend):
        metrics = mm.MetricCollection({"accuracy": mm.Accuracy(), **members}, backend)
        metrics.add(np.arange(10), np.arange(10)[::-1])
        return metrics.compute()

    results = world.run(evaluate)

    assert all(result == results[0] for result in results)
    assert len(results[0]) == 10
    assert [dict(calls) for calls in world.calls] == [{"all_gather_bytes": 1}] * 4


def test_padding_costs_no_exchange():
    """With `size=` and evenly padded shards one exchange is enough."""
    world = LocalWorld(3)
    batches = [[(np.ones(4, int), np.ones(4, int))]] * 3

    assert compute_in(world, mm.Accuracy, batches, size=10) == [{"top1": 1.0}] * 3
    assert dict(world.calls[0]) == {"all_gather_bytes": 1}


@pytest.mark.parametrize(
    ("make", "calls"),
    [
        (Wide, {"all_gather_bytes": 1, "all_reduce": 1, "broadcast_bytes": 1}),
        (WideEverywhere, {"all_gather_bytes": 1, "all_reduce": 1}),
    ],
)
def test_sums_beyond_the_slot_are_reduced(make, calls):
    """States that add up take one all-reduce; each rank drops its own padding before."""
    world = LocalWorld(3)
    batches = [[([1, 2, 3],)], [([10, 20],)], [([100, 200],)]]

    assert compute_in(world, make, batches, size=5) == [{"total": 133, "count": 5}] * 3
    assert dict(world.calls[0]) == calls


def test_rows_beyond_the_slot_are_gathered_to_rank_0():
    """Kept rows go to rank 0 alone, and only the result comes back."""
    world = LocalWorld(3)
    batches = [[(np.arange(rank, 3000, 3),)] for rank in range(3)]

    results = compute_in(world, Kept, batches, size=2999)

    assert results == [{"values": list(range(2999))}] * 3
    assert world.calls[0]["all_gather_bytes"] == 1


def test_one_process_communicates_nothing():
    """At world size 1 there is no collective at all."""
    world = LocalWorld(1)

    assert compute_in(world, mm.Accuracy, [[([1], [1])]]) == [{"top1": 1.0}]
    assert not world.calls[0]


class FiveMembers(BaseDistBackend):
    """A backend of MMEval's five members, which notes what is called on it."""

    def __init__(self, inner):
        self.inner, self.log = inner, []

    is_initialized = True
    rank = property(lambda self: self.inner.rank)
    world_size = property(lambda self: self.inner.world_size)

    def all_gather_object(self, obj):
        """Note the call."""
        self.log.append("all_gather_object")
        return self.inner.all_gather_object(obj)

    def broadcast_object(self, obj, src=0):
        """Note the call and the source."""
        self.log.append(("broadcast_object", src))
        return self.inner.broadcast_object(obj, src)


@pytest.mark.parametrize(
    "make", [mm.Accuracy, ListAccuracy, lambda **o: mm.SingleLabelPrecisionRecallF1score(3, **o)]
)
def test_a_five_member_backend_is_complete(make):
    """Compute on it is one all_gather_object and one broadcast_object from rank 0."""

    def evaluate(inner):
        backend = FiveMembers(inner)
        metric = make(dist_backend=backend)
        metric.add([0, 1], [0, inner.rank])
        return metric.compute(), backend.log

    outcomes = LocalWorld(3, members_only=True).run(evaluate)

    assert all(result == outcomes[0][0] for result, _ in outcomes)
    assert all(log == ["all_gather_object", ("broadcast_object", 0)] for _, log in outcomes)


@worlds
def test_lists_of_results_run_unchanged(ranks, members_only):
    """A metric that appends to `_results` loses no sample on uneven and empty ranks."""
    world = LocalWorld(ranks, members_only=members_only)
    batches = [[([1, 1, 1, 1], [1, 1, 0, 0])], [([1], [1])], []][:ranks]

    assert compute_in(world, ListAccuracy, batches) == [{"accuracy": 0.6}] * ranks
    assert compute_in(world, ListAccuracy, batches, size=4) == [{"accuracy": 0.75}] * ranks


def test_a_call_leaves_a_list_of_results_alone():
    """Also in a metric whose reset() empties its list in place, as MMEval's does."""

    class Clears(ListAccuracy):
        def reset(self):
            self._results.clear()

    metric = Clears(dist_backend="non_dist")
    metric.add([1, 1], [1, 0])

    assert metric([0], [1]) == {"accuracy": 0.0}
    assert metric.compute() == {"accuracy": 0.5}


class Raw(Kept):
    """Every row, in the array of the results."""

    def compute_metric(self, results):
        """The array itself."""
        return {"values": results.values}


class RawSums(mm.BaseMetric):
    """Sums, in the array of the results."""

    values = mm.state.sum(int, (3,))
    every_rank_computes = True

    def rows(self, values):
        """Three numbers for each value."""
        return {"values": np.asarray(values)[:, None] * np.arange(3)}

    def compute_metric(self, results):
        """The array itself."""
        return {"values": results.values}


@pytest.mark.parametrize("make", [Raw, RawSums])
def test_a_result_keeps_no_memory_of_its_exchange(make):
    """A later exchange, which uses the same memory for its slots, does not change it."""

    def evaluate(backend):
        metric = make(dist_backend=backend)
        metric.add([1 + backend.rank])
        first = metric.compute()["values"]
        before = first.copy()
        metric.add([7])
        second = metric.compute()["values"]
        return first.tolist(), before.tolist(), second.tolist()

    for first, before, second in LooseWorld(2).run(evaluate):
        assert first == before
        assert second == ([1, 2, 7, 7] if make is Raw else [0, 17, 34])
