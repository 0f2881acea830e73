"""An interrupt between two messages: the rank says so at once, instead of meeting old messages."""

import threading

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._exchange.contribution import Contribution
from mmeval_like.testing import LocalWorld
from tests.exchange.in_world import Kept, Wide, errors_of
from tests.helpers.dealing import deal_everything

VALUES = np.arange(90)


def dealt(dist_backend):
    """Scores that no rank has all of."""
    metric = mm.AUROC(dist_backend=dist_backend)
    metric.add(VALUES[dist_backend.rank :: 3] / 90, VALUES[dist_backend.rank :: 3] % 2)
    return metric


def kept(dist_backend):
    """Rows of which each rank has too many for its slot."""
    metric = Kept(dist_backend=dist_backend)
    metric.add(np.arange(9000) + dist_backend.rank)
    return metric


def wide(dist_backend):
    """States that add up, too large for the slot."""
    metric = Wide(dist_backend=dist_backend)
    metric.add(VALUES + dist_backend.rank)
    return metric


def once_on_rank_1(function, interrupted):
    """The function, which is interrupted when rank 1 calls it first."""

    def interrupts(*arguments, **named):
        if threading.current_thread().name == "LocalWorld rank 1" and not interrupted.is_set():
            interrupted.set()
            raise KeyboardInterrupt
        return function(*arguments, **named)

    return interrupts


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (dealt, "all_reduce"),
        (dealt, "all_to_all_pieces"),
        (kept, "gather_bytes"),
        (kept, "broadcast_object"),
        (wide, "all_reduce"),
    ],
)
def test_a_rank_that_was_interrupted_says_so(make, message, monkeypatch):
    """Its next compute is refused, in words; the other ranks raise and do not compute a number."""
    if make is dealt:
        deal_everything(monkeypatch)
    world = LocalWorld(3)
    kind = type(world.backends[0])
    interrupted = threading.Event()
    monkeypatch.setattr(kind, message, once_on_rank_1(getattr(kind, message), interrupted))

    def compute_twice(backend):
        metric = make(backend)
        try:
            return metric.compute()
        except KeyboardInterrupt:
            return metric.compute()

    errors = errors_of(world, compute_twice)

    assert interrupted.is_set()
    assert isinstance(errors[1], RuntimeError)
    assert "was interrupted on this rank between two of its messages" in str(errors[1])
    for error in (errors[0], errors[2]):
        assert isinstance(error, Exception), error


@pytest.mark.parametrize("place", [(Contribution, "sent"), (mm.Accuracy, "compute_metric")])
def test_an_interrupt_that_leaves_nobody_waiting(place, monkeypatch):
    """Before the first message, and after the last one, the next compute is as good as new."""
    interrupted = threading.Event()
    monkeypatch.setattr(*place, once_on_rank_1(getattr(*place), interrupted))

    def compute(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1, 0, backend.rank], [1, 1, 1])
        try:
            first = metric.compute()
        except KeyboardInterrupt:
            first = None
        if place[0] is Contribution:  # the other ranks wait in their first one
            return first or metric.compute()
        return metric.compute()

    found = LocalWorld(3).run(compute)

    assert interrupted.is_set()
    assert found == [{"top1": pytest.approx(4 / 9, rel=1e-6)}] * 3
