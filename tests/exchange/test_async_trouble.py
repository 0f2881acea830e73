"""What goes wrong in `compute_async` is told where the program waits for the result."""

import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.exchange.in_world import ListAccuracy
from tests.helpers.pace import patient


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

    world = LocalWorld(2, timeout=patient(1))
    first, *others = world.run(evaluate)[1]

    assert first == {"top1": 0.5}
    assert all(isinstance(error, mm.DisagreementError) for error in others)
    assert len(others) == 2


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
    world = LocalWorld(2, timeout=patient(0.5))

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

    errors = LocalWorld(2, timeout=patient(5)).run(evaluate)

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
