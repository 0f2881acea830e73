"""What `compute_async` returns is what `compute` would have returned at the same place."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like import BaseMetric, state
from mmeval_like.testing import LocalWorld
from tests.exchange.in_world import Kept, ListAccuracy, Wide
from tests.helpers.examples import examples


class Waits(BaseMetric):
    """A metric whose formula waits until it is told to go on."""

    hits = state.sum(bool)

    def __init__(self, **options):
        super().__init__(**options)
        self.go_on = threading.Event()

    def rows(self, hits):
        """The hits."""
        return {"hits": np.asarray(hits, bool)}

    def compute_metric(self, results):
        """How many."""
        assert self.go_on.wait(30)
        return {"hits": results.hits}


def means(backend):
    """A metric of exact sums, which are merged in place."""
    return mm.Mean(dist_backend=backend)


def bits(backend):
    """A metric in MMEval's way, of one list."""
    return ListAccuracy(dist_backend=backend)


def kept(backend):
    """All rows are kept."""
    return Kept(dist_backend=backend)


def wide(backend):
    """States too large for the slot."""
    return Wide(dist_backend=backend)


def several(backend):
    """A collection, whose members fold and keep rows."""
    return mm.MetricCollection(mean=mm.Mean(), kept=Kept(), dist_backend=backend)


def slices(backend):
    """A metric in slices."""
    return mm.Sliced(mm.Mean(), by="odd", dist_backend=backend)


def add(metric, number):
    """Add a few samples, which `number` tells apart; with ids, in any order."""
    values = np.arange(1 + number % 4) + 0.1 * number
    if isinstance(metric, Kept | Wide):
        metric.add(values.astype(int))
    elif isinstance(metric, ListAccuracy):
        metric.add(values.astype(int) % 2, [0] * len(values))
    elif isinstance(metric, mm.Sliced):
        metric.add(values, by={"odd": values.astype(int) % 2})
    elif isinstance(metric, mm.MetricCollection):
        metric.add(values.astype(int))
    else:
        metric.add(values)


STEPS = st.lists(st.sampled_from(["add", "merge", "reset", "async", "compute"]), max_size=12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of no samples, and of ranks with the same
@given(
    steps=STEPS,
    make=st.sampled_from([means, bits, kept, wide, several, slices]),
    ranks=st.integers(1, 3),
)
@settings(max_examples=examples(60))
def test_it_is_what_compute_would_have_returned(steps, make, ranks):
    """After any steps, whatever happens before the result is asked for."""

    def evaluate(backend):
        metric, pairs = make(backend), []
        add(metric, 3 + backend.rank)
        for number, step in enumerate(steps):
            if step == "add":
                add(metric, 3 * number + backend.rank)
            elif step == "merge":
                other = make(backend)
                add(other, 7 * number + 1)
                metric.merge(other)
            elif step == "reset":
                metric.reset()
                add(metric, 3 + number)
            elif step == "compute":
                metric.compute()
            else:
                wanted = copy.deepcopy(metric)
                pairs.append((metric.compute_async(), wanted))
        return [(handle.result(), wanted.compute()) for handle, wanted in pairs]

    for pairs in LocalWorld(ranks).run(evaluate):
        for found, wanted in pairs:
            assert found == wanted
            assert found.samples == wanted.samples


@pytest.mark.parametrize("change", ["add", "merge", "reset", "subtract"])
def test_what_happens_meanwhile_changes_nothing(change):
    """The samples are those of the call, also where they are read long after it."""
    first, metric, other = Waits(), mm.Mean(max_padding=0), mm.Mean(max_padding=0)
    metric.add([0.25, 0.75] * 40_000)  # so many that they are folded at once
    other.add([0.25] * 40_000)
    waiting, handle = first.compute_async(), metric.compute_async()

    metric.reset() if change == "reset" else getattr(metric, change)(
        [5.0] * 50_000 if change == "add" else other
    )
    first.go_on.set()

    assert handle.result() == {"mean": 0.5}
    assert handle.result().samples == 80_000
    with pytest.warns(RuntimeWarning, match="Waits: no samples"):
        assert waiting.result() == {"hits": 0}


class Totals(BaseMetric):
    """A metric in MMEval's way, whose one entry is a total, and a buffer of the program's."""

    def add(self, value, buffer):
        """Go on with the total."""
        if not self._results:
            self._results.append({"total": np.zeros(1), "buffers": []})
        self._results[0]["total"] += value
        self._results[0]["buffers"].append(buffer)

    def compute_metric(self, results):
        """The totals."""
        return {
            "total": sum(one["total"][0] for one in results),
            "buffers": sum(buffer[0] for one in results for buffer in one["buffers"]),
        }


def test_entries_of_a_list_that_are_changed_in_place():
    """They are those of the call: what `add` goes on with, and what the program fills anew."""
    first, metric, buffer = Waits(), Totals(), np.ones(1)
    first.add([1])
    metric.add(2.0, buffer)
    waiting, handle = first.compute_async(), metric.compute_async()

    metric.add(5.0, buffer)
    buffer[:] = 7
    first.go_on.set()

    assert handle.result() == {"total": 2.0, "buffers": 1.0}
    assert metric.compute() == {"total": 7.0, "buffers": 14.0}
    assert waiting.result() == {"hits": 1}


def test_entries_of_a_list_that_cannot_be_copied():
    """A list that has itself: every rank hears of it."""

    def evaluate(backend):
        metric, entry = ListAccuracy(dist_backend=backend), []
        entry.append(entry if backend.rank else 1)
        metric._results = [entry]
        return outcome(metric.compute_async().result)

    one, other = LocalWorld(2).run(evaluate)

    assert isinstance(one, mm.RemoteError)
    assert isinstance(other, RecursionError)


def test_threads_add_meanwhile():
    """Every result is that of whole batches, at least of those that the caller added."""
    metric, stop = mm.MetricCollection(a=mm.Accuracy(), m=mm.ConfusionMatrix(2)), threading.Event()

    def work():
        while not stop.is_set():
            metric.add([1] * 4, [1] * 4)

    threads = [threading.Thread(target=work) for _ in range(2)]
    metric.add([1] * 4, [1] * 4)
    for thread in threads:
        thread.start()
    handles = [metric.compute_async() for _ in range(30)]
    stop.set()
    for thread in threads:
        thread.join()
    results = [handle.result(60) for handle in handles]

    for result in results:
        assert result["m"]["confusion_matrix"][1, 1] == result.samples
    counts = [result.samples for result in results]
    assert counts == sorted(counts)
    assert all(count % 4 == 0 for count in counts)


def test_what_was_begun_first_is_done_first():
    """The second waits for the first; so does a compute of the same metric."""
    first, second = Waits(), mm.Accuracy()
    first.add([1])
    second.add([1, 0], [1, 1])
    handles = [first.compute_async(), second.compute_async()]

    with pytest.raises(TimeoutError, match=r"not there after 0\.01 s"):
        handles[1].result(0.01)
    assert [handle.done() for handle in handles] == [False, False]
    first.go_on.set()
    assert second.compute() == {"top1": 0.5}
    assert [handle.done() for handle in handles] == [True, True]
    assert [handle.result() for handle in handles] == [{"hits": 1}, {"top1": 0.5}]


def test_the_metric_then_has_the_report_and_the_intervals():
    """`result` sets what `compute` sets, once; and returns the same again."""
    metric = mm.Accuracy(interval=0.95)
    metric.add([1, 0, 0], [1, 1, 1], ids=[0, 1, 1])

    handle = metric.compute_async(size=3, missing="report")
    result = handle.result()

    assert metric.report.missing == result.report.missing == 1
    assert metric.intervals == result.intervals != {}
    assert handle.result() is result


class Fails(mm.Accuracy):
    """A formula that raises."""

    every_rank_computes = False

    def compute_metric(self, results):
        """Raise."""
        raise ZeroDivisionError("a formula")


def outcome(function):
    """What it returns, or the error."""
    try:
        return function()
    except Exception as error:
        return error


def test_errors_are_raised_by_result():
    """Those of `compute`, on every rank, as often as it is asked; then the ranks go on."""

    def evaluate(backend):
        failing = Fails(dist_backend=backend)
        metric = mm.Accuracy(dist_backend=backend)
        for one in (failing, metric):
            one.add([1], [backend.rank])
        handles = [failing.compute_async(), metric.compute_async(size=99)]
        handles.append(metric.compute_async(size="many" if backend.rank else 2))
        found = [outcome(handle.result) for handle in handles]
        assert [outcome(handle.result) for handle in handles] == found
        return found, metric.compute_async(size=2).result()

    errors = []
    for rank, (found, after) in enumerate(LocalWorld(2).run(evaluate)):
        errors.append([type(error) for error in found])
        assert after == {"top1": 0.5}, rank
    assert errors[0] == [ZeroDivisionError, ValueError, mm.RemoteError]
    assert errors[1] == [mm.RemoteError, ValueError, TypeError]


@pytest.mark.parametrize("how", ["compute", "compute_async"])
def test_one_that_a_rank_skips(how):
    """In a loop over epochs, rank 1 leaves one out: the epochs are never mixed."""

    def evaluate(backend):
        metric, found = mm.Accuracy(dist_backend=backend), []
        for epoch in range(4):
            metric.reset()
            metric.add([1, epoch % 2], [1, 1])
            if (backend.rank, epoch) != (1, 1):
                if how == "compute":
                    value = outcome(metric.compute)
                else:
                    handle = metric.compute_async()
                    value = outcome(handle.result)
                found.append(value)
        return found

    world = LocalWorld(2, timeout=1)
    first, *others = world.run(evaluate)[1]

    assert first == {"top1": 0.5}
    assert all(isinstance(error, mm.DisagreementError) for error in others)
    assert len(others) == 2


def test_begun_in_the_same_order_on_all_ranks_whatever_is_waited_for():
    """Resets between calls that nobody waited for are counted as those before a compute are."""

    def evaluate(backend):
        metric, handles = mm.Accuracy(dist_backend=backend), []
        for epoch in range(6):
            metric.reset()
            metric.add([1, epoch % 2], [1, 1])
            handles.append(metric.compute_async())
            if epoch == 2 + backend.rank:
                handles[1].result()  # the ranks wait in different places
        return [handle.result()["top1"] for handle in handles], metric.compute()

    assert LocalWorld(2).run(evaluate) == [([0.5, 1.0] * 3, {"top1": 1.0})] * 2


def test_a_rank_that_computes_another_metric():
    """The ranks disagree, as in `compute`."""

    def evaluate(backend):
        metric = mm.Accuracy(topk=1 + backend.rank, dist_backend=backend)
        metric.add([[0.2, 0.8]], [1])
        return metric.compute_async().result()

    with pytest.raises(mm.DisagreementError, match="topk"):
        LocalWorld(2).run(evaluate)


def test_a_rank_that_never_begins():
    """The other gets the backend's timeout, and names it."""
    world = LocalWorld(2, timeout=0.5)

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1])
        metric.compute_async().result()
        return outcome(metric.compute_async().result) if backend.rank == 0 else None

    error, _ = world.run(evaluate)

    assert isinstance(error, mm.SyncTimeoutError)
    assert "no answer from rank 1. " in str(error)


@pytest.mark.parametrize("call", ["compute", "remaining"])
def test_the_first_one_where_another_rank_makes_another_call(call):
    """Both ranks hear of it, and nobody waits."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1], ids=[backend.rank])
        if backend.rank == 0:
            return outcome(metric.compute_async)
        return outcome(metric.compute if call == "compute" else lambda: metric.remaining(2))

    errors = LocalWorld(2, timeout=5).run(evaluate)

    for error in errors:
        assert isinstance(error, mm.DisagreementError)
        assert "different collective calls" in str(error)


def test_a_backend_of_five_members_says_that_it_cannot():
    """And which ones can, before anything is sent."""
    world = LocalWorld(2, members_only=True)

    def evaluate(backend):
        with pytest.raises(NotImplementedError, match=r"compute\(\), or use torch or MPI"):
            mm.Accuracy(dist_backend=backend).compute_async()
        return backend.all_gather_object(1)

    assert world.run(evaluate) == [[1, 1]] * 2


def test_a_metric_is_pickled_and_copied_while_it_is_computed():
    """The copies have the samples; the handle itself stays in its process."""
    first, metric = Waits(), mm.Accuracy()
    metric.add([1, 0], [1, 1])
    first.add([1])
    waiting, handle = first.compute_async(), metric.compute_async()

    copies = [pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)]
    assert [one.compute() for one in copies] == [{"top1": 0.5}] * 2
    with pytest.raises(TypeError, match=r"result\(\)"):
        pickle.dumps(handle)
    first.go_on.set()
    assert waiting.result() == {"hits": 1}


def test_inside_an_evaluation_block_it_is_refused():
    """Leaving the block computes; and waits for what was begun before."""
    metric = mm.Accuracy()
    metric.add([1], [1])
    handle = metric.compute_async()

    with metric.evaluation() as run, pytest.raises(RuntimeError, match="leaving the block"):
        metric.compute_async()
    assert handle.done()
    assert run.result == handle.result()


def test_warnings_point_to_the_line_that_asks():
    """What `compute` would warn of is said where the program waits."""
    handle = mm.Accuracy().compute_async()

    with pytest.warns(RuntimeWarning, match="no samples were added") as warned:
        handle.result()

    assert [one.filename for one in warned] == [__file__]
