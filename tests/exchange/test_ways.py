"""Who has which number: parts of two evaluations are never merged, however these came to be."""

import copy
import warnings

import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.exchange.disagreement import RANKS, expect_disagreement, kinds, outcomes
from tests.exchange.ways import COMPUTES, WAYS

ways = pytest.mark.parametrize("name", WAYS)
computes = pytest.mark.parametrize("how", ["handle", "block"])
derived = pytest.mark.parametrize("name", [name for name, way in WAYS.items() if way.one])
VALUES = [1.0, 0.5]


@pytest.fixture(autouse=True)
def _quiet():
    """Values of no samples, and intervals of few, warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def share(result):
    """The one number in a result, however deep."""
    while isinstance(result, dict):
        result = next(iter(result.values()))
    return result


@kinds
@ways
def test_the_same_order_is_right(members_only, name):
    """On all ranks, in every epoch of a loop, also when the second is computed first."""
    way = WAYS[name]

    def evaluate(backend):
        origin, found = way.make(dist_backend=backend), []
        for epoch in range(4):
            two = way.two(origin)
            computed = {place: two[place].compute() for place in ([0, 1], [1, 0])[epoch % 2]}
            found += [share(computed[0]), share(computed[1]), share(two[0].compute())]
        return found

    assert outcomes(members_only, evaluate) == [[1.0, 0.5, 1.0] * 4] * RANKS


@ways
@computes
def test_the_same_order_is_right_however_the_ranks_compute(name, how):
    """By a handle, by a block, and by `compute` in turns."""
    way, compute = WAYS[name], COMPUTES[how]

    def evaluate(backend):
        origin, found = way.make(dist_backend=backend), []
        for epoch in range(3):
            two = way.two(origin)
            computed = {place: compute(two[place]) for place in ([0, 1], [1, 0])[epoch % 2]}
            found += [share(computed[0]), share(computed[1]), share(two[0].compute())]
        return found

    assert outcomes(False, evaluate) == [[1.0, 0.5, 1.0] * 3] * RANKS


@ways
@computes
def test_another_order_is_told_however_the_ranks_compute(name, how):
    """And what a rank skips is not mixed up."""
    way, compute = WAYS[name], COMPUTES[how]

    def evaluate(backend):
        two = way.two(way.make(dist_backend=backend))
        return [compute(one) for one in (two[::-1] if backend.rank else two)]

    assert "name=" in expect_disagreement(False, evaluate)

    def skip(backend):
        two = way.two(way.make(dist_backend=backend))
        return [compute(one) for one in two[backend.rank :]]

    assert mm.DisagreementError in [type(found) for found in outcomes(False, skip)]


@ways
@computes
def test_ways_of_computing_remember_the_group(name, how):
    """What was computed by a handle or a block refuses this rank's own value afterwards."""
    way, compute, world = WAYS[name], COMPUTES[how], LocalWorld(RANKS)

    def evaluate(backend):
        two = way.two(way.make(dist_backend=backend))
        for one in two:
            compute(one)
        return two

    for two in world.run(evaluate):
        for one in two:
            one.dist_backend = None
            with pytest.raises(RuntimeError, match="their group is gone"):
                one.compute()


@kinds
@ways
def test_another_order_on_one_rank_is_told(members_only, name):
    """And afterwards all agree again, in the same order."""
    way = WAYS[name]

    def evaluate(backend, goes_on=False):
        two = way.two(way.make(dist_backend=backend))
        order = two[::-1] if backend.rank else two
        if not goes_on:
            return [one.compute() for one in order]
        for one in order:
            with pytest.raises(mm.DisagreementError):
                one.compute()
        return [share(one.compute()) for one in two]

    assert "name=" in expect_disagreement(members_only, evaluate)
    again = outcomes(members_only, lambda backend: evaluate(backend, goes_on=True))
    assert again == [VALUES] * RANKS


@kinds
@ways
@pytest.mark.parametrize("skipped", [0, 1])
def test_one_that_a_rank_skips_is_not_mixed_up(members_only, name, skipped):
    """Rank 1 leaves one out: the first, or the second of two epochs."""
    way = WAYS[name]

    def evaluate(backend):
        two = way.two(way.make(dist_backend=backend))
        if skipped == 0 and backend.rank:
            return two[1].compute()
        for one in two:
            one.compute()
        if backend.rank and skipped:
            return two[1].compute()
        return two[0].compute()

    expect_disagreement(members_only, evaluate)


@kinds
@derived
@pytest.mark.parametrize("use", ["value", "nothing", "kept for its value"])
def test_one_rank_may_make_more_for_itself(members_only, name, use):
    """For a log, say: the others go on with the same numbers."""
    way = WAYS[name]

    def evaluate(backend):
        origin, found, kept = way.make(dist_backend=backend), [], []
        for _ in range(3):
            if backend.rank == 0:
                own = way.one(origin)
                if use != "nothing":
                    own.compute_local()
                if use == "kept for its value":
                    kept.append(own)
                del own
            two = way.two(origin)
            found += [share(one.compute()) for one in two]
        return found

    assert outcomes(members_only, evaluate) == [VALUES * 3] * RANKS


@kinds
@derived
def test_one_kept_before_a_reset_does_not_count(members_only, name):
    """Rank 0 keeps the best of an earlier epoch, of which no value was computed."""
    way = WAYS[name]

    def evaluate(backend):
        origin = way.make(dist_backend=backend)
        kept = way.one(origin) if backend.rank == 0 else None
        two = way.two(origin)  # it resets the origin first
        return [share(one.compute()) for one in two], kept is None

    assert [found for found, _ in outcomes(members_only, evaluate)] == [VALUES] * RANKS


@kinds
@pytest.mark.parametrize("logged", [[0], [2], [0, 1, 2]])
@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
def test_members_kept_over_computes_are_computed_in_any_order(members_only, logged, order):
    """Without resets between; rank 0 alone computed values of some of them for a log."""

    def evaluate(backend):
        collected, kept = mm.MetricCollection({"a": mm.Accuracy()}, backend), []
        for epoch in range(3):
            collected.add([1], [epoch % 2])
            kept.append(collected["a"])
            if backend.rank == 0 and epoch in logged:
                kept[-1].compute_local()
            collected.compute()
        return [share(kept[epoch].compute()) for epoch in order]

    values = [0.0, 1 / 2, 1 / 3]
    assert outcomes(members_only, evaluate) == [[values[epoch] for epoch in order]] * RANKS


@ways
def test_what_has_samples_of_the_ranks_remembers_their_group(name):
    """Once the group is gone, nobody takes this rank's own value for that of all ranks."""
    way, world = WAYS[name], LocalWorld(RANKS)
    kept = {}

    def evaluate(backend):
        origin = kept[backend.rank] = way.make(dist_backend=backend)
        two = way.two(origin)
        origin.reset()
        if isinstance(origin, mm.Paired):
            for side in (origin.a, origin.b):
                side.add([1], [1], ids=[backend.rank])
        else:
            origin.add([1], [1])
        origin.compute()
        for one in two:
            one.compute()
        return two

    for rank, two in enumerate(world.run(evaluate)):
        origin = kept[rank]
        later = [way.one(origin)] if way.remembers and way.one else []
        if name == "side":
            later = [origin.a, origin.b]
        if name == "copy.deepcopy":
            origin.dist_backend = None
            later = [copy.deepcopy(origin)]
        assert (len(later) > 0) == way.remembers
        for one in [origin, *two, *later]:
            one.dist_backend = None
            with pytest.raises(RuntimeError, match="their group is gone"):
                one.compute()
            one.compute_local()


@pytest.mark.parametrize("name", ["from_bytes", "pickle"])
def test_what_has_other_samples_does_not_remember(name):
    """Bytes and pickles may come from anywhere: after the ranks are gone they are one process's."""
    way, world = WAYS[name], LocalWorld(RANKS)
    assert not way.remembers

    def evaluate(backend):
        origin = way.make(dist_backend=backend)
        origin.add([1], [1])
        origin.compute()
        return origin

    for origin in world.run(evaluate):
        one = way.one(origin)
        one.dist_backend = None
        assert share(one.compute()) == 1.0


def test_a_member_of_a_collection_that_was_computed_later():
    """It was taken before the ranks computed anything: its samples are this rank's."""
    world = LocalWorld(RANKS)

    def evaluate(backend):
        collected = mm.MetricCollection({"a": mm.Accuracy()}, backend)
        collected.add([1], [1])
        view = collected["a"]
        collected.compute()
        return view

    for view in world.run(evaluate):
        view.dist_backend = None
        assert view.compute() == {"top1": 1.0}
