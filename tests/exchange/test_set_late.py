"""Whatever is set after the constructor is told to the other ranks: no rank computes in silence."""

import warnings

import pytest

import mmeval_like as mm
from tests.exchange.disagreement import RANKS, expect_disagreement, kinds, outcomes
from tests.exchange.late import CASES, LATE, WHEN, Tuned, evaluated

late = pytest.mark.parametrize(("case", "change"), LATE)
whenever = pytest.mark.parametrize("when", WHEN)


@pytest.fixture(autouse=True)
def _quiet():
    """Intervals of so few samples warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@late
@whenever
@pytest.mark.parametrize("rank", range(RANKS))
def test_what_one_rank_sets_late_is_told(case, change, when, rank):
    """Also after the identity was asked for, and after a compute in which all agreed."""
    expect_disagreement(False, lambda backend: evaluated(backend, case, change, when, (rank,)))


@kinds
@late
def test_what_one_rank_sets_late_is_told_by_every_exchange(members_only, case, change):
    """Backends of five members compare the same."""
    expect_disagreement(
        members_only, lambda backend: evaluated(backend, case, change, WHEN[1], (1,))
    )


@late
@whenever
def test_what_all_ranks_set_late_counts(case, change, when):
    """The result is that of ranks that set it at once; only its samples depend on the ranks."""
    known = CASES[case]
    found = outcomes(False, lambda backend: evaluated(backend, case, change, when, (0, 1)))
    other = outcomes(False, lambda backend: made_so(backend, known, change))

    assert [*map(repr, found)] == [*map(repr, other)]  # nan is not equal to itself
    assert repr(found[0]) == repr(found[1])
    assert not isinstance(found[0], Exception), found[0]


def made_so(backend, known, change):
    """The result of an evaluation that is changed at once."""
    evaluation = known.make(dist_backend=backend)
    known.changes[change](evaluation)
    known.add(evaluation, backend.rank)
    return evaluation.compute()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: mm.Running(Tuned(), 3), "window"),
        (lambda: mm.Windowed(Tuned(), 4, 2), "samples"),
        (lambda: mm.Windowed(Tuned(), 4, 2), "buckets"),
        (lambda: mm.Sliced(Tuned(), by="part"), "by"),
        (lambda: mm.Sliced(Tuned(), by="part"), "summaries"),
        (lambda: mm.Paired(Tuned()), "anytime"),
    ],
)
def test_what_the_samples_depend_on_cannot_be_set_late(make, name):
    """It is refused where it is set, and not ignored."""
    evaluation = make()
    with pytest.raises(AttributeError, match=name):
        setattr(evaluation, name, 1)


@kinds
def test_options_of_one_side_only(members_only):
    """Told if one rank sets them; refused on every rank if all do: the sides would differ."""

    def evaluate(backend, ranks):
        pair = mm.Paired(Tuned(), dist_backend=backend)
        _ = pair.plan.identity
        if backend.rank in ranks:
            pair.b.plus = 2.0
        pair.a.add([0.7], ids=[backend.rank])
        pair.b.add([0.7], ids=[backend.rank])
        return pair.compute()

    expect_disagreement(members_only, lambda backend: evaluate(backend, (1,)))
    for error in outcomes(members_only, lambda backend: evaluate(backend, (0, 1))):
        assert isinstance(error, ValueError | mm.RemoteError)
        assert "both systems must be measured alike" in str(error)


def test_an_identity_is_computed_once_for_every_metric_of_the_package():
    """No metric with plain options pays for it at every compute."""
    for make in (mm.Accuracy, mm.MeanSquaredError, lambda: mm.F1Score(num_classes=2), mm.BLEU):
        metric = make()
        first = metric.plan.identity
        metric.reset()
        assert metric.plan.identity is first


def test_a_copy_has_its_own_identity():
    """What is set in a copy does not change the original, nor the other way round."""
    import copy

    metric = Tuned(dist_backend="non_dist")
    first = metric.plan.identity
    twin = copy.copy(metric)
    assert twin.plan.identity == first
    twin.plus = 3.0
    assert metric.plan.identity == first
    assert twin.plan.identity != first
    metric.plus = 3.0
    assert metric.plan.identity == twin.plan.identity
