"""Parts of different metrics, or of different epochs, are never merged."""

import copy
import pickle
import threading

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.exchange.disagreement import RANKS, expect_disagreement, kinds, outcomes


@kinds
@pytest.mark.parametrize("how", ["constructed", "deep copies", "collections"])
def test_equal_metrics_in_another_order_on_one_rank(members_only, how):
    """Validation and test have equal options; rank 1 computes the test metric first."""

    def evaluate(backend):
        def make():
            accuracy = mm.Accuracy(dist_backend=backend)
            return mm.MetricCollection({"a": accuracy}) if how == "collections" else accuracy

        validation = make()
        test = copy.deepcopy(validation) if how == "deep copies" else make()
        validation.add([1, 1], [1, 1])
        test.add([1, 1], [0, 0])
        order = [test, validation] if backend.rank else [validation, test]
        return [metric.compute() for metric in order]

    assert "name=" in expect_disagreement(members_only, evaluate)


@kinds
def test_names_tell_equal_metrics_apart(members_only):
    """Named metrics that meet are different, and the error says both names."""

    def evaluate(backend):
        name = ["validation", "test"][backend.rank]
        metrics = {n: mm.Accuracy(dist_backend=backend, name=n) for n in ("validation", "test")}
        return metrics[name].compute()

    text = expect_disagreement(members_only, evaluate)
    assert "validation" in text
    assert "test" in text


@kinds
@pytest.mark.parametrize("renewed", ["reset", "constructed", "two metrics"])
def test_a_compute_that_one_rank_skips(members_only, renewed):
    """In a loop over epochs, rank 1 leaves one compute out: the epochs are not mixed."""

    def evaluate(backend):
        metric, other = (mm.Accuracy(dist_backend=backend) for _ in range(2))
        values = []
        for epoch in range(3):
            if renewed == "reset":
                metric.reset()
            if renewed == "constructed":
                metric = mm.Accuracy(dist_backend=backend)
            metric.add([epoch], [epoch])
            if not (backend.rank == 1 and epoch == 1):
                values.append(metric.compute())
            if renewed == "two metrics":
                values.append(other.compute())
        return values

    with pytest.warns(RuntimeWarning) if renewed == "two metrics" else nothing():
        expect_disagreement(members_only, evaluate)


def nothing():
    """Expect no warning."""
    return threading.Lock()


@kinds
def test_one_rank_constructs_one_more(members_only):
    """The error names name=; with a name of its own, the additional metric is in nobody's way."""

    def evaluate(backend, **options):
        if backend.rank == 0:
            mm.Accuracy(dist_backend=backend, **options)
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1])
        return metric.compute()

    assert "name=" in expect_disagreement(members_only, evaluate)
    named = outcomes(members_only, lambda backend: evaluate(backend, name="only here"))
    assert named == [{"top1": 1.0}] * RANKS


@kinds
def test_metrics_of_one_rank_alone_do_not_count(members_only):
    """dist_backend="non_dist", a call, a local value: none of these are seen by other ranks."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1])
        if backend.rank == 0:
            mm.Accuracy(dist_backend="non_dist")
            metric([0], [1])
            metric.compute_local()
            metric.load_state_dict(metric.state_dict())
        return metric.compute()

    assert outcomes(members_only, evaluate) == [{"top1": 1.0}] * RANKS


@kinds
def test_after_a_disagreement_all_agree_again(members_only):
    """The error costs one compute; the next one, made alike by all, is right."""

    def evaluate(backend):
        metrics = [mm.Accuracy(dist_backend=backend) for _ in range(2)]
        for metric in metrics:
            metric.add([1, 1], [1, backend.rank])
        with pytest.raises(mm.DisagreementError):
            metrics[backend.rank].compute()
        with pytest.raises(mm.DisagreementError):
            metrics[0 if backend.rank else 1].compute()
        return metrics[0].compute(), metrics[1].compute()

    assert outcomes(members_only, evaluate) == [({"top1": 0.75}, {"top1": 0.75})] * RANKS


@kinds
def test_equal_metrics_of_uneven_number_are_never_brought_together(members_only):
    """A program goes on after three errors: what it then brings together by chance is refused.

    On rank 1 the first of three metrics has another option, so that its second one is the first of
    the equal ones. A metric with a name, and one of another kind, agree all the same.
    """

    def evaluate(backend):
        odd = {"bounds": (0, 9)} if backend.rank == 1 else {}
        metrics = [mm.Mean(dist_backend=backend, **(odd if i == 0 else {})) for i in range(3)]
        for place, metric in enumerate(metrics):
            metric.add([place])
            with pytest.raises(mm.DisagreementError):
                metric.compute()
        for metric in metrics[1:] if backend.rank == 1 else metrics[:2]:
            with pytest.raises(mm.DisagreementError, match="name="):
                metric.compute()
        others = [mm.Mean(dist_backend=backend, name="again"), mm.Accuracy(dist_backend=backend)]
        others[0].add([4.0])
        others[1].add([1], [1])
        return [metric.compute() for metric in others]

    assert outcomes(members_only, evaluate) == [[{"mean": 4.0}, {"top1": 1.0}]] * RANKS


@kinds
def test_other_metrics_in_another_order_agree_afterwards(members_only):
    """The ranks constructed the same: once they compute in the same order, all is right."""

    def evaluate(backend):
        metrics = [mm.Mean(dist_backend=backend), mm.Mean(dist_backend=backend, bounds=(0, 9))]
        for place, metric in enumerate(metrics):
            metric.add([place])
        for metric in metrics if backend.rank else metrics[::-1]:
            with pytest.raises(mm.DisagreementError):
                metric.compute()
        return [metric.compute() for metric in metrics]

    assert outcomes(members_only, evaluate) == [[{"mean": 0.0}, {"mean": 1.0}]] * RANKS


@kinds
def test_epochs_stay_apart_after_the_error(members_only):
    """A program that goes on is refused, until every rank has come to the same epoch."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        # Every rank but 0 leaves out the compute of the first epoch, and stays one epoch ahead.
        for epoch in range(3) if backend.rank == 0 else range(4):
            metric.reset()
            metric.add([epoch], [3])
            if backend.rank == 0 or epoch > 0:
                with pytest.raises(mm.DisagreementError):
                    metric.compute()
        if backend.rank == 0:
            metric.reset()
            metric.add([3], [3])
        return metric.compute()

    assert outcomes(members_only, evaluate) == [{"top1": 1.0}] * RANKS


@kinds
def test_two_threads_that_compute_at_once(members_only):
    """Equal metrics are computed in threads: each value is right, or every rank has the error."""
    wanted = {0: {"count": 2}, 1: {"count": 4}}

    def evaluate(backend):
        metrics = [Counting(dist_backend=backend) for _ in range(2)]
        for which, metric in enumerate(metrics):
            metric.add([1] * (1 + which))
        start, found = threading.Barrier(2), {}

        def compute(which):
            start.wait()
            try:
                found[which] = metrics[which].compute()
            except Exception as error:
                found[which] = error

        threads = [threading.Thread(target=compute, args=(which,)) for which in range(2)]
        for thread in threads if backend.rank else threads[::-1]:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    for _ in range(20):
        for found in outcomes(members_only, evaluate):
            for which, value in found.items():
                assert value == wanted[which] or isinstance(value, mm.DisagreementError)


class Counting(mm.BaseMetric):
    """More state than the slot takes: its compute is several exchanges."""

    total = mm.state.sum(int, (1000,))

    def rows(self, values):
        """The value a thousand times."""
        return {"total": np.repeat(np.asarray(values)[:, None], 1000, axis=1)}

    def compute_metric(self, results):
        """The first of the thousand sums."""
        return {"count": int(results.total[0])}


@kinds
@pytest.mark.parametrize("made", ["kept", "anew"])
def test_a_lost_process_is_replaced(members_only, made):
    """A group with a new process: the first compute agrees, whatever the survivors did before."""
    first = LocalWorld(RANKS, members_only=members_only)
    kept = {}

    def before(backend):
        metric = kept[backend.rank] = mm.Accuracy(dist_backend=backend)
        for _ in range(3):
            metric.reset()
            metric.add([1], [1])
            metric.compute()
        metric.reset()

    def after(backend):
        metric = kept.get(backend.rank) if made == "kept" else None
        if metric is None:
            metric = mm.Accuracy(dist_backend=backend)
        metric.dist_backend = backend
        metric.add([1], [1])
        return metric.compute(), metric.compute()

    first.run(before)
    del kept[1]
    second = LocalWorld(RANKS, members_only=members_only)
    assert second.run(after) == [({"top1": 1.0}, {"top1": 1.0})] * RANKS


def test_a_metric_that_was_computed_can_be_pickled():
    """What it has counted belongs to this process; its place among equal metrics goes along."""
    first = mm.Accuracy()
    second = mm.Accuracy()
    second.add([1], [0])
    second.compute()

    pickles = [pickle.dumps(metric) for metric in (first, second)]
    numbers = [metric._held.occurrence.number for metric in (first, second)]
    del first, second  # as in another process: here, a pickle is a copy; see test_ways.py
    copies = [pickle.loads(one) for one in pickles]

    assert [c._held.occurrence.number for c in copies] == numbers
    assert copies[1].compute() == {"top1": 0.0}


@kinds
def test_remaining_on_one_rank_meets_a_compute_on_another(members_only):
    """Every rank is told that the calls differ; the next compute, made by all, is right."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, 0], [1, 1], ids=[backend.rank, 2])
        with pytest.raises(mm.DisagreementError, match="if rank == 0"):
            metric.remaining(4) if backend.rank else metric.compute()
        return metric.compute()

    assert outcomes(members_only, evaluate) == [{"top1": 2 / 3}] * RANKS
