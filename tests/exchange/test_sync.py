"""The protocol of one compute: how many exchanges, who raises what, and that nobody hangs."""

from functools import partial

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import BaseDistBackend, state
from mmeval_like.testing import LocalWorld

WORLDS = [(ranks, members_only) for ranks in (2, 3) for members_only in (False, True)]
worlds = pytest.mark.parametrize(("ranks", "members_only"), WORLDS)


class ListAccuracy(mm.BaseMetric):
    """A metric in MMEval's way."""

    def add(self, predictions, labels):
        """Append one entry per sample."""
        self._results += [p == y for p, y in zip(predictions, labels, strict=True)]

    def compute_metric(self, results):
        """The share of True."""
        return {"accuracy": sum(results) / len(results)}


class Wide(mm.BaseMetric):
    """States that add up, too large for the slot."""

    total = state.sum(int, (1000,))

    def rows(self, values):
        """One row per sample, of numbers that no narrow dtype holds."""
        return {"total": np.asarray(values)[:, None] * (2**33 - np.arange(1000))}

    def compute_metric(self, results):
        """The first element and the count."""
        return {"total": int(results.total[0]) >> 33, "count": len(results)}


class WideEverywhere(Wide):
    """The same, computed by every rank."""

    every_rank_computes = True


class Kept(mm.BaseMetric):
    """Every row is kept, in order."""

    values = state.cat(np.int64)

    def rows(self, values):
        """The values."""
        return {"values": np.asarray(values)}

    def compute_metric(self, results):
        """All values."""
        return {"values": results.values.tolist()}


def compute_in(world, make, batches, **options):
    """Every rank adds its batches and computes."""

    def evaluate(backend):
        metric = make(dist_backend=backend)
        for batch in batches[backend.rank]:
            metric.add(*batch)
        return metric.compute(**options)

    return world.run(evaluate)


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


# Trouble -------------------------------------------------------------------------------------


def errors_of(world, function):
    """Every rank's exception."""
    with pytest.raises(Exception):  # noqa: B017  whichever the lowest rank raised
        world.run(function)
    return world.errors


class Failing(ListAccuracy):
    """Fails on rank 0, where results are computed."""

    def compute_metric(self, results):
        """Fail."""
        raise ZeroDivisionError("no boxes at all")


class Unpicklable(ListAccuracy):
    """Returns what cannot be sent."""

    def compute_metric(self, results):
        """Return a function."""
        return {"value": lambda: None}


@worlds
@pytest.mark.parametrize("make", [Failing, Unpicklable])
def test_a_failure_on_rank_0_reaches_every_rank(make, ranks, members_only):
    """The failing rank raises its own error, the others RemoteError; nothing is lost."""
    world = LocalWorld(ranks, members_only=members_only)
    left = []

    def evaluate(backend):
        metric = make(dist_backend=backend)
        metric.add([1], [1])
        try:
            metric.compute()
        finally:
            left.append(len(metric._results))
            assert mm.Accuracy(dist_backend=backend).topk == (1,)

    errors = errors_of(world, evaluate)

    assert not isinstance(errors[0], mm.RemoteError)
    assert all(isinstance(error, mm.RemoteError) for error in errors[1:])
    assert all(error.ranks == [0] for error in errors[1:])
    assert left == [1] * ranks


@worlds
def test_a_failure_in_building_a_part_reaches_every_rank(ranks, members_only):
    """An entry that cannot be pickled raises there, RemoteError elsewhere; then all is well."""
    world = LocalWorld(ranks, members_only=members_only)
    after = []

    def evaluate(backend):
        metric = ListAccuracy(dist_backend=backend)
        metric._results.append((lambda: None) if backend.rank == 1 else True)
        try:
            metric.compute()
        finally:
            fine = mm.Accuracy(dist_backend=backend)
            fine.add([1], [1])
            after.append(fine.compute())

    errors = errors_of(world, evaluate)

    assert isinstance(errors[0], mm.RemoteError)
    assert errors[0].ranks == [1]
    assert "local object" in str(errors[0])
    assert not isinstance(errors[1], mm.RemoteError)
    assert after == [{"top1": 1.0}] * ranks


def test_equal_arguments_are_equal_wherever_they_are():
    """Also arrays of objects: class names as pandas has them."""

    def evaluate(backend):
        names = np.array([f"class {index}" for index in range(3)], object)
        metric = Optional(names, dist_backend=backend)
        metric.add([1], [1])
        return metric.compute()

    assert LocalWorld(2).run(evaluate) == [{"top1": 1.0}] * 2


class Optional(mm.Accuracy):
    """A metric with an argument that is called as others call the rest of theirs."""

    def __init__(self, options, **rest):
        super().__init__(**rest)
        self.options = options


@worlds
@pytest.mark.parametrize(
    "make",
    [
        lambda backend: Optional([backend.rank % 2], dist_backend=backend),
        lambda backend: mm.Accuracy(topk=1 + backend.rank % 2, dist_backend=backend),
        lambda backend: [mm.Accuracy, mm.MeanSquaredError][backend.rank % 2](dist_backend=backend),
        lambda backend: mm.Accuracy(
            dist_backend=backend, dist_collect_mode=["unzip", "cat"][backend.rank % 2]
        ),
    ],
    ids=["argument", "options", "classes", "modes"],
)
def test_different_metrics_are_named(make, ranks, members_only):
    """Ranks that hold different things all get the error that names the ranks."""
    world = LocalWorld(ranks, members_only=members_only)

    errors = errors_of(world, lambda backend: make(backend).compute())

    assert {type(error) for error in errors} == {mm.DisagreementError}
    assert len({str(error) for error in errors}) == 1
    assert "rank 1" in str(errors[0])


@worlds
@pytest.mark.parametrize("size", [7, "8", -1, 2.0, True])
def test_bad_sizes_raise_everywhere(size, ranks, members_only):
    """A size above the number of samples, or no number of samples at all, raises on all ranks."""
    world = LocalWorld(ranks, members_only=members_only)

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, 1], [1, 1])
        return metric.compute(size)

    errors = errors_of(world, evaluate)

    assert all(isinstance(e, ValueError | TypeError | mm.RemoteError) for e in errors)
    assert all("size" in str(error) for error in errors)


@worlds
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64])
def test_sizes_of_numpy_are_numbers(dtype, ranks, members_only):
    """Also narrow ones: the number of samples may be beyond their range, or a difference."""
    world = LocalWorld(ranks, members_only=members_only)
    batches = [[([1] * 150, [1] * 150)] for _ in range(ranks)]

    make = partial(mm.Accuracy, max_padding=150)
    outcomes = compute_in(world, make, batches, size=dtype(100))

    assert outcomes == [{"top1": 1.0}] * ranks


@worlds
def test_different_sizes_raise_everywhere(ranks, members_only):
    """Ranks that pass different sizes get the error that names both."""
    world = LocalWorld(ranks, members_only=members_only)

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, 1], [1, 1])
        return metric.compute(2 + backend.rank)

    errors = errors_of(world, evaluate)

    assert {type(error) for error in errors} == {mm.DisagreementError}
    assert "size=2" in str(errors[0])
    assert "size=3" in str(errors[0])


# Evaluation blocks -------------------------------------------------------------------------


@worlds
def test_an_exception_in_the_loop_reaches_every_rank(ranks, members_only):
    """Leaving the block is the exchange: the others get RemoteError with the traceback."""
    world = LocalWorld(ranks, members_only=members_only)

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        with metric.evaluation() as run:
            metric.add([1], [1])
            if backend.rank == 1:
                raise OSError("the disk is gone")
        return run.result

    errors = errors_of(world, evaluate)

    assert isinstance(errors[1], OSError)
    assert isinstance(errors[0], mm.RemoteError)
    assert errors[0].ranks == [1]
    assert "the disk is gone" in str(errors[0])


@worlds
def test_an_evaluation_block_computes(ranks, members_only):
    """After the block the result is there; inside, compute is refused."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        with metric.evaluation(size=ranks) as run:
            metric.add([1], [1])
            with pytest.raises(RuntimeError, match="leaving the block"):
                metric.compute()
            with pytest.raises(RuntimeError, match=r"run\.result"):
                _ = run.result
        return run.result

    world = LocalWorld(ranks, members_only=members_only)
    assert world.run(evaluate) == [{"top1": 1.0}] * ranks


def test_keyboard_interrupt_does_not_exchange():
    """Ctrl-C leaves at once."""
    metric = mm.Accuracy(dist_backend="non_dist")

    with pytest.raises(KeyboardInterrupt), metric.evaluation() as run:
        raise KeyboardInterrupt

    with pytest.raises(RuntimeError):
        _ = run.result
    metric.add([1], [1])
    assert metric.compute() == {"top1": 1.0}


# Exactly once ------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:1 id came with different samples")
@worlds
def test_missing_ids_are_named_and_reported(ranks, members_only):
    """Strict by default; on request a report; remaining() lists what no rank has."""
    world = LocalWorld(ranks, members_only=members_only)

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, 1], [1, backend.rank], ids=[0, 5])
        value = metric.compute(size=7, missing="report")
        return value, metric.report, metric.remaining(7).tolist()

    for value, report, remaining in world.run(evaluate):
        assert value == {"top1": 0.5}  # rank 0's copy of 5 counts
        assert remaining == [1, 2, 3, 4, 6]
        assert (report.seen, report.unique, report.missing) == (2 * ranks, 2, 5)
        assert (report.duplicated, report.differing) == (2, 1)

    def strict(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1], ids=[0])
        return metric.compute(size=3)

    errors = errors_of(world, strict)
    assert all(isinstance(error, ValueError | mm.RemoteError) for error in errors)
    assert all("ids 1, 2" in str(error) for error in errors)


def test_ids_on_some_ranks_only():
    """Ids on one rank and none on another is an error everywhere, before anything is merged."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1], ids=[0] if backend.rank else None)
        return metric.compute()

    errors = errors_of(LocalWorld(2), evaluate)

    assert {type(error) for error in errors} == {ValueError}
