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
from tests.exchange.ways import from_bytes, pickled
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


class AllWait(Waits):
    """One whose formula every rank computes, and waits for."""

    every_rank_computes = True


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

    with pytest.raises(TimeoutError, match=r"not ready after 0\.01 s"):
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


@pytest.mark.parametrize(
    "made",
    [copy.copy, lambda metrics: metrics["mean"], lambda metrics: metrics + metrics, from_bytes,
     pickled],
)  # fmt: skip
def test_what_is_made_meanwhile_is_computed_whoever_was_done_first(made):
    """A rank may make it before the exchange is finished, another one afterwards."""

    def evaluate(backend):
        first = AllWait(dist_backend=backend)
        metrics = mm.MetricCollection({"mean": mm.Mean()}, dist_backend=backend)
        metrics.reset()  # from here on, resets are counted
        metrics.add([1.0, backend.rank])
        first.add([1])
        handles = [first.compute_async(), metrics.compute_async()]
        if backend.rank == 0:
            first.go_on.set()
            handles[1].result()
        one = made(metrics)
        first.go_on.set()
        handles[1].result()
        return one.compute()

    for found in LocalWorld(2).run(evaluate):
        assert found in ({"mean": 0.75}, {"mean": {"mean": 0.75}})


def test_what_is_made_meanwhile_remembers_the_group():
    """The samples are those of the ranks, whose group is gone when a copy is computed."""

    def evaluate(backend):
        first, metric = Waits(dist_backend=backend), means(backend)
        metric.add([1.0])
        first.add([1])
        handles = [first.compute_async(), metric.compute_async()]
        one = copy.copy(metric)
        first.go_on.set()
        handles[1].result()
        one.dist_backend = None
        return one

    for one in LocalWorld(2).run(evaluate):
        with pytest.raises(RuntimeError, match="their group is gone"):
            one.compute()
