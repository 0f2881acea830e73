"""What goes wrong in one compute: every rank raises the same error, and nobody hangs."""

import threading
import time
import tracemalloc
from functools import partial

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._exchange import reduce, remaining
from mmeval_like.errors import DisagreementError
from mmeval_like.testing import LocalWorld
from tests.exchange.in_world import Kept, ListAccuracy, Wide, compute_in, errors_of, worlds


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
    assert "construct the same metrics with the same options" in str(errors[0])


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
    assert str(errors[0]).endswith("size=, that of the whole dataset.")


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


def test_an_evaluation_block_reports_what_is_missing():
    """With `missing="report"` the samples that are there count, and the report has the others."""
    metric = mm.Accuracy(dist_backend="non_dist")
    with metric.evaluation(size=3, missing="report") as run:
        metric.add([1, 0], [1, 1], ids=[0, 2])

    assert run.result == {"top1": 0.5}
    assert run.result.report.missing == 1


def test_keyboard_interrupt_does_not_exchange():
    """Ctrl-C leaves at once."""
    metric = mm.Accuracy(dist_backend="non_dist")

    with pytest.raises(KeyboardInterrupt), metric.evaluation() as run:
        raise KeyboardInterrupt

    with pytest.raises(RuntimeError):
        _ = run.result
    metric.add([1], [1])
    assert metric.compute() == {"top1": 1.0}


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

    for value, report, lacking in world.run(evaluate):
        assert value == {"top1": 0.5}  # rank 0's copy of 5 counts
        assert lacking == [1, 2, 3, 4, 6]
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


def test_a_vector_that_fails_after_the_first_message(monkeypatch):
    """The sum tells the other ranks, so that all raise; the next compute is right."""
    make, broken = reduce._vector, set()

    def has_no_memory(received, sent, kept):
        if threading.current_thread() in broken:
            raise MemoryError("no room for that")
        return make(received, sent, kept)

    def run(backend):
        metric = Wide(dist_backend=backend)
        metric.add(np.arange(60) + backend.rank)
        if backend.rank == 1:
            broken.add(threading.current_thread())
        with pytest.raises((MemoryError, mm.RemoteError)) as raised:
            metric.compute(size=119)
        assert "no room for that" in str(raised.value)
        broken.clear()
        return metric.compute(size=119)["count"]

    monkeypatch.setattr(reduce, "_vector", has_no_memory)
    assert LocalWorld(2).run(run) == [119, 119]


class Long(Wide):
    """A long vector, which an all-reduce adds."""

    total = state.count(1 << 18)

    def rows(self, values):
        """The values."""
        return {"total": np.asarray(values)}

    def compute_metric(self, results):
        """The number of values."""
        return {"count": int(results.total.sum())}


class Many(Kept):
    """Rows of which each rank has many, and a short result."""

    def compute_metric(self, results):
        """The number of values."""
        return {"count": len(results.values)}


@pytest.mark.parametrize(("metric", "message"), [(Long, "all_reduce"), (Many, "gather_bytes")])
def test_the_second_message_takes_no_memory_that_the_first_did_not(metric, message, monkeypatch):
    """After the first message, no rank could tell the others that it has no memory.

    The ranks are threads of this process: neither takes memory until one sends its second message.
    """
    world = LocalWorld(2)
    kind = type(world.backends[0])
    first, second = kind.all_gather_bytes, getattr(kind, message)
    taken = []

    def all_gather_bytes(backend, data):
        found = first(backend, data)
        tracemalloc.start()  # by now every rank has made its first message
        return found

    def sends(backend, *arguments):
        taken.append(tracemalloc.get_traced_memory()[1])
        return second(backend, *arguments)

    def run(backend):
        made = metric(dist_backend=backend)
        made.add(np.arange(1 << 17) + backend.rank)
        return made.compute()["count"]

    monkeypatch.setattr(kind, "all_gather_bytes", all_gather_bytes)
    monkeypatch.setattr(kind, message, sends)
    try:
        assert world.run(run) == [1 << 18, 1 << 18]
    finally:
        tracemalloc.stop()
    assert taken[0] < 1 << 18  # the messages have 1 << 20 bytes or more


@worlds
def test_a_rank_without_memory_for_its_ids(ranks, members_only, monkeypatch):
    """`remaining` raises there, RemoteError elsewhere, at once; then all is well."""
    world = LocalWorld(ranks, members_only=members_only, timeout=10)
    distinct = remaining.distinct

    def limited(ids):
        if 0 in ids and not met:
            met.append(True)
            raise MemoryError
        return distinct(ids)

    met = []
    monkeypatch.setattr(remaining, "distinct", limited)

    def ask(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1], ids=[backend.rank])
        started = time.monotonic()
        with pytest.raises((MemoryError, mm.RemoteError)) as error:
            metric.remaining(ranks + 1)
        assert time.monotonic() - started < 5
        return error.type, metric.remaining(ranks + 1).tolist()

    expected = [(MemoryError, [ranks]), *[(mm.RemoteError, [ranks])] * (ranks - 1)]
    assert world.run(ask) == expected


def test_functions_of_other_names_are_other_options():
    """On ranks, and in files: a text in upper case does not equal one in lower case."""

    def compute(backend):
        normalizer = str.lower if backend.rank == 0 else str.upper
        metric = mm.ExactMatch(normalizer=normalizer, dist_backend=backend)
        metric.add(["ß"], ["SS"])
        return metric.compute()

    with pytest.raises(DisagreementError):
        LocalWorld(2).run(compute)
    lower, upper = (mm.ExactMatch(normalizer=one) for one in (str.lower, str.upper))
    lower.add(["ß"], ["SS"])
    with pytest.raises(ValueError, match=r"str\.lower.*, this is .*str\.upper"):
        upper.from_bytes(lower.to_bytes())
    with pytest.raises(ValueError, match="only equal metrics merge"):
        mm.merge([lower, upper])
    assert lower.from_bytes(lower.to_bytes()).compute() == {"exact_match": 0.0}
