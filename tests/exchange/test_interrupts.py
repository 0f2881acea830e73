"""An interrupt at any line of an exchange: no wrong number, no hang, no lock that stays taken."""

import threading
from contextlib import nullcontext, suppress

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._exchange.group_lock import OutOfStep, lock_of
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.exchange.in_world import Kept, Wide, errors_of
from tests.exchange.interrupting import Alarm, Interrupting, LooseWorld
from tests.helpers.dealing import deal_everything
from tests.helpers.examples import SHARE

VALUES = np.arange(60)


class KeptSum(Kept):
    """Every row is kept, and a short result is made of them."""

    def compute_metric(self, results):
        """The sum of places and values."""
        return {"sum": int(results.values @ np.arange(len(results)))}


def in_slots(backend):
    """A state that fits into the slot."""
    metric = mm.Accuracy(dist_backend=backend)
    metric.add(VALUES % 3 == 0, VALUES % (2 + backend.rank) == 0)
    return metric


def reduced(backend):
    """Counts, too many for the slot."""
    metric = mm.ConfusionMatrix(num_classes=100, dist_backend=backend)
    metric.add(VALUES, VALUES + backend.rank)
    return metric


def gathered(backend):
    """Rows of which each rank has too many for its slot."""
    metric = KeptSum(dist_backend=backend)
    metric.add(np.arange(3000) + backend.rank)
    return metric


def dealt(backend):
    """Scores that no rank has all of."""
    metric = mm.AUROC(dist_backend=backend)
    mine = VALUES[backend.rank :: backend.world_size]
    metric.add(mine / 60, mine % 2)
    return metric


def accounted(backend):
    """Samples of which some have no score, and are tried again on the next rank."""
    metric = mm.Accuracy(unscored="bounds", dist_backend=backend)
    reasons = ["error" if value % 5 else None for value in VALUES]
    retried = [None if value % 4 else "timeout" for value in VALUES]
    for shift, why in enumerate((reasons, retried)):
        mine = VALUES[(backend.rank + shift) % backend.world_size :: backend.world_size]
        metric.add(mine % 3, mine % 2, ids=mine, unscored=[why[value] for value in mine])
    return metric


WAYS = [in_slots, reduced, gathered, dealt]


def is_free(lock):
    """Whether another thread gets the lock."""
    found = []

    def take():
        found.append(lock.acquire(timeout=0.2))
        if found[0]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return found[0]


def compute_three_times(world, make, size, n, error):
    """What every rank gets of three computes, the first of which is interrupted on rank 1.

    Returns:
        By rank, results and exceptions; and how many lines rank 1 came to.
    """
    lines = []

    def run(backend):
        metric, found = make(backend), []
        for turn in range(3):
            here = backend.rank == 1 and turn == 0
            interrupting = Interrupting(n, error) if here else nullcontext()
            try:
                with interrupting:
                    found.append(metric.compute(size))
            except BaseException as raised:
                found.append(raised)
            if here:
                lines.append(interrupting.lines)
        if backend.rank == 1:
            for lock in [*[store.lock for store in metric._samples().kept], lock_of(backend).held]:
                assert is_free(lock)
        return found

    return world.run(run), lines[0]


@pytest.mark.parametrize(
    ("make", "size", "error"),
    [(make, size, Alarm) for make in WAYS for size in (None, "all")]
    + [(make, None, KeyboardInterrupt) for make in (in_slots, reduced)]
    + [(accounted, "all", Alarm)],
)
def test_no_line_at_which_an_interrupt_makes_a_wrong_number(make, size, error, monkeypatch):
    """Every compute of every rank returns the right result or raises; nobody waits for ever.

    The messages match by their order alone, so that one which a rank sends after the interrupt
    arrives in place of the one that it did not send.
    """
    if make is dealt:
        deal_everything(monkeypatch)
    total = {in_slots: 180, reduced: 180, gathered: 9000}.get(make, 60)
    world, size = LooseWorld(3), size and total
    right, lines = compute_three_times(world, make, size, 0, error)
    expected = right[0][0]
    assert not isinstance(expected, BaseException), expected
    assert lines > 50

    step = 4 if make is accounted else 1  # it has the most lines
    for n in range(1, lines + 1, round(step / SHARE)):
        found, _ = compute_three_times(LooseWorld(3), make, size, n, error)
        for rank, results in enumerate(found):
            for result in results:
                if not isinstance(result, BaseException):
                    assert same(result, expected), (n, rank)
                    assert result.accounts == expected.accounts, (n, rank)


def several(backend):
    """Several stores, whose locks are taken together."""
    members = {"hits": mm.Accuracy(), "mean": mm.Mean(), "wide": Wide()}
    collection = mm.MetricCollection(members, dist_backend=backend)
    for name, batch in {"hits": ([1], [1]), "mean": ([1.5],), "wide": ([3],)}.items():
        members[name].add(*batch)
    parts = [part for member in members.values() for part in member._samples().parts()]
    collection._samples().merge(parts)
    return collection


@pytest.mark.parametrize("size", [None, 1])
def test_no_line_at_which_an_interrupt_leaves_a_lock_taken(size):
    """Of a collection with several stores, in one process: each of its locks is free afterwards."""
    n, interrupted = 0, True
    while interrupted:
        n, collection = n + 1, several("non_dist")
        try:
            with Interrupting(n):
                collection.compute(size)
            interrupted = False
        except Alarm:
            assert all(is_free(store.lock) for store in collection._samples().kept), n
            collection.compute(size)
    assert n > 50


@pytest.mark.parametrize(
    ("make", "message"),
    [(reduced, "all_reduce"), (gathered, "gather_bytes"), (dealt, "all_reduce")],
)
def test_a_message_of_another_exchange_is_no_part(make, message, monkeypatch):
    """Where rank 1 sends something else in place of its part, the others raise."""
    if make is dealt:
        deal_everything(monkeypatch)
    world = LooseWorld(3)
    kind = type(world.backends[0])
    send = getattr(kind, message)

    def sends_something_else(backend, *arguments):
        if backend.rank == 1:
            backend.all_gather_bytes(bytes(range(256)) * 16)
            return np.zeros(1, np.int64) if message == "all_reduce" else None
        return send(backend, *arguments)

    monkeypatch.setattr(kind, message, sends_something_else)
    errors_of(world, lambda backend: make(backend).compute())

    if message == "all_reduce":
        assert {type(world.errors[0]), type(world.errors[2])} == {OutOfStep}
    else:  # rank 0 alone gets the parts, and tells the others
        assert type(world.errors[0]) is OutOfStep
        assert "a message of another exchange arrived" in str(world.errors[2])


@pytest.mark.parametrize("members_only", [False, True])
def test_a_compute_that_a_rank_gave_up_is_not_taken_for_the_next(members_only):
    """Rank 0 waits in vain, and computes anew: what rank 1 brings late is of the compute before."""
    late = LocalWorld(2, members_only=members_only)
    metrics = {}

    def give_up(backend):
        metrics[backend.rank] = in_slots(backend)
        if backend.rank == 0:
            metrics[0].compute()

    errors_of(late, give_up)
    errors_of(late, lambda backend: metrics[backend.rank].compute())

    assert {type(error) for error in late.errors} == {OutOfStep}


@pytest.mark.parametrize("members_only", [False, True])
def test_ranks_that_met_in_different_calls_go_on(members_only):
    """After the error, which all of them raise, the next compute is right."""
    world = LocalWorld(2, members_only=members_only)

    def compute(backend):
        metric = in_slots(backend)
        if backend.rank == 0:
            with pytest.raises(mm.DisagreementError):
                metric.compute()
        else:
            with suppress(mm.DisagreementError):
                backend.all_gather_object("something else")
        return metric.compute()

    found = world.run(compute)
    assert found[0] == found[1]
