"""Every metric whose states add up is computed in one exchange: each rank has all that it needs."""

import warnings

import numpy as np
import pytest

from mmeval_like.testing import LocalWorld
from mmeval_like.testing.metric_case import deal, draw, evaluate_on_ranks
from mmeval_like.testing.same import same
from tests.metric_cases import CASES


def adds_up(name):
    """Whether the states of a case's metric are sums and counts."""
    states = CASES[name].make(dist_backend="non_dist").statistic.states()
    return bool(states) and all(state.additive for state in states.values())


@pytest.mark.parametrize("name", sorted(name for name in CASES if adds_up(name)))
def test_what_adds_up_takes_one_exchange(name):
    """One all-gather of slots, and one all-reduce where the states are larger than a slot."""
    case = CASES[name]
    samples, _ = draw(case, np.random.default_rng(0))
    world = LocalWorld(2)

    def evaluate(backend):
        metric = case.make(dist_backend=backend)
        if backend.rank == 0:
            metric.add(*samples)
        return metric.compute()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        world.run(evaluate)

    calls = dict(world.calls[0])
    assert calls.pop("all_gather_bytes") == 1
    assert calls.pop("all_reduce", 1) == 1
    assert not calls


@pytest.mark.parametrize("room", [128, 1 << 20])
@pytest.mark.parametrize("name", sorted(name for name in CASES if adds_up(name)))
def test_the_room_of_a_slot_does_not_matter(name, room, monkeypatch):
    """By all-reduce, packed into the slots, or as vectors in them: the same bits."""
    case = CASES[name]
    samples, count = draw(case, np.random.default_rng(1))
    shards = deal([count // 2, 0, count - count // 2], "unzip")

    def values(sizes_of_slots=None):
        with monkeypatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if sizes_of_slots is not None:
                patch.setattr("mmeval_like._exchange.sync.slot_bytes", sizes_of_slots)
                patch.setattr("mmeval_like._exchange.job.slot_bytes", sizes_of_slots)
            return evaluate_on_ranks(case, samples, shards, np.random.default_rng(2))

    expected = values()

    assert all(same(value, expected[0]) for value in expected)
    assert all(same(value, expected[0]) for value in values(lambda ranks: room))
