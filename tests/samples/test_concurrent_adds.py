"""Several threads add to one metric: every row counts once, also while another computes."""

import copy
import os
import pickle
import signal
import threading

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import FloatSum
from mmeval_like._states.kinds.ordered import Cat
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.threads import at_once

THREADS, ADDS, ROWS = 4, 400, 7


class Everything(mm.BaseMetric):
    """A sum, a count of samples and all rows."""

    total = state.sum()
    ones = state.sum(int)
    kept = state.cat(np.int64)

    def rows(self, values):
        """Three rows of each."""
        values = np.asarray(values)
        return {"total": values / 8, "ones": values >= 0, "kept": values}

    def compute_metric(self, results):
        """What was added, and how many samples they were."""
        kept = np.sort(results.kept).tolist()
        return {"total": results.total, "ones": results.ones, "count": len(results), "kept": kept}


@pytest.fixture(autouse=True)
def fine_grained(monkeypatch):
    """Rows fold often."""
    for kind in (State, FloatSum, Cat):
        monkeypatch.setattr(kind, "block", 300)


def adding(metric, thread, ids=False):
    """A function that adds this thread's share."""

    def add():
        for number in range(ADDS):
            start = (thread * ADDS + number) * ROWS
            batch = np.arange(start, start + ROWS)
            metric.add(batch, **({"ids": batch} if ids else {}))

    return add


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("together", [False, True])
def test_no_row_is_lost(ids, together):
    """In a metric and in a collection, with ids and without."""
    metric = Everything(dist_backend="non_dist")
    if together:
        metric = mm.MetricCollection({"a": metric, "b": Everything()}, "non_dist")
    at_once(*[adding(metric, thread, ids) for thread in range(THREADS)])

    number = THREADS * ADDS * ROWS
    value = metric.compute()
    for found in value.values() if together else [value]:
        assert (found["count"], found["ones"], found["kept"]) == (number, number, [*range(number)])
        assert found["total"] == sum(range(number)) / 8


def test_a_compute_meanwhile_sees_whole_batches():
    """Every state of one result has the rows of the same batches."""
    metric = Everything(dist_backend="non_dist")
    metric.add([0])
    seen = []

    def compute():
        while len(seen) < 60:
            seen.append(metric.compute())

    at_once(compute, *[adding(metric, thread) for thread in range(2)])

    for value in seen:
        assert value["count"] == value["ones"] == len(value["kept"])
        assert value["total"] == sum(value["kept"]) / 8


def test_threads_with_and_without_ids_do_not_mix():
    """One of them gets the error, and what is kept is of one kind."""
    metric = Everything(dist_backend="non_dist")
    with pytest.raises(ValueError, match="ids="):
        at_once(adding(metric, 0, ids=True), adding(metric, 1))
    value = metric.compute()
    assert value["count"] == value["ones"] == len(value["kept"])


def test_locks_are_not_copied():
    """A metric with samples pickles, and a copy has a lock of its own."""
    metric = Everything(dist_backend="non_dist")
    metric.add([1, 2])
    for twin in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        twin.add([3])
        assert (twin.compute()["count"], metric.compute()["count"]) == (3, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("made", [Everything, lambda: mm.Windowed(Everything(), 14, 2)])
def test_a_fork_while_another_thread_adds(made, monkeypatch):
    """The child says that its samples are incomplete; it does not wait for a thread it lacks."""
    metric, idle = made(), made()
    for one in (metric, idle):
        one.add([1])
    inside, forked, push = threading.Event(), threading.Event(), Store._push

    def slow(store, rows):
        if threading.current_thread() is adding:
            inside.set()
            forked.wait()
        push(store, rows)

    monkeypatch.setattr(Store, "_push", slow)
    adding = threading.Thread(target=metric.add, args=([2],))
    adding.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # it would wait for ever
        outcome = 1
        try:
            idle.compute_local()
            metric.add([3])
        except RuntimeError as error:
            outcome = "while another thread" not in str(error)
        finally:
            os._exit(outcome)
    forked.set()
    adding.join()

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert metric.compute()["count"] == 2


def test_rows_that_come_during_an_exchange_do_not_change_what_is_dropped(monkeypatch):
    """With `size=`, padding is dropped from the rows that compute began with."""
    monkeypatch.setattr(State, "block", 8)  # what is added meanwhile folds at once
    world = LocalWorld(2)
    threads = []

    class Total(mm.BaseMetric):
        wide = state.sum(int, shape=(200,))  # with the next line: longer than a slot
        noise = state.sum(int, shape=(2000,))

        def rows(self, values):
            values = np.asarray(values)[:, None]
            return {
                "wide": np.repeat(values, 200, 1),
                "noise": np.tile(np.arange(2000) * 10**12, (len(values), 1)),
            }

        def compute_metric(self, results):
            return {"total": int(results.wide[0])}

    def evaluate(backend):
        metric = Total(dist_backend=backend, dist_collect_mode="cat")
        metric.add([1, 2, 3, 4, 5] if backend.rank == 0 else [6, 7, 1000])
        gather = backend.all_gather_bytes

        def slow(data):
            found = gather(data)
            if backend.rank == 1 and not threads:
                more = [10**6] * 5
                threads.append(
                    threading.Thread(target=lambda: [metric.add(more) for _ in range(20)])
                )
                threads[0].start()
                threads[0].join(0.2)
            return found

        monkeypatch.setattr(backend, "all_gather_bytes", slow, raising=False)
        return metric.compute(size=7)

    assert world.run(evaluate) == [{"total": 28}] * 2
    threads[0].join()
