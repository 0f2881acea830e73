"""Every metric whose states add up is computed in one exchange: each rank has all that it needs."""

import warnings

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.metrics.classification.class_metrics import ClassAverage, ClassMetric
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.metric_case import deal, draw, evaluate_on_ranks
from mmeval_like.testing.same import same
from tests.metric_cases import CASES

# Linear algebra rounds otherwise on another processor: rank 0 solves, and the others hear.
SOLVED_ON_RANK_0 = (mm.BradleyTerry, mm.FrechetInceptionDistance)


def adds_up(name):
    """Whether the states of a case's metric are sums and counts, and its formula is not solved."""
    if isinstance(CASES[name].make(), SOLVED_ON_RANK_0):
        return False
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


def counted_alike(task, **options):
    """Every metric of counts of a task, and those with averages under each of these."""
    options |= {"task": task}
    members = {}
    for name in mm.metrics.__all__:
        cls = getattr(mm, name)
        if not (isinstance(cls, type) and issubclass(cls, ClassMetric)) or task not in cls.tasks:
            continue
        if issubclass(cls, ClassAverage):
            for average in ("micro", "macro", "weighted", None):
                members[f"{name} {average}"] = cls(average=average, **options)
        else:
            members[name] = cls(**options)
    return {name: m for name, m in members.items() if m.statistic == m.counts}


@pytest.mark.filterwarnings("ignore:average=.* has no effect")
@pytest.mark.parametrize(
    ("task", "options"),
    [("binary", {}), ("multiclass", {"num_classes": 5}), ("multilabel", {"num_classes": 5})],
)
def test_all_metrics_of_a_task_take_one_count_and_one_exchange(task, options):
    """Some forty names: one statistic folds the batches, and one all-gather has it all."""
    members = counted_alike(task, **options)
    rng = np.random.default_rng(0)
    shape = (20, 5) if task == "multilabel" else 20
    batch = tuple(rng.integers(0, 5 if task == "multiclass" else 2, (2, *np.atleast_1d(shape))))
    world = LocalWorld(2)

    def evaluate(backend):
        collection = mm.MetricCollection(counted_alike(task, **options), dist_backend=backend)
        collection.add(*batch)
        return collection.compute()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, other = world.run(evaluate)
        alone = {name: member(*batch) for name, member in members.items()}

    assert len(members) >= 40
    assert len({member.statistic for member in members.values()}) == 1
    assert {name: calls for name, calls in world.calls[0].items() if calls} == {
        "all_gather_bytes": 1
    }
    assert same(value, other)
    assert [*value] == [*members]
    # Both ranks have the same samples: shares are those of one of them.
    name = "Recall macro"
    assert same(value[name], alone[name])


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
                patch.setattr("mmeval_like.backends.slot_line.slot_bytes", sizes_of_slots)
            return evaluate_on_ranks(case, samples, shards, np.random.default_rng(2))

    expected = values()

    assert all(same(value, expected[0]) for value in expected)
    assert all(same(value, expected[0]) for value in values(lambda ranks: room))
